"""outputs.py - files that a program appends to, as a part of its state.

A save records how long a file is, and a restoration cuts it to that length
(varve/output.h).

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
        raise NotImplementedError  # it is a state, and never bound again

    def add(self, parent: Any, name: Any) -> Any:
        return lib.varve_add_buffered_output(
            parent, name, self._file.fileno(), CALLBACKS, self._handle)

    def push(self, value: Any) -> Any:
        return value


def output_maker(value: Any) -> Optional[Callable[[Any], Leaf]]:
    """What makes a leaf of a file object; None where it is none. Raises
    TypeError, in words that follow a path, where the file cannot be
    truncated. Flushes it, so that a full disk is an OSError of the program
    before anything is saved."""
    if not isinstance(value, io.IOBase):
        return None
    if value.closed:
        raise TypeError('the file is closed')
    if not value.writable():
        raise TypeError('the file is not open for writing')
    try:
        kind = os.fstat(value.fileno()).st_mode
    except io.UnsupportedOperation:
        raise TypeError('expected a file of the system, found '
                        f'{type(value).__name__}') from None
    if not stat.S_ISREG(kind):
        raise TypeError('expected a regular file, found a pipe, terminal or '
                        'device, which cannot be truncated')
    value.flush()
    return OutputLeaf
