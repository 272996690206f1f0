"""callbacks.py - functions that the library calls; none throws through it.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from ._native import ffi
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


@ffi.def_extern()
def varve_python_loss(user: Any, path: Any, what: Any) -> None:
    """Notes what a format cannot hold, or what is lost."""
    ffi.from_handle(user).losses.append((text(path), text(what)))
