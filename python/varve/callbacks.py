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
        """Raises what the program's own function raised, or a handler of
        signals while the library worked, if one did."""
        exception, self.exception = self.exception, None
        if exception is None and STRAY:
            exception = STRAY.pop()
        if exception is not None:
            raise exception


STRAY: List[BaseException] = []  # from before a callback knew whose it was


def note_stray(_kind: Any, exception: Any, _traceback: Any) -> None:
    """Keeps what a handler of signals raised, such as KeyboardInterrupt, as a
    callback began or ended: there its own `try` does not reach."""
    STRAY.append(exception)


@ffi.def_extern(error=1, onerror=note_stray)
def varve_python_progress(user: Any, done: int, total: int, what: Any) -> int:
    """Asks the program's function; an exception cancels."""
    callbacks = ffi.from_handle(user)
    try:
        return 1 if callbacks.progress and callbacks.progress(
            done, total, text(what)) else 0
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
    except (ValueError, OverflowError):  # NumPy has no such shape
        return lib.VARVE_LIMIT


@ffi.def_extern()
def varve_python_settle(user: Any, _node: Any, _room: Any,
                        is_taken: bool) -> None:
    """Tells what has become of it."""
    ffi.from_handle(user).settle(bool(is_taken))


def by_output(function: Callable[[], Any]) -> int:
    """What was wrong is told by its status alone: a file that cannot be
    flushed has raised its own exception before the call."""
    try:
        function()
        return lib.VARVE_OK
    except MemoryError:
        return lib.VARVE_NO_MEMORY
    except Exception:  # pylint: disable=broad-except
        return lib.VARVE_IO


@ffi.def_extern(error=lib.VARVE_CALLBACK)
def varve_python_flush(handle: Any) -> int:
    """Writes what a file object has buffered."""
    return by_output(ffi.from_handle(handle).flush)


@ffi.def_extern(error=lib.VARVE_CALLBACK)
def varve_python_seek(handle: Any, _length: int) -> int:
    """Lets a file object go on at the end of a file that was cut."""
    return by_output(lambda: ffi.from_handle(handle).seek(0, 2))


@ffi.def_extern()
def varve_python_loss(user: Any, path: Any, what: Any) -> None:
    """Notes what a format cannot hold, or what is lost."""
    ffi.from_handle(user).losses.append((text(path), text(what)))


def view_of(data: Any, size: int) -> Any:
    """Memory of the library's; None where it gives none."""
    if not size:
        return memoryview(b'')
    return memoryview(ffi.buffer(data, size)) if data else None


def by_communicator(handle: Any, function: Callable[[Any], None]) -> int:
    """Once it has failed, all that follows does."""
    comm = ffi.from_handle(handle)
    if comm.exception is not None:
        return lib.VARVE_DISCONNECTED
    try:
        function(comm)
        return lib.VARVE_OK
    except BaseException as exception:  # pylint: disable=broad-except
        comm.exception = exception
        return lib.VARVE_NO_MEMORY if isinstance(exception, MemoryError) \
            else lib.VARVE_DISCONNECTED


@ffi.def_extern(error=lib.VARVE_DISCONNECTED)
def varve_python_agree(handle: Any, value: Any) -> int:
    """The largest of all values."""
    def agree(comm: Any) -> None:
        value[0] = comm.agree(value[0])
    return by_communicator(handle, agree)


@ffi.def_extern(error=lib.VARVE_DISCONNECTED)
def varve_python_gather(handle: Any, data: Any, size: int, room: Any) -> int:
    """The bytes of all to rank 0."""
    return lib.VARVE_OK if not size else by_communicator(
        handle, lambda comm: comm.gather(
            view_of(data, size), view_of(room, size * comm.size)))


@ffi.def_extern(error=lib.VARVE_DISCONNECTED)
def varve_python_gather_varied(handle: Any, data: Any, size: int, room: Any,
                               sizes: Any) -> int:
    """The same where sizes differ."""
    def gather(comm: Any) -> None:
        counts = list(sizes[0:comm.size]) if sizes else None
        everything = view_of(room, sum(counts)) if counts else None
        comm.gather_varied(view_of(data, size), everything, counts)
    return by_communicator(handle, gather)


@ffi.def_extern(error=lib.VARVE_DISCONNECTED)
def varve_python_broadcast(handle: Any, data: Any, size: int) -> int:
    """The bytes of rank 0 to all."""
    return by_communicator(handle,
                           lambda comm: comm.broadcast(view_of(data, size)))


@ffi.def_extern(error=lib.VARVE_DISCONNECTED)
def varve_python_barrier(handle: Any) -> int:
    """Until all have come."""
    return by_communicator(handle, lambda comm: comm.barrier())
