"""test_manager.py - a directory of checkpoints of one run.

SPDX-License-Identifier: MIT
"""
import os
import pathlib
import shutil
import unittest

import numpy as np

import varve
from place import Test


def state(value=0.0):
    return varve.Checkpoint(w=np.full(1000, value), step=0)


class Managing(Test):

    def run_to(self, last, **options):
        checkpoint = state()
        with varve.Manager(checkpoint, self.folder, **options) as manager:
            manager.resume()
            for step in range(checkpoint.step + 1, last + 1):
                checkpoint.w = checkpoint.w + 1
                checkpoint.step = step
                manager.save(step, metric=float(-step))
            manager.wait()
            return manager.checkpoints

    def test_a_run_goes_on_where_it_was(self):
        self.run_to(3, keep_last=2)
        found = self.run_to(5, keep_last=2)
        self.assertEqual([m.step for m in found], [4, 5])
        self.assertEqual(found[-1].metric, -5)
        self.assertIn('last 1', found[-1].kept)
        checkpoint = state()
        with varve.Manager(checkpoint, self.folder) as manager:
            manager.resume().assert_consumed()
            self.assertEqual(manager.latest, found[-1].path)
        self.assertEqual((checkpoint.step, checkpoint.w[0]), (5, 5.0))

    def test_in_the_background(self):
        found = self.run_to(4, keep_last=3, background=True,
                            write={'layered': True})
        self.assertEqual([m.step for m in found], [2, 3, 4])
        tree = {'w': np.zeros(1000), 'step': 0}
        varve.restore(tree, found[0].path)
        self.assertEqual((tree['step'], tree['w'][999]), (2, 2.0))

    def test_a_damaged_one_is_passed_over(self):
        found = self.run_to(2)
        with open(found[-1].path, 'r+b') as stream:
            stream.truncate(os.path.getsize(found[-1].path) - 9)
        checkpoint = state()
        with varve.Manager(checkpoint, self.folder) as manager:
            manager.resume()
            self.assertEqual(checkpoint.step, 1)
            self.assertIn(found[-1].path, manager.passed_over[0])

    def test_intervals_pins_and_nothing_to_resume(self):
        checkpoint = state()
        with varve.Manager(checkpoint, self.folder, keep_last=1,
                           interval_steps=10) as manager:
            self.assertIsNone(manager.resume())
            self.assertIsNone(manager.latest)
            self.assertIsNone(manager.save(1))
            path = manager.save(10, pin=True)
            self.assertIsNone(manager.save(15))
            self.assertTrue(manager.save(15, force=True))
            manager.request_save()
            self.assertTrue(manager.is_due(16))
            manager.save(16, metadata={'note': 'x'})
            self.assertEqual([m.step for m in manager.checkpoints], [10, 16])
            self.assertTrue(os.path.exists(path))
            manager.unpin(1)
            manager.prune()
            self.assertEqual([m.step for m in manager.checkpoints], [16])
            with self.assertRaises(varve.NotFoundError):
                manager.pin(77)
        with varve.open(self.path('ckpt')) as file:
            self.assertEqual(file.metadata['note'], 'x')
        with self.assertRaises(ValueError):
            manager.refresh()

    def test_levels_outlive_the_folder(self):
        blocker = pathlib.Path(self.path('file'))
        blocker.touch()
        levels = [{'directory': self.path('shared'), 'every_steps': 2},
                  {'directory': blocker / 'archive', 'keep_last': 1}]
        local = self.path('local')
        with varve.Manager(state(), local, keep_last=1,
                           levels=levels) as manager:
            for step in range(1, 6):
                manager.save(step)
                with self.fails(varve.NotFoundError, 'file/archive'):
                    manager.drain()
            shared, blocked = manager.levels
        self.assertEqual((shared.step, shared.waiting, shared.left_out),
                         (4, 0, 0))
        self.assertEqual(os.path.dirname(shared.latest), shared.directory)
        self.assertGreater(shared.copied, 2 * 8000)
        self.assertIsNone(shared.failure)
        self.assertEqual((blocked.latest, blocked.step), (None, None))
        self.assertIn('file/archive', blocked.failure)
        shutil.rmtree(local)
        with varve.Run(state(), local, levels=levels[:1]) as run:
            self.assertEqual(run.resumed_step, 4)
            self.assertEqual(list(run.steps(6)), [5, 6])
        with self.fails(TypeError, 'fast'):
            varve.Manager(state(), local, levels=[{'fast': 1}])

    def test_what_fails(self):
        with self.assertRaises(varve.MisuseError):
            varve.Manager(state(), self.folder, prefix='a/b')
        with self.fails(TypeError, 'no_such'):
            varve.Manager(state(), self.folder, no_such=1)
        with varve.Manager(state(), self.folder) as manager:
            manager.save(1)
            other = varve.Checkpoint(w=np.zeros(3))
            with self.assertRaises(varve.SystemError):
                varve.Manager(other, self.folder)
            with varve.Manager(other, self.folder, read_only=True) as second:
                with self.assertRaises(varve.MismatchError):
                    second.resume()
                with self.assertRaises(varve.MisuseError):
                    second.save(2)


if __name__ == '__main__':
    unittest.main()
