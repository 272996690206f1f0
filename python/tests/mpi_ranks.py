"""mpi_ranks.py - Runs one rank of a test of test_together.py under mpirun.

    mpi_ranks.py FUNCTION [PLACE]

SPDX-License-Identifier: MIT
"""
import sys

from mpi4py import MPI

import ranks
import varve


class Small(varve.MpiCommunicator):
    """Sends all data in several blocks."""

    BLOCK, SMALL = 100, 30


def functions():
    """Tests the largest numbers, and sizes below and above a block."""
    for kind in varve.MpiCommunicator, Small:
        with kind(MPI.COMM_WORLD) as comm:
            for value, expected in (comm.rank, comm.size - 1), \
                    (2**64 - 1 - comm.rank, 2**64 - 1), (0, 0), \
                    (2**63 if comm.rank else 1, 2**63):
                assert comm.agree(value) == expected
            for size in 0, 1, 30, 31, 250:
                check_gather(comm, size)
            comm.barrier()


def check_gather(comm, size):
    own = bytes([comm.rank + 1]) * size
    is_first = comm.rank == 0
    room = bytearray(size * comm.size) if is_first else None
    comm.gather(memoryview(own), room and memoryview(room))
    assert not is_first or room == b''.join(
        bytes([rank + 1]) * size for rank in range(comm.size))
    sizes = [size + rank for rank in range(comm.size)]
    room = bytearray(sum(sizes)) if is_first else None
    comm.gather_varied(memoryview(own + bytes(comm.rank)),
                       room and memoryview(room), sizes if is_first else None)
    assert not is_first or room == b''.join(
        bytes([rank + 1]) * size + bytes(rank) for rank in range(comm.size))
    data = bytearray(own)
    comm.broadcast(memoryview(data))
    assert data == b'\1' * size


def main(name, *place):
    if not place:
        functions()
        return
    with varve.MpiCommunicator(MPI.COMM_WORLD) as comm:
        getattr(ranks, name)(comm, *place)


main(*sys.argv[1:])
