"""callbacks.py - Defines the functions that the library calls. No exception
passes through the library.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from ._native import ffi, lib
from .errors import text

Progress = Callable[[int, int, str], Any]


class Callbacks:
    """The callbacks of a call, and the exception that one of them raised."""

    def __init__(self, progress: Optional[Progress] = None):
        self.progress = progress
        self.losses: List[Tuple[str, str]] = []
        self.exception: Optional[BaseException] = None
        self.handle = ffi.new_handle(self)

    def raise_own(self) -> None:
        """Raises the exception of a function of the program, or of a signal
        handler that ran during the call, if there is one."""
        exception, self.exception = self.exception, None
        if exception is None and STRAY:
            exception = STRAY.pop()
        if exception is not None:
            raise exception


STRAY: List[BaseException] = []  # raised before a callback had found its call


def note_stray(_kind: Any, exception: Any, _traceback: Any) -> None:
    """Keeps an exception of a signal handler, such as KeyboardInterrupt, that
    was raised at the beginning or end of a callback, outside of its `try`."""
    STRAY.append(exception)


@ffi.def_extern(error=1, onerror=note_stray)
def varve_python_progress(user: Any, done: int, total: int, what: Any) -> int:
    """Calls the function of the program; an exception cancels."""
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
    """Makes an array of the shape of the value that will be read."""
    try:
        shape = tuple(coming.shape[0:coming.rank])
        room[0] = ffi.from_handle(user).make_room(shape)
        return lib.VARVE_OK
    except MemoryError:
        return lib.VARVE_NO_MEMORY
    except (ValueError, OverflowError):  # NumPy does not support this shape
        return lib.VARVE_LIMIT


@ffi.def_extern()
def varve_python_settle(user: Any, _node: Any, _room: Any,
                        is_taken: bool) -> None:
    """Reports the result to the array."""
    ffi.from_handle(user).settle(bool(is_taken))


def by_output(function: Callable[[], Any]) -> int:
    """Returns only a status: a file that cannot be flushed has raised its own
    exception before the call."""
    try:
        function()
        return lib.VARVE_OK
    except MemoryError:
        return lib.VARVE_NO_MEMORY
    except Exception:  # pylint: disable=broad-except
        return lib.VARVE_IO


@ffi.def_extern(error=lib.VARVE_CALLBACK)
def varve_python_flush(handle: Any) -> int:
    """Writes the buffer of a file object."""
    return by_output(ffi.from_handle(handle).flush)


@ffi.def_extern(error=lib.VARVE_CALLBACK)
def varve_python_seek(handle: Any, _length: int) -> int:
    """Moves a file object to the end of a file that was truncated."""
    return by_output(lambda: ffi.from_handle(handle).seek(0, 2))


@ffi.def_extern()
def varve_python_loss(user: Any, path: Any, what: Any) -> None:
    """Records a value that the format cannot represent or that is lost."""
    ffi.from_handle(user).losses.append((text(path), text(what)))


def view_of(data: Any, size: int) -> Any:
    """A view of memory of the library; None if the library passes none."""
    if not size:
        return memoryview(b'')
    return memoryview(ffi.buffer(data, size)) if data else None


def by_communicator(handle: Any, function: Callable[[Any], None]) -> int:
    """After a failure all later calls fail."""
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
    """Returns the largest of all values."""
    def agree(comm: Any) -> None:
        value[0] = comm.agree(value[0])
    return by_communicator(handle, agree)


@ffi.def_extern(error=lib.VARVE_DISCONNECTED)
def varve_python_gather(handle: Any, data: Any, size: int, room: Any) -> int:
    """Gathers the bytes of all ranks at rank 0."""
    return lib.VARVE_OK if not size else by_communicator(
        handle, lambda comm: comm.gather(
            view_of(data, size), view_of(room, size * comm.size)))


@ffi.def_extern(error=lib.VARVE_DISCONNECTED)
def varve_python_gather_varied(handle: Any, data: Any, size: int, room: Any,
                               sizes: Any) -> int:
    """The same for different sizes."""
    def gather(comm: Any) -> None:
        counts = list(sizes[0:comm.size]) if sizes else None
        everything = view_of(room, sum(counts)) if counts else None
        comm.gather_varied(view_of(data, size), everything, counts)
    return by_communicator(handle, gather)


@ffi.def_extern(error=lib.VARVE_DISCONNECTED)
def varve_python_broadcast(handle: Any, data: Any, size: int) -> int:
    """Sends the bytes of rank 0 to all ranks."""
    return by_communicator(handle,
                           lambda comm: comm.broadcast(view_of(data, size)))


@ffi.def_extern(error=lib.VARVE_DISCONNECTED)
def varve_python_barrier(handle: Any) -> int:
    """Waits for all ranks."""
    return by_communicator(handle, lambda comm: comm.barrier())
