"""test_manager.py - Tests directories of checkpoints.

SPDX-License-Identifier: MIT
"""
import os
import pathlib
import shutil
import threading
import time
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

    def test_a_run_resumes_at_its_last_step(self):
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

    def test_asynchronous_saves(self):
        found = self.run_to(4, keep_last=3, background=True,
                            write={'incremental': True})
        self.assertEqual([m.step for m in found], [2, 3, 4])
        tree = {'w': np.zeros(1000), 'step': 0}
        varve.restore(tree, found[0].path)
        self.assertEqual((tree['step'], tree['w'][999]), (2, 2.0))

    def test_a_damaged_checkpoint_is_skipped(self):
        found = self.run_to(2)
        with open(found[-1].path, 'r+b') as stream:
            stream.truncate(os.path.getsize(found[-1].path) - 9)
        checkpoint = state()
        with varve.Manager(checkpoint, self.folder) as manager:
            manager.resume()
            self.assertEqual(checkpoint.step, 1)
            self.assertIn(found[-1].path, manager.skipped[0])

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

    def test_a_level_restores_a_deleted_directory(self):
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

    def test_errors_are_raised(self):
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


class Together(Test):
    """Several managers of one directory."""

    def test_a_second_manager_is_refused_with_its_prefix(self):
        with varve.Manager(state(), self.folder, run='first') as manager:
            self.assertEqual(manager.run, 'first')
            with self.fails(varve.SystemError, f'process {os.getpid()} on',
                            'run first', 'read_only') as caught:
                varve.Manager(state(), self.folder, lock_seconds=0.1)
            self.assertEqual(caught.exception.status, varve.Status.EXISTS)
            with varve.Manager(state(), self.folder, prefix='other'):
                manager.save(1)
        with varve.Manager(state(), self.folder, run='second') as manager:
            self.assertEqual(manager.checkpoints[0].run, 'first')

    def test_a_first_save_without_a_resume_fails_beside_another_run(self):
        with varve.Manager(state(1.0), self.folder, keep_last=1) as manager:
            manager.save(1)
        with varve.Manager(state(2.0), self.folder, keep_last=1) as manager:
            with self.fails(varve.SystemError, 'saved by an earlier run',
                            'resume before the first save') as caught:
                manager.save(1)
            self.assertEqual(caught.exception.status, varve.Status.EXISTS)
        with varve.Manager(state(2.0), self.folder, keep_last=1,
                           may_start_new_run=True) as manager:
            for step in 1, 2:
                manager.save(step)
            self.assertEqual([found.number for found in manager.checkpoints],
                             [1, 3])

    def test_an_identity_must_be_one_word(self):
        with self.fails(varve.MisuseError, 'two words'):
            varve.Manager(state(), self.folder, run='two words')
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_manager_waits_for_the_lock_of_another(self):
        first = varve.Manager(state(), self.folder)
        first.save(1)
        begun = time.monotonic()
        timer = threading.Timer(0.3, first.close)
        timer.start()
        with varve.Manager(state(), self.folder, lock_seconds=-1) as second:
            self.assertGreater(time.monotonic() - begun, 0.2)
            self.assertEqual(second.resume().metadata('step'), 1)
        timer.join()

    def test_a_read_only_manager_works_while_another_writes(self):
        watcher = state()
        with varve.Manager(state(5.0), self.folder, keep_last=1) as writer:
            with varve.Manager(watcher, self.folder,
                               read_only=True) as reader:
                with self.fails(varve.NotFoundError, 'read_only'):
                    reader.resume()
                writer.save(1)
                writer.save(2)
                self.assertEqual(reader.checkpoints, [])
                reader.resume()
                self.assertEqual(watcher.w[0], 5.0)
                self.assertEqual([m.step for m in reader.checkpoints], [2])
                for change in lambda: reader.save(3), reader.prune:
                    with self.fails(varve.MisuseError, 'read-only'):
                        change()
                reader.pin(2)
                writer.save(3)
                self.assertEqual([m.step for m in writer.checkpoints], [2, 3])
            writer.save(4)
            self.assertEqual([m.step for m in writer.checkpoints], [2, 4])

    def test_a_read_only_manager_creates_no_directory_or_file(self):
        with varve.Manager(state(), self.path('none'), read_only=True) as one:
            self.assertEqual(one.checkpoints, [])
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_failed_manager_leaves_no_lock(self):
        with self.fails(varve.NotFoundError, 'must_resume'):
            varve.Manager(state(), self.path('none'), must_resume=True)
        self.assertFalse(os.path.exists(self.path('none')))
        with self.fails(varve.NotFoundError, 'must_resume'):
            with varve.Manager(state(), self.folder,
                               must_resume=True) as manager:
                manager.resume()
        with varve.Manager(state(), self.folder) as manager:
            manager.save(1)
        other = varve.Checkpoint(different=1.0)
        with self.fails(varve.UnmatchedError, 'of another'):
            with varve.Run(other, self.folder):
                pass
        with varve.Manager(state(), self.folder, must_resume=True) as manager:
            self.assertEqual(manager.resume().metadata('step'), 1)

    def test_a_forked_child_holds_no_lock(self):
        manager = varve.Manager(state(), self.folder)
        wait, end = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(end)
            os.read(wait, 1)
            os._exit(0)
        manager.close()
        try:
            with varve.Manager(state(), self.folder) as second:
                second.save(1)
        finally:
            os.close(wait)
            os.close(end)
            os.waitpid(child, 0)

    def test_checkpoints_contain_the_identity_of_their_run(self):
        with varve.Manager(state(), self.folder) as manager:
            self.assertEqual(len(manager.run), 26)
            first = manager.run
            manager.save(1)
            manager.save(2)
            one, two = manager.checkpoints
        self.assertEqual((one.run, two.run, one.parent), (first, first, None))
        self.assertNotEqual(one.identity, two.identity)
        checkpoint = state()
        level = {'directory': self.path('level')}
        with varve.Manager(checkpoint, self.folder, levels=[level]) as manager:
            manager.resume()
            self.assertNotEqual(manager.run, first)
            manager.save(3)
            manager.drain()
            three = manager.checkpoints[-1]
            self.assertEqual((three.run, three.parent),
                             (manager.run, two.identity))
        with varve.open(three.path) as file:
            self.assertEqual(file.metadata['varve.run'], three.run)
            self.assertEqual(
                file.metadata['varve.parent'].split()[:4],
                [f'{two.identity:016x}', first, '2', str(two.counter)])
        with varve.Manager(state(), self.path('level'),
                           read_only=True) as manager:
            self.assertEqual(manager.checkpoints[-1].identity, three.identity)

    def test_a_resume_fails_if_listed_checkpoints_are_missing(self):
        with varve.Manager(state(), self.folder) as manager:
            path = manager.save(1)
        os.remove(path)
        with self.fails(varve.SystemError, 'ckpt.ledger lists ckpt-1.varve'):
            with varve.Manager(state(), self.folder) as manager:
                manager.resume()
        os.remove(self.path('ckpt.ledger'))
        with varve.Manager(state(), self.folder) as manager:
            self.assertIsNone(manager.resume())

    def test_an_unreadable_newer_checkpoint_is_an_error(self):
        level = pathlib.Path(self.path('level'))
        with varve.Manager(state(), self.path('own')) as manager:
            manager.save(1)
        level.touch()  # no directory: it cannot be listed
        levels = [{'directory': str(level / 'below')}]
        with self.fails(varve.Error, 'may_resume_older'):
            with varve.Manager(state(), self.path('own'),
                               levels=levels) as manager:
                manager.resume()
        with varve.Manager(state(), self.path('own'), levels=levels,
                           may_resume_older=True) as manager:
            self.assertEqual(manager.resume().metadata('step'), 1)
            self.assertIn('below', manager.skipped[0])


if __name__ == '__main__':
    unittest.main()
