"""outputs.py - Saves the lengths of files that a program appends to.

A save records the length of a file, and a restoration truncates the file to
that length (varve/output.h).

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import io
import os
import stat
from typing import Any, Callable, Optional

from ._native import ffi, lib
from .leaves import Leaf

__all__ = ['output_maker']

CALLBACKS = ffi.new('varve_output_callbacks *', {
    'flush': lib.varve_python_flush, 'seek': lib.varve_python_seek})


class OutputLeaf(Leaf):
    """A file object that is open for writing. It has no buffer: a restoration
    changes the file."""

    def __init__(self, value: Any):
        self._file = value
        self._handle = ffi.new_handle(value)

    def pull(self, value: Any) -> bool:
        return value is self._file

    def view(self) -> Any:
        raise NotImplementedError  # a state is never rebound

    def add(self, parent: Any, name: Any) -> Any:
        return lib.varve_add_buffered_output(
            parent, name, self._file.fileno(), CALLBACKS, self._handle)

    def push(self, value: Any) -> Any:
        return value


def output_maker(value: Any) -> Optional[Callable[[Any], Leaf]]:
    """Returns a function that makes a leaf of a file object; None for other
    objects. Raises a TypeError, whose message follows a path, if the file
    cannot be truncated. Flushes the file, so that a full disk raises an
    OSError before anything is saved."""
    if not isinstance(value, io.IOBase):
        return None
    if value.closed:
        raise TypeError('cannot save a closed file; open it for appending')
    if not value.writable():
        raise TypeError('cannot save a file that is open for reading; open it '
                        'for appending')
    try:
        kind = os.fstat(value.fileno()).st_mode
    except io.UnsupportedOperation:
        raise TypeError(f'cannot save {type(value).__name__}, which has no '
                        'file descriptor; save its contents') from None
    if not stat.S_ISREG(kind):
        raise TypeError('cannot save a pipe, terminal or device, which cannot '
                        'be truncated; use a regular file')
    value.flush()
    return OutputLeaf
