"""test_run.py - Kills, stops and fails programs with a training loop.

SPDX-License-Identifier: MIT
"""
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import unittest

import numpy as np

import varve
from place import Test

PROGRAM = '''
import os, signal, sys
import numpy as np
import varve

folder, end, doom, at = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
ckpt = varve.Checkpoint(w=np.zeros(100), step=0)
with varve.Run(ckpt, folder, interval_steps=10, keep_last=2,
               handle_signals=True) as run:
    for ckpt.step in run.steps(end):
        ckpt.w += ckpt.step
        if ckpt.step == int(at) and not run.is_resumed:
            os.kill(os.getpid(), getattr(signal, doom))
print(ckpt.step, ckpt.w[0])
'''


def state(value=0.0):
    return varve.Checkpoint(w=np.full(10, value), step=0)


def together_body(group, rank, folder):
    comm = group.join(rank)
    ckpt = state()
    with varve.Run(ckpt, folder, interval_steps=100, comm=comm) as run:
        for ckpt.step in run.steps(10):
            ckpt.w += 1
            if rank == 1 and ckpt.step == 3:
                run.stop()
    assert ckpt.step == 3, ckpt.step
    sys.exit(0)


class Running(Test):

    def run_to(self, end, **options):
        ckpt = state()
        with varve.Run(ckpt, self.folder, **options) as run:
            for ckpt.step in run.steps(end):
                ckpt.w += ckpt.step
            return ckpt, run

    def saved(self):
        with varve.Manager(state(), self.folder) as manager:
            return [managed.step for managed in manager.checkpoints]

    def in_a_process(self, end, doom, at):
        return subprocess.run(
            [sys.executable, '-c', PROGRAM, self.folder, str(end), doom,
             str(at)], stdout=subprocess.PIPE, text=True, check=False)

    def test_resumes_at_its_last_step(self):
        first, run = self.run_to(13, interval_steps=10)
        self.assertFalse(run.is_resumed)
        self.assertEqual(self.saved(), [10, 13])
        again, run = self.run_to(25, interval_steps=10)
        self.assertTrue(run.is_resumed)
        self.assertEqual(run.resumed_step, 13)
        self.assertEqual(again.w[0], sum(range(26)))
        self.assertEqual(self.saved(), [10, 13, 20, 25])
        self.assertEqual(first.w[0], sum(range(14)))

    def test_must_be_entered(self):
        """Without this check it would start from scratch and delete the
        checkpoints."""
        with varve.Run(state(), self.path('run'), keep_last=1) as run:
            run.step(50)
        run = varve.Run(state(), self.path('run'), keep_last=1)
        for call in lambda: list(run.steps(2)), lambda: run.step(51):
            with self.assertRaisesRegex(varve.MisuseError, 'enter it by'):
                call()
        self.assertTrue(os.path.exists(self.path('run/ckpt-1.varve')))

    def test_ignores_metadata_that_is_not_a_valid_step(self):
        for step in -1, 1.5, True, 'one':
            varve.write({'w': np.zeros(10), 'step': 0},
                        self.path('ckpt-1.varve'), metadata={'step': step})
            with varve.Run(state(), self.folder, last_save=False) as run:
                self.assertTrue(run.is_resumed)
                self.assertIsNone(run.resumed_step)

    def test_resumes_after_a_kill(self):
        wanted = f'20 {float(sum(range(21)))}'
        killed = self.in_a_process(20, 'SIGKILL', 14)
        self.assertEqual(killed.returncode, -signal.SIGKILL)
        self.assertEqual(self.saved(), [10])
        done = self.in_a_process(20, 'SIGKILL', 14)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, wanted))

    def test_saves_the_step_in_which_a_stop_is_requested(self):
        for doom in 'SIGTERM', 'SIGINT':
            told = self.in_a_process(20, doom, 14)
            self.assertEqual(told.returncode, 0, told)
            self.assertEqual(told.stdout.split()[0], '14')
            self.assertEqual(self.saved()[-1], 14)
            for name in os.listdir(self.folder):
                os.remove(self.path(name))

    def test_restores_signal_handlers(self):
        before = [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)]
        with varve.Run(state(), self.folder, handle_signals=True) as run:
            self.assertNotEqual(signal.getsignal(signal.SIGTERM), before[0])
            os.kill(os.getpid(), signal.SIGINT)
            self.assertFalse(run.should_continue())
            with self.assertRaises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
                signal.pause()
        self.assertEqual(before, [signal.getsignal(n) for n in
                                  (signal.SIGTERM, signal.SIGINT)])

    def test_changes_no_signal_handlers_unless_requested(self):
        before = signal.getsignal(signal.SIGTERM)
        with varve.Run(state(), self.folder):
            self.assertEqual(signal.getsignal(signal.SIGTERM), before)

    def test_an_exception_prevents_the_final_save(self):
        ckpt = state()
        with self.fails(KeyError, 'mine'):
            with varve.Run(ckpt, self.folder, interval_steps=10,
                           background=True) as run:
                for ckpt.step in run.steps(20):
                    if ckpt.step == 15:
                        raise KeyError('mine')
        self.assertEqual(self.saved(), [10])

    def test_an_asynchronous_failure_does_not_hide_an_exception(self):
        ckpt = state()
        with self.fails(KeyError, 'mine') as caught:
            with varve.Run(ckpt, self.folder, background=True,
                           write={'progress': lambda *_: True}) as run:
                run.step(1)
                raise KeyError('mine')
        self.assertIsInstance(caught.exception.__context__, varve.Error)

    def test_a_failed_save_is_raised(self):
        with self.fails(varve.StoppedError):
            with varve.Run(state(), self.folder,
                           write={'progress': lambda *_: True}) as run:
                run.step(1)

    def test_the_first_failure_is_raised_again(self):
        fails = [True]
        with self.fails(varve.StoppedError):
            with varve.Run(state(), self.folder,
                           write={'progress': lambda *_: fails[0]}) as run:
                with self.fails(varve.StoppedError):
                    run.step(1)
                fails[0] = False
                self.assertFalse(run.should_continue())
                with self.fails(varve.StoppedError):
                    run.step(2)
        self.assertEqual(self.saved(), [])

    def test_force_saves_at_any_step(self):
        with varve.Run(state(), self.folder, interval_steps=10) as run:
            self.assertTrue(run.step(3, force=True).endswith('ckpt-1.varve'))
        self.assertEqual(self.saved(), [3])

    def test_pins_and_warns(self):
        with varve.Run(state(), self.folder, keep_last=1) as run:
            run.step(1, pin=True)
            run.step(2)
            run.step(3)
            self.assertIsNone(run.warning)
        self.assertEqual(self.saved(), [1, 3])
        path = os.path.join(self.folder, 'ckpt-3.varve')
        with open(path, 'r+b') as file:
            file.seek(70)
            file.write(b'damaged')
        with self.assertWarnsRegex(RuntimeWarning, 'skipped.*ckpt-3.varve'), \
                varve.Run(state(), self.folder, last_save=False) as run:
            self.assertEqual(run.resumed_step, 1)
            self.assertIn(path, run.warning)
        self.assertIn(path, run.warning)

    def test_a_loop_that_is_left_in_a_step_fails_and_saves_nothing(self):
        for way in 'break', 'zip', 'another loop':
            with self.subTest(way):
                folder = self.path(way)
                now = state()
                with self.fails(varve.MisuseError, 'step 3, which is neither',
                                r'call step\(3\) if it is complete'):
                    with varve.Run(now, folder, interval_steps=2) as run:
                        if way == 'zip':
                            for _ in zip('abc', run.steps(9)):
                                pass
                        else:
                            for step in run.steps(9):
                                if step == 3:
                                    break
                        if way == 'another loop':
                            next(run.steps(9))
                with varve.Run(now, folder, last_save=False) as run:
                    self.assertEqual(run.resumed_step, 2)

    def test_a_step_that_is_complete_may_end_the_loop(self):
        with varve.Run(state(), self.folder, interval_steps=10) as run:
            for _, step in zip('abc', run.steps(9)):
                pass
            run.step(step)
            self.assertEqual(list(run.steps(6)), [4, 5, 6])
            self.assertEqual(list(run.steps(6)), [])
        self.assertEqual(self.saved(), [6])

    def test_the_warning_of_the_last_save_is_kept(self):
        with varve.Run(state(), self.folder, keep_last=1,
                       keep_best=1) as run:
            run.step(1)
            run.step(2)
        self.assertIn('keep_best keeps none', run.warning)

    def test_refuses_the_directory_of_another_program(self):
        self.run_to(3)
        names = sorted(os.listdir(self.folder))
        other = varve.Checkpoint(different=1.0)
        with self.fails(varve.UnmatchedError, self.folder, 'of another'):
            with varve.Run(other, self.folder) as run:
                run.step(1)
        self.assertEqual(sorted(os.listdir(self.folder)), names)

    def test_handles_signals_in_the_main_thread_only(self):
        caught = []

        def enter():
            try:
                with varve.Run(state(), self.folder, handle_signals=True):
                    pass
            except ValueError as error:
                caught.append(error)

        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        self.assertIn('main thread', str(caught[0]))
        self.assertEqual(os.listdir(self.folder), ['.ckpt.lock'])

    def test_the_last_step_is_saved_unless_disabled(self):
        self.run_to(3, interval_steps=10, last_save=False)
        self.assertEqual(self.saved(), [])
        ckpt = state()
        with varve.Run(ckpt, self.folder, interval_steps=10, last_save=False,
                       background=True) as run:
            for ckpt.step in run.steps(8):
                if ckpt.step == 4:
                    threading.Thread(target=run.stop).start()
                    while run.should_continue():
                        pass
        self.assertEqual(self.saved(), [4])

    def test_the_final_save_contains_the_values_of_the_last_step(self):
        ckpt = state()
        with varve.Run(ckpt, self.folder, interval_steps=10) as run:
            for ckpt.step in run.steps(3):
                ckpt.w += 1
            ckpt.w[:] = -7
        again = state()
        with varve.Run(again, self.folder) as run:
            self.assertEqual(run.resumed_step, 3)
            self.assertEqual(again.w[0], 3)
            run.stop()

    def test_initializes_variables_without_a_checkpoint(self):
        calls = []
        for step in 1, 2:
            with varve.Run(state(), self.folder,
                           initialize=lambda: calls.append(1)) as run:
                run.step(step, metric=0.5)
        self.assertEqual(calls, [1])
        self.assertEqual(run.skipped, [])

    def trained(self, **names):
        """Makes a directory with three steps of this program."""
        with varve.Run(varve.Checkpoint(**names), self.path('own'),
                       keep_last=1) as run:
            for _ in run.steps(3):
                pass

    def test_a_renamed_layer_fails_before_anything_is_saved(self):
        self.trained(hidden=np.ones(2), step=0)
        renamed = varve.Checkpoint(middle=np.zeros(2), step=0)
        with self.assertRaises(varve.UnmatchedError) as caught:
            with varve.Run(renamed, self.path('own')) as run:
                run.step(4)
        *_, one, other, hint = caught.exception.message.splitlines()
        self.assertIn('hidden', one)
        self.assertIn('middle', other)
        self.assertIn("hint: map a renamed value by read={'renames': ", hint)
        self.assertNotIn('varve_alias', hint)
        with self.fails(varve.UnmatchedError, 'middle'):
            with varve.Run(renamed, self.path('own')):
                pass  # not checked by a step
        with self.fails(varve.UnmatchedError, 'middle'):
            with varve.Run(renamed, self.path('own')) as run:
                with self.fails(varve.UnmatchedError, 'middle'):
                    run.check_resume()
                self.assertFalse(run.should_continue())
        with varve.Run(renamed, self.path('own'),
                       read={'renames': {'middle': 'hidden'}}) as run:
            run.check_resume()
        with varve.Run(renamed, self.path('own')) as run:
            self.assertFalse(run.was_stopped)
            run.stop()
            self.assertTrue(run.was_stopped)
        with varve.Run(renamed, self.path('own'),
                       read={'renames': {'middle': 'hidden'}}) as run:
            self.assertEqual(run.resumed_step, 3)
            run.step(4)
        self.assertEqual(renamed.middle[0], 1)
        with varve.Run(renamed, self.path('own'),
                       read={'renames': {'middle': 'hidden'}}) as run:
            self.assertEqual(run.resumed_step, 4)  # it has the new name
            self.assertIsNone(run.warning)

    def test_a_partial_resume_keeps_its_checkpoint(self):
        self.trained(hidden=np.ones(2), step=0)
        renamed = varve.Checkpoint(middle=np.zeros(2), step=0)
        with varve.Run(renamed, self.path('own'), allow_partial=True,
                       keep_last=1) as run:
            run.step(4)
            run.step(5)
            steps = [m.step for m in run.manager.checkpoints]
            self.assertEqual(steps, [3, 5])
            run.manager.finish_resume()
            run.step(6)
            steps = [m.step for m in run.manager.checkpoints]
            self.assertEqual(steps, [6])
        with self.fails(varve.MisuseError, 'combined'):
            varve.Run(renamed, self.path('own'), allow_partial=True,
                      strict=True)
        strange = varve.Checkpoint(other=np.zeros(2))
        with varve.Manager(strange, self.path('own')) as manager:
            with self.fails(varve.UnmatchedError, 'of another program'):
                manager.resume()
            manager.assert_consumed()  # nothing was resumed
        more = varve.Checkpoint(step=0)
        with varve.Manager(more, self.path('own'), strict=True) as manager:
            manager.resume()
            for call in (manager.assert_consumed, manager.finish_resume,
                         lambda: manager.save(7)):
                with self.fails(varve.UnmatchedError, 'middle'):
                    call()

    def test_no_step_is_done_twice(self):
        self.trained(step=0)
        with self.fails(varve.MisuseError, 'continue with step 4'):
            with varve.Run(varve.Checkpoint(step=0), self.path('own')) as run:
                run.step(3)
        with varve.Run(varve.Checkpoint(step=0), self.path('own'),
                       may_repeat_steps=True) as run:
            run.step(2)

    def test_a_difference_is_reported_before_a_repeated_step(self):
        self.trained(step=0)
        with self.fails(varve.UnmatchedError, 'global'):
            with varve.Run(varve.Checkpoint(global_step=0),
                           self.path('own')) as run:
                run.step(1)

    def test_a_pending_number_does_not_replace_that_of_the_loop(self):
        self.trained(step=0)
        late = varve.Checkpoint()
        with self.fails(varve.MisuseError, 'step: the saved value 0 '):
            with varve.Run(late, self.path('own')) as run:
                for late.step in run.steps(5):
                    pass

    def test_a_pending_array_or_list_does_not_replace_that_of_the_loop(self):
        for number, make in enumerate((
                lambda step: np.full(2, 1.0 * step), lambda step: [step, 1],
                lambda step: ['text', step], lambda step: {'a': step},
                lambda step: (step, 's'))):
            folder = self.path(f'run{number}')
            checkpoint = varve.Checkpoint(w=np.zeros(1))
            with varve.Run(checkpoint, folder) as run:
                for step in run.steps(1):
                    checkpoint.late = make(step)
            checkpoint = varve.Checkpoint(w=np.zeros(1))
            with self.fails(varve.MisuseError, 'late', 'is pending',
                            'create the array, list'):
                with varve.Run(checkpoint, folder) as run:
                    for step in run.steps(2):
                        checkpoint.late = make(step)

    def test_a_loop_may_assign_nan_while_values_are_pending(self):
        self.trained(step=0, other=np.ones(2))
        ckpt = varve.Checkpoint(step=0)
        with varve.Run(ckpt, self.path('own'), allow_partial=True) as run:
            for ckpt.step in run.steps(5):
                ckpt.loss = float('nan')
        self.assertEqual(ckpt.step, 5)

    def test_a_program_may_change_what_was_restored_in_the_first_step(self):
        def replace(value):
            return lambda ckpt: setattr(ckpt, 'x', value)

        changes = [
            ([1.0, 2.0], lambda ckpt: ckpt.x.append(3.0)),
            ([1.0, 2.0], lambda ckpt: ckpt.x.clear()),
            (['a'], lambda ckpt: ckpt.x.append('b')),
            ([[1.0], [2.0]], lambda ckpt: ckpt.x[0].append(3.0)),
            ({'a': 1.0}, lambda ckpt: ckpt.x.update(b=2.0)),
            ((1.0, 2.0), replace((1.0, 2.0, 3.0))),
            (np.ones(3), replace(np.zeros(5))),
            (np.ones(3), replace(np.zeros(3, 'f4'))),
            (1, replace(1.5)), (1, replace('text')), ('text', replace(1)),
            (None, replace(1)), (1, replace(None)), (5, replace(2**70)),
            (1.5, replace(2j)),
        ]
        for number, (first, change) in enumerate(changes):
            for removed in {}, {'removed': np.zeros(2)}:
                with self.subTest(first=first, removed=removed):
                    folder = f'{self.folder}/{number}{len(removed)}'
                    ckpt = varve.Checkpoint(step=0, best=0.0, x=first,
                                            **removed)
                    with varve.Run(ckpt, folder) as run:
                        ckpt.step = 1
                        run.step(1)
                    ckpt = varve.Checkpoint(step=0, best=0.0, x=first)
                    with varve.Run(ckpt, folder, read={
                            'expect_unexpected': 'removed'}) as run:
                        for ckpt.step in run.steps(2):
                            change(ckpt)
                            ckpt.best = 1.0
                    found = varve.load(folder + '/ckpt-2.varve')
                    self.assertEqual(found['best'], 1.0)
                    np.testing.assert_equal(found.get('x'), ckpt.x)

    def test_needs_a_checkpoint(self):
        for wrong in ({'step': 0}, None, varve.Tracked()):
            with self.fails(TypeError, 'needs a varve.Checkpoint'):
                varve.Run(wrong, self.path('own'))

    def test_reports_invalid_options_by_name(self):
        for options, text in (
                ({'keeplast': 2}, "did you mean 'keep_last'"),
                ({'keep_last': -1}, 'keep_last: -1 is out of range'),
                ({'interval_steps': '5'}, "interval_steps: '5'"),
                ({'read': {'cast': True}}, 'cast: True'),
                ({'read': {'renames': 'b -> a'}}, 'renames: ')):
            with self.fails((TypeError, ValueError), text):
                varve.Run(varve.Checkpoint(step=0), self.path('own'),
                          **options)

    def test_end_waits_for_levels(self):
        level = {'directory': self.path('level'), 'keep_last': 1,
                 'bytes_per_second': 500}
        with varve.Run(state(), self.path('own'), levels=[level]) as run:
            for _ in run.steps(3):
                pass
        with varve.Manager(state(), level['directory']) as manager:
            self.assertEqual([m.step for m in manager.checkpoints], [3])
        with self.fails(KeyError, 'mine'):
            with varve.Run(state(), self.path('own'), drain_seconds=-1,
                           levels=[dict(level, bytes_per_second=1)]) as run:
                run.step(4)
                raise KeyError('mine')

    def test_a_level_without_the_last_checkpoint_is_raised(self):
        slow = {'directory': self.path('level'), 'bytes_per_second': 1}
        for step, seconds in (1, 0), (2, 0.1):
            with self.fails(varve.WaitError, 'level'):
                with varve.Run(state(), self.path('own'), levels=[slow],
                               drain_seconds=seconds) as run:
                    run.step(step)
        lost = {'directory': self.path('file/level')}
        with self.fails(varve.Error, 'file/level'):
            with varve.Run(state(), self.path('other'), levels=[lost],
                           drain_seconds=-1) as run:
                pathlib.Path(self.path('file')).touch()
                run.step(1)
        with varve.Manager(state(), self.path('other')) as manager:
            self.assertEqual([m.step for m in manager.checkpoints], [1])

    def test_many_processes_stop_together(self):
        group = varve.Processes(2, timeout=60)
        context = multiprocessing.get_context('fork')
        ranks = [context.Process(target=together_body,
                                 args=(group, rank, self.folder))
                 for rank in range(2)]
        for process in ranks:
            process.start()
        group.close()
        for process in ranks:
            process.join()
            self.assertEqual(process.exitcode, 0)
        self.assertEqual(self.saved(), [3])


if __name__ == '__main__':
    unittest.main()
