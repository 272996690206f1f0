"""test_shown.py - Runs the programs in the documentation.

SPDX-License-Identifier: MIT
"""
import os
import subprocess
import sys
import unittest

from place import Test

HERE = os.path.dirname(os.path.abspath(__file__))


class Shown(Test):

    def run_program(self, name):
        result = subprocess.run(
            [sys.executable, '-B', '-W', 'error', os.path.join(HERE, name)],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def test_the_example_of_the_first_page(self):
        self.assertEqual(
            self.run_program('shown_readme.py'),
            'at step 0, kernel[1][2] is 0\nsaved run/ckpt-1.varve\n')
        self.assertEqual(
            self.run_program('shown_readme.py'),
            'at step 1, kernel[1][2] is 0.5\nsaved run/ckpt-2.varve\n')

    def test_the_first_example_resumes_from_the_c_program(self):
        program = os.environ.get('VARVE_README_PROGRAM')
        if not program:
            return
        subprocess.run([program], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)
        self.assertIn('at step 1, kernel[1][2] is 0.5\n',
                      self.run_program('shown_readme.py'))
        self.assertIn('at step 2, kernel[1][2] is 1\n', subprocess.run(
            [program], cwd=self.folder, check=True, text=True,
            stdout=subprocess.PIPE).stdout)

    def test_the_examples_of_the_python_page(self):
        printed = self.run_program('shown_page.py')
        for line in ("(784, 10) net 7", '(10, 3) (784, 10) False',
                     'MISMATCH run/net.varve: ', '7840.0 7', '[7, 8, 9]'):
            self.assertIn(line, printed)


if __name__ == '__main__':
    unittest.main()
