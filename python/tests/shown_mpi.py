"""shown_mpi.py - Contains the program for many processes in docs/python.md.

SPDX-License-Identifier: MIT
"""
import numpy as np
import varve

from mpi4py import MPI

comm = varve.MpiCommunicator(MPI.COMM_WORLD)
first, end = (1000 * rank // comm.size for rank in (comm.rank, comm.rank + 1))
tree = {
    'table': varve.Slice(np.zeros((end - first, 64)), shape=(1000, 64),
                         start=(first, 0)),
    'step': 0,
}
try:
    with varve.restore(tree, 'run/heat', comm=comm) as restoration:
        with comm.together():          # what fails at one rank fails at all
            restoration.assert_consumed()
except varve.NotFoundError:
    pass                               # the first run: of all ranks
tree['table'].array += 1.0
tree['step'] += 1
varve.save(tree, 'run/heat', comm=comm)
comm.close()
