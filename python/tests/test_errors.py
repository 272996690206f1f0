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
