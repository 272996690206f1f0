"""errors.py - Defines the exceptions, a class for each group of statuses.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import enum
import os
import re
from typing import Any, Callable, Dict, Type, Union

from ._native import ffi

__all__ = [
    'Status', 'Error', 'MisuseError', 'OutOfMemoryError', 'NotFoundError',
    'SystemError', 'DamagedError', 'MismatchError',
    'PartiallyRestoredError', 'UnmatchedError', 'StoppedError',
    'UnsupportedError', 'WaitError',
]


class Status(enum.IntEnum):
    """The reason of a failure; see varve/error.h."""

    OK = 0
    MISUSE = 1
    NO_MEMORY = 2
    NOT_FOUND = 3
    EXISTS = 4
    NO_PERMISSION = 5
    NO_SPACE = 6
    IO = 7
    UNKNOWN_OUTCOME = 8
    IS_DIRECTORY = 9
    EMPTY_FILE = 10
    NOT_A_CHECKPOINT = 11
    TOO_NEW = 12
    TRUNCATED = 13
    CORRUPT = 14
    LIMIT = 15
    BAD_NAME = 16
    BAD_SHAPE = 17
    DUPLICATE = 18
    MISMATCH = 19
    UNMATCHED = 20
    CANCELLED = 21
    CALLBACK = 22
    PARTIALLY_RESTORED = 23
    TIMEOUT = 24
    DISCONNECTED = 25


class Error(Exception):
    """A call failed.

    `status` is the reason, `message` describes it, and `system_error` is the
    errno of the failed system call, or 0."""

    def __init__(self, status: int, message: str, system_error: int = 0):
        super().__init__(message)
        self.status = Status(status) if status in KNOWN else status
        self.message = message
        self.system_error = system_error

    def __reduce__(self) -> Any:
        return type(self), (self.status, self.message, self.system_error)


class MisuseError(Error, ValueError):
    """The program used the interface incorrectly, or a value cannot be
    saved."""


class OutOfMemoryError(Error, MemoryError):
    """Memory could not be allocated."""


class NotFoundError(Error, LookupError):
    """There is no such file, path or value."""


class SystemError(Error):  # pylint: disable=redefined-builtin
    """A system call failed: no space, no permission, the file exists."""


class DamagedError(Error):
    """The file is damaged, or not a checkpoint."""


class UnsupportedError(Error):
    """The file has a newer version, or the module of the library for its
    format is not installed."""


class MismatchError(Error):
    """Types or shapes of the file and of the program differ."""


class PartiallyRestoredError(MismatchError, DamagedError):
    """A restoration failed after some values had changed: a value that is
    larger than the staging memory is damaged, cannot be read or does not
    fit."""


class UnmatchedError(Error, AssertionError):
    """An assertion about a restoration failed."""


class StoppedError(Error):
    """A callback cancelled the call, or failed."""


class WaitError(Error):
    """The call timed out."""


FAMILIES: Dict[Type[Error], str] = {
    MisuseError: 'MISUSE LIMIT BAD_NAME BAD_SHAPE DUPLICATE',
    OutOfMemoryError: 'NO_MEMORY',
    NotFoundError: 'NOT_FOUND',
    SystemError: 'EXISTS NO_PERMISSION NO_SPACE IO UNKNOWN_OUTCOME '
                 'IS_DIRECTORY',
    DamagedError: 'EMPTY_FILE NOT_A_CHECKPOINT TRUNCATED CORRUPT',
    UnsupportedError: 'TOO_NEW',
    MismatchError: 'MISMATCH',
    PartiallyRestoredError: 'PARTIALLY_RESTORED',
    UnmatchedError: 'UNMATCHED',
    StoppedError: 'CANCELLED CALLBACK',
    WaitError: 'TIMEOUT DISCONNECTED',
}
FAMILY_OF: Dict[int, Type[Error]] = {
    Status[name]: family for family, names in FAMILIES.items()
    for name in names.split()}
KNOWN = frozenset(Status)
HINT = ("\nhint: map a renamed value by read={'renames': {'path in the "
        "program': 'path in the file'}}; permit a difference by "
        "read={'expect_missing': ..., 'expect_unexpected': ...}; permit all "
        "by allow_partial=True (Manager: strict=False)")


# Texts of the library about C, and the corresponding ones for Python.
REMEDIES = (
    ('tag it VARVE_TAG_LOCAL', 'add its name to __varve_ignore__ of its class'),
    ('to add one value under a second name, use varve_track',
     'to save one array under two names, set the same object under both'),
    ('rename.file: ', 'rename_file: '),
    ('`resize` permits other extents, and drops elements that do not fit (a '
     'variable that is added as resizable gets all of them)',
     '`any_shape` takes the shape of the file'),
    ('`except` leaves a variable', '`except_` leaves a variable'),
    ('report of varve_dry_run', 'report of varve.dry_run'),
)


def text(chars: Any) -> str:
    """Converts a string of the library."""
    return ffi.string(chars).decode('utf-8', 'replace') if chars else ''


def error_of(status: int, message: str, system_error: int = 0) -> Error:
    """Returns the exception for a status.

    >>> error_of(Status.CORRUPT, 'a.varve: damaged')
    DamagedError('a.varve: damaged')
    """
    family = FAMILY_OF.get(status, Error)
    for theirs, ours in REMEDIES:
        message = message.replace(theirs, ours)
    if family is UnmatchedError:
        message = re.sub(r'\nhint: map a renamed value .*\Z', HINT, message)
    return family(status, message, system_error)


def refuse(message: str) -> Error:
    """Returns the exception for a value that cannot be saved."""
    return MisuseError(Status.MISUSE, message)


def file_path(path: Union[str, 'os.PathLike[str]']) -> bytes:
    """Encodes a path for C. Paths with a NUL are rejected.

    >>> file_path('run/a.varve')
    b'run/a.varve'
    """
    try:
        data = os.fsencode(path)
    except UnicodeEncodeError:
        data = b'\0'
    if b'\0' in data:
        raise refuse(f'invalid path {path!r:.200}: a path must not contain NUL '
                     'or lone surrogates')
    return data


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function whose last argument is an error and that returns a
    status or a handle."""
    error = ffi.new('varve_error *')
    result = function(*arguments, error)
    failed = result == ffi.NULL if isinstance(result, ffi.CData) else result
    if failed:
        raise error_of(error.status or result, text(error.message),
                       error.system_error)
    return result
