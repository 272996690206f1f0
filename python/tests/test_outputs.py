"""test_outputs.py - Saves and truncates files that a program appends to.

SPDX-License-Identifier: MIT
"""
import io
import os
import signal
import subprocess
import sys
import unittest

import numpy as np

import varve
from place import Test

PROGRAM = '''
import os, signal, sys, varve
steps = int(sys.argv[1])
with open('loss.csv', 'a') as log:
    ckpt = varve.Checkpoint(loss=1.0, step=0, log=log)
    with varve.Run(ckpt, 'run', interval_steps=10) as run:
        if not run.is_resumed:
            log.truncate(0)
        for ckpt.step in run.steps(40):
            ckpt.loss *= 0.9
            print(ckpt.step, ckpt.loss, file=log, sep=',')
            steps -= 1
            if steps == 0:
                log.flush()
                os.kill(os.getpid(), signal.SIGKILL)
'''


class Outputs(Test):

    def content(self, name='log'):
        with open(self.path(name), 'rb') as file:
            return file.read()

    def test_are_truncated_to_the_saved_length(self):
        for mode in 'a', 'w', 'ab', 'wb', 'r+', 'r+b', 'x':
            if mode[0] != 'r' and os.path.exists(self.path('log')):
                os.remove(self.path('log'))
            with open(self.path('log'), mode) as log:
                log.seek(0, 2)
                log.truncate(0)
                log.seek(0)
                text = (lambda t, m=mode: t.encode() if 'b' in m else t)
                log.write(text('one\n'))
                varve.write({'log': log}, self.path())
                log.write(text('two\n'))
                varve.restore({'log': log}, self.path()).assert_consumed()
                log.write(text('2\n'))
            self.assertEqual(self.content(), b'one\n2\n', mode)

    def test_without_a_buffer_are_truncated(self):
        with open(self.path('log'), 'ab', buffering=0) as log:
            log.write(b'one\n')
            varve.write({'log': log}, self.path())
            log.write(b'two\n')
            varve.restore({'log': log}, self.path())
            log.write(b'2\n')
        self.assertEqual(self.content(), b'one\n2\n')

    def test_are_saved_as_their_length(self):
        with open(self.path('log'), 'w') as log:
            log.write('x' * 258)
            varve.write({'log': log}, self.path())
        with varve.Reader(self.path()) as reader:
            self.assertEqual(bytes(reader['log'])[:8], b'\2\1' + bytes(6))

    def test_added_after_the_restore_are_truncated_when_added(self):
        log = open(self.path('log'), 'w')
        log.write('one\n')
        varve.Checkpoint(log=log, step=1).write(self.path())
        log.write('two\n')
        log.close()
        checkpoint = varve.Checkpoint(step=0)
        restoration = checkpoint.restore(self.path())
        with open(self.path('log'), 'a') as log:
            checkpoint.log = log
            self.assertEqual(self.content(), b'one\n')
            restoration.assert_consumed()

    def test_reopened_under_the_same_name_are_the_same_output(self):
        checkpoint = varve.Checkpoint(log=open(self.path('log'), 'w'))
        checkpoint.log.write('one\n')
        checkpoint.write(self.path('1.varve'))
        checkpoint.log.write('two\n')
        checkpoint.log.close()
        checkpoint.log = open(self.path('log'), 'a')
        checkpoint.write(self.path('2.varve'))
        checkpoint.log.write('three\n')
        checkpoint.restore(self.path('2.varve'))
        self.assertEqual(self.content(), b'one\ntwo\n')
        checkpoint.log.close()

    def test_too_short_fail_the_restore_and_change_nothing(self):
        with open(self.path('log'), 'w') as log:
            log.write('one\n')
            varve.write({'log': log, 'w': np.ones(3)}, self.path())
        with open(self.path('log'), 'w') as log:
            tree = {'log': log, 'w': np.zeros(3)}
            with self.fails(varve.MismatchError, 'log: ',
                            '4 bytes were recorded'):
                varve.restore(tree, self.path())
            self.assertEqual(tree['w'].sum(), 0)
        self.assertEqual(self.content(), b'')

    def test_that_cannot_be_truncated_are_refused(self):
        with open(self.path('log'), 'w') as log:
            pass
        for file, words in ((log, 'a closed file'),
                            (io.BytesIO(), 'cannot save BytesIO'),
                            (io.StringIO(), 'cannot save StringIO')):
            with self.fails(varve.MisuseError, 'a/log: ', words):
                varve.write({'a': {'log': file}}, self.path())
        with open(self.path('log')) as file, \
                self.fails(varve.MisuseError, 'log: ', 'open for reading'):
            varve.write({'log': file}, self.path())
        ends = os.pipe()
        with open(ends[0], 'rb'), open(ends[1], 'wb') as file, \
                self.fails(varve.MisuseError, 'log: ', 'a pipe'):
            varve.write({'log': file}, self.path())
        with open(self.path('log'), 'r+') as file:
            file.write('text')
            file.seek(1)
            with self.fails(varve.MisuseError, 'log: ', 'before byte 4'):
                varve.write({'log': file}, self.path())
        self.assertFalse(os.path.exists(self.path()))

    def test_that_cannot_be_flushed_are_not_saved(self):
        with open(self.path('log'), 'wb') as log:
            kept = os.dup(log.fileno())
            log.write(b'text')
            tree = varve.Checkpoint(log=log)
            reading = os.open(self.path('log'), os.O_RDONLY)
            os.dup2(reading, log.fileno())
            with self.assertRaises(OSError):
                tree.write(self.path())
            os.dup2(kept, log.fileno())
            os.close(kept)
            os.close(reading)
            tree.write(self.path())
        self.assertEqual(self.content(), b'text')

    def test_of_a_killed_program_equal_those_of_an_uninterrupted_one(self):
        def run(steps):
            return subprocess.run([sys.executable, '-c', PROGRAM, str(steps)],
                                  cwd=self.folder, check=False).returncode
        self.assertEqual(run(5), -signal.SIGKILL)
        self.assertEqual(run(25), -signal.SIGKILL)
        self.assertEqual(run(17), -signal.SIGKILL)
        self.assertEqual(run(0), 0)
        lines = self.content('loss.csv').decode().splitlines()
        self.assertEqual([int(line.split(',')[0]) for line in lines],
                         list(range(1, 41)))
        self.assertAlmostEqual(float(lines[-1].split(',')[1]), 0.9 ** 40)


if __name__ == '__main__':
    unittest.main()
