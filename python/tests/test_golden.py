"""test_golden.py - Tests golden files and the pytest plug-in.

SPDX-License-Identifier: MIT
"""
import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import varve

TEST = '''
import numpy as np

def test_state(varve_golden):
    varve_golden({'layer': {'w': np.array([1.0, VALUE])}}, 'golden.varve',
                 relative=1e-6)
'''


class Golden(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, 'golden.varve')

    def test_it_has_the_same_names_and_values(self):
        state = {'layer': {'w': np.array([1.0, 2.0])}, 'step': 3}
        varve.write(state, self.path)
        varve.compare_golden(state, self.path)
        state['layer']['w'][1] += 1e-7
        with self.assertRaisesRegex(varve.MismatchError, r'layer/w.*at \[1\]'):
            varve.compare_golden(state, self.path)
        varve.compare_golden(state, self.path, relative=1e-6)
        state['step'] = 4
        with self.assertRaisesRegex(varve.MismatchError, 'step'):
            varve.compare_golden(state, self.path, relative=1)
        state = {'renamed': {'w': np.array([1.0, 2.0])}, 'step': 3}
        with self.assertRaisesRegex(varve.UnmatchedError, 'renamed/w'):
            varve.compare_golden(state, self.path)
        varve.compare_golden(state, self.path,
                             renames={'renamed': 'layer'})
        with self.assertRaises(varve.NotFoundError):
            varve.compare_golden(state, self.path + '.none')

    @unittest.skipUnless(importlib.util.find_spec('pytest'),
                         'pytest is not installed')
    def test_pytest_compares_and_updates(self):
        def run(value, *arguments):
            test = os.path.join(self.folder.name, 'test_state.py')
            with open(test, 'w', encoding='utf-8') as file:
                file.write(TEST.replace('VALUE', value))
            plugin = [] if 'pytest11' in entry_points() else [
                '-p', 'varve.pytest_plugin']
            done = subprocess.run(
                [sys.executable, '-B', '-m', 'pytest', '-q',
                 '-p', 'no:cacheprovider', *plugin, test, *arguments],
                text=True, stdout=subprocess.PIPE, check=False)
            return done.returncode, done.stdout

        self.assertEqual(run('2.0')[0], 1)
        self.assertEqual(run('2.0', '--varve-update-golden')[0], 0)
        self.assertEqual(run('2.0000001')[0], 0)
        code, text = run('2.1')
        self.assertEqual(code, 1)
        self.assertIn('layer/w float64[2]', text)


def entry_points():
    """Returns the groups of entry points of the installed package."""
    return {entry.group
            for entry in importlib.metadata.distribution('varve').entry_points}


if __name__ == '__main__':
    unittest.main()
