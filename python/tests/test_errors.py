"""test_errors.py - Tests exceptions in other processes, and from signals.

SPDX-License-Identifier: MIT
"""
import concurrent.futures
import copy
import multiprocessing
import os
import pickle
import signal
import unittest

import numpy as np

import varve
from place import Test


class Errors(Test):

    def test_all_errors_can_be_pickled_and_copied(self):
        for status in varve.Status:
            error = varve.errors.error_of(status, 'what: why', 5)
            for other in pickle.loads(pickle.dumps(error)), copy.copy(error):
                self.assertIs(type(other), type(error))
                self.assertEqual((other.status, other.message,
                                  other.system_error, str(other)),
                                 (status, 'what: why', 5, 'what: why'))

    def test_an_error_in_a_worker_process_is_raised_by_the_parent(self):
        context = multiprocessing.get_context('spawn')
        with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
            with self.fails(varve.NotFoundError, 'nowhere'):
                pool.submit(varve.load, 'nowhere.varve').result(timeout=60)
            self.assertEqual(pool.submit(abs, -1).result(timeout=60), 1)

    def test_a_too_new_file_is_not_reported_as_damaged(self):
        error = varve.errors.error_of(varve.Status.TOO_NEW, '')
        self.assertIsInstance(error, varve.UnsupportedError)
        self.assertNotIsInstance(error, varve.DamagedError)


    def test_a_partial_restoration_is_damage_and_a_mismatch(self):
        error = varve.errors.error_of(varve.Status.PARTIALLY_RESTORED, '')
        self.assertIs(type(error), varve.PartiallyRestoredError)
        self.assertIsInstance(error, varve.DamagedError)
        self.assertIsInstance(error, varve.MismatchError)


class Remedies(Test):
    """Tests that messages name options and values of Python."""

    def test_two_arrays_share_memory(self):
        whole = np.zeros(4)
        with self.fails(varve.MisuseError, 'b: shares memory with a: remove '
                        'one of them, or add its name to __varve_ignore__ of '
                        'its class$'):
            varve.write({'a': whole, 'b': whole[1:]}, self.path())
        with self.fails(varve.MisuseError, 'b: has the same memory as a: to '
                        'save one array under two names, set the same object '
                        'under both$'):
            varve.write({'a': whole, 'b': whole[:]}, self.path())

    def test_a_rename_file_that_is_missing(self):
        with self.fails(varve.NotFoundError, '^rename_file: nofile.txt: '):
            varve.Manager(varve.Checkpoint(n=1), self.path('run'),
                          read={'rename_file': 'nofile.txt'})

    def test_an_unknown_format(self):
        with self.fails(ValueError, "^'numpy' is not a format: use 'varve', ",
                        "'safetensors', ", "'npz'", "'hdf5'$"):
            varve.write({'n': 1}, self.path(), format='numpy')

    def test_numbers_of_derived_classes(self):
        for base in int, float, complex:
            class Derived(base):
                """A number with a name."""
            with self.fails(varve.MisuseError, 'n: cannot save Derived: save '
                            fr'{base.__name__}\(x\)$'):
                varve.write({'n': Derived(1)}, self.path())

    def test_masked_arrays(self):
        masked = np.ma.array([1.0, 2.0], mask=[True, False])
        with self.fails(varve.MisuseError, 'm: cannot save MaskedArray: '
                        'save its .data and .mask by name$'):
            varve.write({'m': masked}, self.path())

    def test_steps_and_metrics_that_are_none(self):
        run = varve.Run(varve.Checkpoint(n=1), self.path('run'))
        with run:
            with self.fails(TypeError, '^step: an integer is required, not '
                            'float$'):
                run.step(1.5)
            with self.fails(TypeError, '^metric: a number is required, not '
                            'str$'):
                run.step(1, metric='x')
            with self.fails(TypeError, '^step: an integer'):
                run.manager.save(1.5)
            with self.fails(TypeError, '^step: an integer'):
                run.manager.is_due('1')
            with self.fails(TypeError, '^metric: a number'):
                run.manager.save(1, metric=[1])
            self.assertTrue(run.step(np.int32(2), metric=np.float32(1)))
        for call in lambda: run.step(3), lambda: list(run.steps(4)), \
                run.check_resume:
            with self.fails(varve.MisuseError, '^Run: the run has ended$'):
                call()

    def test_the_parts_of_a_file(self):
        varve.write({'net': {'layers': [np.ones(2), 5]}}, self.path())
        with varve.open(self.path()) as file:
            with self.fails(IndexError, '^net/layers is a list, not an array: '
                            r"use file\['net/layers/0'\]$"):
                _ = file['net/layers'][0]
            with self.fails(IndexError, '^net is a dict, not an array: '
                            r"use file\['net/layers'\]$"):
                _ = file['net'][0:1]
            with self.fails(IndexError, '^net/layers/0: an index must be an '
                            'integer or a slice, not float$'):
                _ = file['net/layers/0'][1.5]


class Interrupts(Test):
    """Tests Ctrl-C during a call of the library."""

    def setUp(self):
        super().setUp()
        self.tree = {f'w{i}': np.zeros(1 << 18) for i in range(8)}

    def interrupt(self, *_):
        """Raises the exception of Ctrl-C."""
        os.kill(os.getpid(), signal.SIGINT)
        return False

    def test_an_interrupt_in_a_progress_function(self):
        with self.assertRaises(KeyboardInterrupt):
            varve.write(self.tree, self.path(), progress=self.interrupt)
        self.assertFalse(os.path.exists(self.path()))

    def test_an_interrupt_at_the_start_of_a_callback(self):
        for options in {}, {'progress': lambda *_: False}:
            with self.assertRaises(KeyboardInterrupt):
                with Timer():
                    for _ in range(1000):
                        varve.write(self.tree, self.path(), **options)
            varve.write(self.tree, self.path())
            with self.assertRaises(KeyboardInterrupt):
                with Timer():
                    for _ in range(1000):
                        varve.restore(self.tree, self.path(), **options)
            self.assertEqual(varve.load(self.path(), map=True)['w0'][0], 0)


class Timer:
    """Sends SIGINT a moment later."""

    def __enter__(self):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.05)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


if __name__ == '__main__':
    unittest.main()
