"""test_together.py - Tests parts of sharded values, and collective calls of
forked processes and of MPI, if it is installed.

SPDX-License-Identifier: MIT
"""
import importlib.util
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import numpy as np

import ranks
import varve
from place import Test

HERE = pathlib.Path(__file__).resolve().parent
MPI_RUN = HERE.parents[1] / 'tests' / 'mpi' / 'run.sh'
ALONE = '''
import sys, ranks, varve
with varve.Processes(1).join(0) as comm:
    getattr(ranks, sys.argv[1])(comm, sys.argv[2])
'''


class Slices(Test):

    def test_are_restored_with_their_part(self):
        varve.write({'t': ranks.whole(), 'n': np.arange(5)}, self.path())
        big = np.zeros((3, 8))
        tree = {'t': varve.Slice(big[:, ::-3], (11, 3), (4, 0)),
                'n': varve.Slice(np.zeros(0, 'i8'), (5,), (5,)),
                'again': varve.Slice(np.zeros((1, 1), '>f8'), (11, 3), (10, 2))}
        with varve.restore(tree, self.path(), renames={'again': 't'},
                           copy_shared=True) as restoration:
            restoration.assert_existing_objects_matched()
        np.testing.assert_array_equal(tree['t'].array, ranks.whole()[4:7])
        self.assertEqual(big.sum(), ranks.whole()[4:7].sum())
        self.assertEqual(tree['again'].array[0, 0], 32)

    def test_that_cover_a_value_are_saved(self):
        varve.write({'t': varve.Slice(np.ones(3), [3], [0])}, self.path())
        self.assertEqual(varve.load(self.path())['t'].tolist(), [1, 1, 1])
        part = {'t': varve.Slice(np.ones(3), [4], [0])}
        for write in varve.write, varve.save:
            with self.fails(varve.MisuseError,
                            't: a shard of .* cannot be saved alone: ',
                            r'only a call with a communicator \(`comm`\)'):
                write(part, self.path())

    def test_added_later_and_changed_are_restored(self):
        varve.write({'t': np.arange(9.0)}, self.path())
        checkpoint = varve.Checkpoint()
        restoration = checkpoint.restore(self.path())
        checkpoint.t = varve.Slice(np.zeros(2), (9,), (3,))
        self.assertEqual(checkpoint.t.array.tolist(), [3, 4])
        restoration.close()
        checkpoint.t = varve.Slice(np.zeros(3), (9,), (6,))
        checkpoint.restore(self.path()).assert_consumed()
        self.assertEqual(checkpoint.t.array.tolist(), [6, 7, 8])

    def test_invalid_slices_are_refused(self):
        for shape, start in ((3,), (1,)), ((3, 3), (0,)), ((4,), (-1,)):
            with self.fails(varve.MisuseError, 'invalid slice: '):
                varve.Slice(np.zeros(3), shape, start)
        for array in np.array(['a', 'b']), np.zeros(2, 'M8[s]'):
            with self.fails(varve.MisuseError, 'bad: '):
                varve.write({'bad': varve.Slice(array, (2,), (0,))},
                            self.path())
        fixed = np.zeros(2)
        fixed.flags.writeable = False
        varve.write({'a': np.zeros(2)}, self.path())
        with self.fails(varve.MisuseError, 'a: ', 'read-only'):
            varve.restore({'a': varve.Slice(fixed, (2,), (0,))}, self.path())


def of_rank(group, rank, name, place):
    with group.join(rank) as comm:
        getattr(ranks, name)(comm, place)


class Forked(Test):

    def run_ranks(self, count, name, place):
        group = varve.Processes(count, timeout=60)
        context = multiprocessing.get_context('fork')
        workers = [context.Process(target=of_rank,
                                   args=(group, rank, name, place))
                   for rank in range(count)]
        for worker in workers:
            worker.start()
        group.close()
        for worker in workers:
            worker.join(60)
            self.assertEqual(worker.exitcode, 0)

    def test_save_and_another_number_of_ranks_restores(self):
        prefix = self.path('run/a')
        self.run_ranks(3, 'save', prefix)
        np.testing.assert_array_equal(
            varve.load(varve.latest(prefix))['turned'], ranks.whole())
        for count in 1, 2, 4:
            self.run_ranks(count, 'restore', prefix)
        varve.save({'table': ranks.whole(), 'turned': ranks.whole(), 'step': 7,
                    'names': np.array(['a', 'bcd'])}, prefix)
        self.run_ranks(2, 'restore', prefix)

    def test_a_failure_of_one_rank_is_raised_on_all(self):
        self.run_ranks(3, 'everything', self.folder)

    def test_a_lost_rank_is_reported(self):
        group = varve.Processes(2)
        child = os.fork()
        if child == 0:
            os._exit(0)
        with group.join(0) as comm:
            with self.assertRaises(varve.WaitError) as caught:
                varve.save({'a': 1}, self.path(), comm=comm)
        self.assertEqual(caught.exception.status, varve.Status.DISCONNECTED)
        os.waitpid(child, 0)


class Broken(varve.Communicator):
    """A single process whose functions fail after `left` calls."""

    def __init__(self, left):
        self.left = left
        self._begin(0, 1)

    def _use(self):
        self.left -= 1
        if self.left < 0:
            raise ConnectionError('the wire is cut')

    def agree(self, value):
        self._use()
        return value

    def gather(self, mine, everything):
        self._use()
        everything[:] = mine

    def gather_varied(self, mine, everything, sizes):
        self._use()
        everything[:] = mine

    def broadcast(self, buffer):
        self._use()

    def barrier(self):
        self._use()


class Own(Test):
    """A communicator that the program defines."""

    def test_fails_as_disconnected_with_its_cause(self):
        for left in range(1000):
            comm = Broken(left)
            try:
                varve.save({'a': 1}, self.path('a'), comm=comm)
                break
            except varve.WaitError as error:
                self.assertEqual(error.status, varve.Status.DISCONNECTED)
                self.assertIsInstance(error.__cause__, ConnectionError)
            with self.assertRaises(varve.WaitError):
                varve.save({'a': 1}, self.path('a'), comm=comm)
        self.assertTrue(3 < left < 1000)
        varve.restore({'a': 0}, self.path('a'), comm=Broken(1000))

    def test_is_not_used_after_close(self):
        comm = Broken(5)
        comm.close()
        with self.assertRaises(ValueError):
            varve.save({'a': 1}, self.path('a'), comm=comm)


@unittest.skipUnless(importlib.util.find_spec('mpi4py') and
                     shutil.which('mpirun') and MPI_RUN.exists(),
                     'there is no mpi4py, or no mpirun')
class Mpi(Test):

    def run_ranks(self, count, name, *arguments):
        """Runs a program under mpirun, by a script, because run.sh takes one
        argument."""
        script = self.path('program')
        with open(script, 'w', encoding='utf-8') as stream:
            stream.write(f'#!/bin/sh\nexec "{sys.executable}" -B '
                         f'"{HERE / name}" {" ".join(arguments)}\n')
        os.chmod(script, 0o755)
        result = subprocess.run(
            ['bash', MPI_RUN, shutil.which('mpirun'), str(count), script],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_save_and_another_number_of_ranks_restores(self):
        prefix = self.path('a')
        self.run_ranks(3, 'mpi_ranks.py', 'save', prefix)
        np.testing.assert_array_equal(
            varve.load(varve.latest(prefix))['table'], ranks.whole())
        self.run_ranks(2, 'mpi_ranks.py', 'restore', prefix)
        subprocess.run([sys.executable, '-B', '-c', ALONE, 'restore', prefix],
                       cwd=HERE, check=True)
        varve.save({'table': ranks.whole(), 'turned': ranks.whole(), 'step': 7,
                    'names': np.array(['a', 'bcd'])}, prefix)
        self.run_ranks(4, 'mpi_ranks.py', 'restore', prefix)

    def test_a_failure_of_one_rank_is_raised_on_all(self):
        self.run_ranks(2, 'mpi_ranks.py', 'everything', self.folder)

    def test_communicator_functions_meet_their_contract(self):
        self.run_ranks(3, 'mpi_ranks.py', 'functions')

    def test_the_example_of_the_page(self):
        for count in 2, 3:
            self.run_ranks(count, 'shown_mpi.py')
        found = varve.load(varve.latest(self.path('run/heat')))
        self.assertEqual((found['step'], found['table'].sum()), (2, 128000))


if __name__ == '__main__':
    unittest.main()
