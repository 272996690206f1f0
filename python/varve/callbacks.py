"""callbacks.py - functions that the library calls; none throws through it.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from ._native import ffi, lib
from .errors import text

Progress = Callable[[int, int, str], Any]


class Callbacks:
    """What a call may call back, and the exception that came of it."""

    def __init__(self, progress: Optional[Progress] = None):
        self.progress = progress
        self.losses: List[Tuple[str, str]] = []
        self.exception: Optional[BaseException] = None
        self.handle = ffi.new_handle(self)

    def raise_own(self) -> None:
        """Raises what the program's own function raised, if it did."""
        exception, self.exception = self.exception, None
        if exception is not None:
            raise exception


@ffi.def_extern(error=1)
def varve_python_progress(user: Any, done: int, total: int, what: Any) -> int:
    """Asks the program's function; an exception cancels."""
    callbacks = ffi.from_handle(user)
    try:
        return 1 if callbacks.progress(done, total, text(what)) else 0
    except BaseException as exception:  # pylint: disable=broad-except
        callbacks.exception = exception
        return 1


@ffi.def_extern(error=lib.VARVE_CALLBACK)
def varve_python_make_room(user: Any, _node: Any, coming: Any,
                           room: Any) -> int:
    """Makes an array of the shape that is about to come."""
    try:
        shape = tuple(coming.shape[0:coming.rank])
        room[0] = ffi.from_handle(user).make_room(shape)
        return lib.VARVE_OK
    except MemoryError:
        return lib.VARVE_NO_MEMORY


@ffi.def_extern()
def varve_python_settle(user: Any, _node: Any, _room: Any,
                        is_taken: bool) -> None:
    """Tells what has become of it."""
    ffi.from_handle(user).settle(bool(is_taken))


@ffi.def_extern()
def varve_python_loss(user: Any, path: Any, what: Any) -> None:
    """Notes what a format cannot hold, or what is lost."""
    ffi.from_handle(user).losses.append((text(path), text(what)))
