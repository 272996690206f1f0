"""test_types.py - Runs a type checker on the package and on programs.

SPDX-License-Identifier: MIT
"""
import importlib.util
import os
import subprocess
import sys
import unittest

import varve
from place import Test

PROGRAM = '''
import numpy as np
import varve

ckpt = varve.Checkpoint(w=np.zeros(2), step=0)
ckpt.step += 1
ckpt.w += 1
path: str = ckpt.save('run/a')
with varve.restore({'w': np.zeros(2)}, path, threads=1) as restoration:
    count: int = restoration.pending_count
with varve.Run(ckpt, 'run', interval_steps=10) as run:
    for ckpt.step in run.steps(25):
        ckpt.w += 1
'''


@unittest.skipUnless(importlib.util.find_spec('mypy'), 'no mypy')
class Types(Test):

    def test_mypy_checks_the_package_and_its_users(self):
        for name, text in ('good.py', PROGRAM), (
                'bad.py', PROGRAM.replace('threads', 'thread')):
            with open(self.path(name), 'w', encoding='utf-8') as file:
                file.write(text)
        result = subprocess.run(
            [sys.executable, '-m', 'mypy', '--strict', '--cache-dir',
             self.path('cache'), 'good.py', 'bad.py',
             os.path.dirname(varve.__file__)], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, check=False)
        *errors, count = result.stdout.splitlines()
        self.assertEqual(result.returncode, 1)
        self.assertIn('Found 1 error in 1 file', count)
        self.assertRegex('\n'.join(errors), r'^bad.py:\d+: .*"thread"')


if __name__ == '__main__':
    unittest.main()
