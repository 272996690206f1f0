"""communicator.py - Connects processes that save and restore one checkpoint.

A communicator is the library's table of functions with the functions of a
Python object: mpi4py, or an object of the program. The communicator of the
library for forked processes is also here.

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
    """Processes that make collective calls. A subclass defines `agree`,
    `gather`, `gather_varied`, `broadcast` and `barrier` as described in
    varve/comm.h, and calls `_begin`. If one of them raises an exception, the
    call fails at all ranks with `DISCONNECTED`; at the rank that raised it,
    the exception is the cause of the error."""

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
        """The communicator of the library."""
        if self._struct is None:
            raise ValueError('the communicator is closed')
        return self._struct

    @property
    def rank(self) -> int:
        """The rank of this process, from 0."""
        return int(self.handle.rank)

    @property
    def size(self) -> int:
        """The number of processes."""
        return int(self.handle.size)

    def close(self) -> None:
        """Frees the communicator. Collective."""
        self._struct = None

    def __enter__(self) -> 'Communicator':
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def any(self, wanted: bool) -> bool:
        """Returns true if `wanted` is true at any rank."""
        return bool(lib.varve_any(self.handle, wanted))

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """If the block fails at one rank, it fails at all ranks, with the
        error of the lowest one. So no rank waits for another that has failed.

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
        """Calls a function whose first argument is a communicator and whose
        last argument is an error."""
        try:
            return call(function, self.handle, *arguments)
        except Error as error:
            raise error from self.exception


def together(comm: Optional[Communicator]) -> Any:
    """Returns comm.together(), or an empty context if `comm` is None."""
    return comm.together() if comm else contextlib.nullcontext()


class MpiCommunicator(Communicator):
    """The processes of a communicator of mpi4py, which is duplicated. Creating
    and closing it are collective.

        comm = varve.MpiCommunicator(MPI.COMM_WORLD)
        varve.save(tree, 'run/net', comm=comm)
    """

    BLOCK = 1 << 30   # counts of MPI are ints
    SMALL = 64 << 10  # larger data is sent one rank after the other

    def __init__(self, group: Any):
        # pylint: disable-next=import-outside-toplevel
        from mpi4py import MPI  # type: ignore[import-not-found,unused-ignore]
        self._mpi = MPI
        self._group = group.Dup()
        self._group.Set_errhandler(MPI.ERRORS_RETURN)
        machine = self._group.Split_type(MPI.COMM_TYPE_SHARED)
        node = machine.bcast(self._group.rank)  # its lowest rank
        machine.Free()
        self._begin(self._group.rank, self._group.size, node)

    def close(self) -> None:
        if self._struct is not None:
            self._group.Free()
        super().close()

    def agree(self, value: int) -> int:
        """Returns the largest value of all ranks. The values are sent as signed
        numbers, because MPICH 4.0 compares only those."""
        largest = bytearray(8)
        self._group.Allreduce(
            [(value - 2**63).to_bytes(8, sys.byteorder, signed=True),
             self._mpi.INT64_T], [largest, self._mpi.INT64_T],
            op=self._mpi.MAX)
        return int.from_bytes(largest, sys.byteorder, signed=True) + 2**63

    def barrier(self) -> None:
        """Waits for all ranks."""
        self._group.Barrier()

    def broadcast(self, buffer: Any) -> None:
        """Sends the bytes of rank 0 to all ranks."""
        for block in self._blocks(buffer):
            self._group.Bcast([block, self._mpi.BYTE])

    def gather(self, mine: Any, everything: Any) -> None:
        """Gathers the bytes of all ranks at rank 0."""
        if len(mine) > self.SMALL:
            self.gather_varied(mine, everything, [len(mine)] * self.size)
            return
        self._group.Gather(
            [mine, self._mpi.BYTE],
            None if everything is None else [everything, self._mpi.BYTE])

    def gather_varied(self, mine: Any, everything: Any,
                      sizes: Optional[Sequence[int]]) -> None:
        """The same for different sizes, which rank 0 passes."""
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
    """A group of processes on one machine, for programs that fork: create it
    before the fork, and join it in each process. A call fails after `timeout`
    seconds without data from another process.

        group = varve.Processes(2)
        comm = group.join(0 if os.fork() else 1)
    """

    def __init__(self, size: int, timeout: Optional[float] = None):
        options = ffi.new('varve_processes_options *')
        options.timeout_ms = int((timeout or 0) * 1000)
        self._handle = ffi.gc(call(lib.varve_processes_new, size, options),
                              lib.varve_processes_free)

    def join(self, rank: int) -> Communicator:
        """Returns the communicator of this process, which gets that rank.
        Closing the communicator frees the group."""
        return Forked(self, call(lib.varve_processes_join, self._handle, rank))

    def close(self) -> None:
        """Leaves the group without joining it. Call it in a process that only
        forks."""
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = None


class Forked(Communicator):
    """The communicator of a forked process."""

    def __init__(self, group: Processes, struct: Any):
        self.exception = None
        self._group = group
        self._struct = struct

    def close(self) -> None:
        super().close()
        self._group.close()
