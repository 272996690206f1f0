"""test_remote.py - files of a server, read by paths with a scheme.

What that means in all is tried in tests/remote; here that Python comes to it.

SPDX-License-Identifier: MIT
"""
import os
import sys
import unittest

import numpy as np

import varve
from place import Test

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', '..', 'tests',
                                'remote'))
import server  # noqa: E402  pylint: disable=wrong-import-position


def can_reach():
    try:
        varve.enable_remote(attempts=2, wait_ms=1)
    except varve.Error:
        return False
    return True


@unittest.skipUnless(can_reach(), 'no module varve-remote')
class Remote(Test):

    def setUp(self):
        super().setUp()
        self.value = np.arange(3 << 20, dtype='f4')
        varve.write({'w': self.value, 'step': 7}, self.path())
        with open(self.path(), 'rb') as file:
            self.store = server.Store()
            self.store.files['/run/a.varve'] = server.Content(file.read())
        os.environ['NO_PROXY'] = '*'
        web = server.Server(self.store)
        web.__enter__()
        self.addCleanup(web.__exit__, None, None, None)
        self.url = web.url + '/run/a.varve'

    def test_a_part_is_read(self):
        with varve.open(self.url) as file:
            self.assertEqual(file['step'].read(), 7)
            np.testing.assert_array_equal(file['w'][5:9], self.value[5:9])
        self.assertLess(self.store.bytes, 3 << 20)

    def test_a_tree_is_restored(self):
        tree = {'w': np.zeros_like(self.value), 'step': 0}
        with varve.restore(tree, self.url) as restoration:
            restoration.assert_consumed()
        np.testing.assert_array_equal(tree['w'], self.value)

    def test_what_goes_wrong_is_said(self):
        with self.fails(varve.NotFoundError, 'none'):
            varve.open(self.url.replace('/a.', '/none.') + '?key=SECRET')
        with self.fails(varve.MisuseError, 'read only'):
            varve.write({'step': 8}, self.url)
        with self.assertRaises(TypeError):
            varve.enable_remote(attempt=3)


if __name__ == '__main__':
    unittest.main()
