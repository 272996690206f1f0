"""test_remote.py - Reads files of a server by their URLs.

tests/remote tests the module itself; this file tests only its use in Python.

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
# pylint: disable=wrong-import-position
import bucket  # noqa: E402
import server  # noqa: E402

KEYS = {'AWS_ACCESS_KEY_ID': 'K', 'AWS_SECRET_ACCESS_KEY': 'S'}


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
            self.store.files['/run/a.varve'] = bucket.Content(file.read())
        os.environ['NO_PROXY'] = '*'
        web = server.Server(self.store)
        web.__enter__()
        self.addCleanup(web.__exit__, None, None, None)
        self.url = web.url + '/run/a.varve'
        os.environ.update(KEYS, AWS_ENDPOINT_URL=web.url)

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

    def test_a_checkpoint_is_written(self):
        self.store.keys = {'K': 'S'}
        self.store.buckets = {'run'}
        varve.write({'w': self.value, 'step': 8}, 's3://run/b.varve')
        self.assertIn('/run/b.varve', self.store.files)
        self.assertEqual(self.store.uploads, {})
        with varve.open('s3://run/b.varve') as file:
            np.testing.assert_array_equal(file['w'].read(), self.value)
        tree = varve.Checkpoint(w=self.value[:9].copy())
        with varve.Manager(tree, 's3://run/many', keep_last=1) as manager:
            for step in (1, 2):
                manager.save(step)
        self.assertIn('/run/many/ckpt-2.varve', self.store.files)
        self.assertNotIn('/run/many/ckpt-1.varve', self.store.files)

    def test_errors_are_raised_with_a_message(self):
        with self.fails(varve.NotFoundError, 'none'):
            varve.open(self.url.replace('/a.', '/none.') + '?key=SECRET')
        with self.fails(varve.MisuseError, 'read only'):
            varve.write({'step': 8}, self.url)
        with self.assertRaises(TypeError):
            varve.enable_remote(attempt=3)


if __name__ == '__main__':
    unittest.main()
