"""communicator.py - processes that save and restore one checkpoint together.

A communicator is the library's table of functions, filled with a Python
object's: over MPI with mpi4py, or over whatever a program has. The library's
own, of processes that are forked, is here too.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import contextlib
import sys
from typing import Any, Iterator, Optional, Sequence

from ._native import ffi, lib
from .errors import Error, Status, call, error_of, text

__all__ = ['Communicator', 'MpiCommunicator', 'Processes']


class Communicator:
    """Processes that act together. A subclass has `agree`, `gather`,
    `gather_varied`, `broadcast` and `barrier`, as varve/comm.h says what they
    do, and sets it up by `_begin`; all that they raise is `DISCONNECTED` for
    all ranks, and the cause of the exception of their own."""

    def _begin(self, rank: int, size: int, node: int = 0) -> None:
        self.exception: Optional[BaseException] = None
        self._self = ffi.new_handle(self)
        self._struct = ffi.new('varve_comm *', {
            'rank': rank, 'size': size, 'node': node, 'self': self._self,
            'agree': lib.varve_python_agree,
            'gather': lib.varve_python_gather,
            'gather_varied': lib.varve_python_gather_varied,
            'broadcast': lib.varve_python_broadcast,
            'barrier': lib.varve_python_barrier})

    @property
    def handle(self) -> Any:
        """The library's communicator."""
        if self._struct is None:
            raise ValueError('the communicator is closed')
        return self._struct

    @property
    def rank(self) -> int:
        """Of this process, from 0 on."""
        return int(self.handle.rank)

    @property
    def size(self) -> int:
        """How many processes there are."""
        return int(self.handle.size)

    def close(self) -> None:
        """Leaves the others: by all of them."""
        self._struct = None

    def __enter__(self) -> 'Communicator':
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def any(self, wanted: bool) -> bool:
        """Whether any rank wants it."""
        return bool(lib.varve_any(self.handle, wanted))

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """What fails in the block at one rank fails at all of them, as at the
        lowest; so none waits for another that has given up.

            with comm.together():
                restoration.assert_consumed()
        """
        own: Optional[Exception] = None
        try:
            yield
        except Exception as error:  # pylint: disable=broad-except
            own = error
        try:
            self._settle(own)
        except Error as error:
            if own is None:
                raise
            if isinstance(own, Error):
                raise error from own
            raise own from None

    def _settle(self, own: Optional[Exception]) -> None:
        error = ffi.new('varve_error *')
        status = Status.OK
        if own:
            status = getattr(own, 'status', Status.CALLBACK)
            error.status = status
            message = str(own).encode('utf-8', 'replace')
            error.message = message[:len(error.message) - 1]
        status = lib.varve_agree(self.handle, status, error)
        if status:
            raise error_of(status, text(error.message), error.system_error) \
                from self.exception

    def call(self, function: Any, *arguments: Any) -> Any:
        """Calls what takes a communicator first and an error last."""
        try:
            return call(function, self.handle, *arguments)
        except Error as error:
            raise error from self.exception


def together(comm: Optional[Communicator]) -> Any:
    """The same for one process."""
    return comm.together() if comm else contextlib.nullcontext()


class MpiCommunicator(Communicator):
    """The processes of a communicator of mpi4py, which is duplicated. Made and
    closed by all of them.

        comm = varve.MpiCommunicator(MPI.COMM_WORLD)
        varve.save(tree, 'run/net', comm=comm)
    """

    BLOCK = 1 << 30   # counts of MPI are ints
    SMALL = 64 << 10  # what is larger comes one rank after the other

    def __init__(self, group: Any):
        # pylint: disable-next=import-outside-toplevel
        from mpi4py import MPI  # type: ignore[import-not-found,unused-ignore]
        self._mpi = MPI
        self._group = group.Dup()
        self._group.Set_errhandler(MPI.ERRORS_RETURN)
        machine = self._group.Split_type(MPI.COMM_TYPE_SHARED)
        node = machine.bcast(self._group.rank)  # the lowest stands for it
        machine.Free()
        self._begin(self._group.rank, self._group.size, node)

    def close(self) -> None:
        if self._struct is not None:
            self._group.Free()
        super().close()

    def agree(self, value: int) -> int:
        """The largest, by signed numbers: MPICH 4.0 compares no others."""
        largest = bytearray(8)
        self._group.Allreduce(
            [(value - 2**63).to_bytes(8, sys.byteorder, signed=True),
             self._mpi.INT64_T], [largest, self._mpi.INT64_T],
            op=self._mpi.MAX)
        return int.from_bytes(largest, sys.byteorder, signed=True) + 2**63

    def barrier(self) -> None:
        """Waits for all."""
        self._group.Barrier()

    def broadcast(self, buffer: Any) -> None:
        """The bytes of rank 0 go to all."""
        for block in self._blocks(buffer):
            self._group.Bcast([block, self._mpi.BYTE])

    def gather(self, mine: Any, everything: Any) -> None:
        """Rank 0 gets the bytes of all."""
        if len(mine) > self.SMALL:
            self.gather_varied(mine, everything, [len(mine)] * self.size)
            return
        self._group.Gather(
            [mine, self._mpi.BYTE],
            None if everything is None else [everything, self._mpi.BYTE])

    def gather_varied(self, mine: Any, everything: Any,
                      sizes: Optional[Sequence[int]]) -> None:
        """The same where sizes differ; rank 0 knows them."""
        if everything is None or sizes is None:
            for block in self._blocks(mine):
                self._group.Send([block, self._mpi.BYTE], 0)
            return
        everything[0:len(mine)] = mine
        at = len(mine)
        for rank in range(1, self.size):
            for block in self._blocks(everything[at:at + sizes[rank]]):
                self._group.Recv([block, self._mpi.BYTE], rank)
            at += sizes[rank]

    def _blocks(self, buffer: Any) -> Iterator[Any]:
        return (buffer[at:at + self.BLOCK]
                for at in range(0, len(buffer), self.BLOCK))


class Processes:
    """A group of processes on one machine, for programs that fork: made before,
    joined by each of them after. `timeout` is how many seconds a call waits
    while nothing comes.

        group = varve.Processes(2)
        comm = group.join(0 if os.fork() else 1)
    """

    def __init__(self, size: int, timeout: Optional[float] = None):
        options = ffi.new('varve_processes_options *')
        options.timeout_ms = int((timeout or 0) * 1000)
        self._handle = ffi.gc(call(lib.varve_processes_new, size, options),
                              lib.varve_processes_free)

    def join(self, rank: int) -> Communicator:
        """This process is that rank. The group ends with the communicator's
        close."""
        return Forked(self, call(lib.varve_processes_join, self._handle, rank))

    def close(self) -> None:
        """Leaves the group, as who only forks has to."""
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = None


class Forked(Communicator):
    """One of these processes."""

    def __init__(self, group: Processes, struct: Any):
        self.exception = None
        self._group = group
        self._struct = struct

    def close(self) -> None:
        super().close()
        self._group.close()
