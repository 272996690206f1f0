"""test_zoo.py - Restores each kind of object in another process, or rejects it
with its path and a remedy.

SPDX-License-Identifier: MIT
"""
import importlib.util
import json
import os
import subprocess
import sys
import unittest

import varve
import zoo
from place import Test


class Zoo(Test):

    def test_saved_objects_are_restored_in_another_process(self):
        looks = zoo.save_all(self.folder)
        result = subprocess.run(
            [sys.executable, '-B', zoo.__file__, self.folder], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        self.assertEqual(set(found), set(looks))
        for name, look in looks.items():
            self.assertEqual(found[name], look, name)

    def test_refused_objects_are_reported_with_path_and_suggestion(self):
        for name, (make, path, words) in zoo.REFUSED.items():
            with self.subTest(name), self.fails(
                    varve.MisuseError, '^it' + f'/{path}' * bool(path) + ': ',
                    words):
                varve.write({'it': make()}, self.path())
        self.assertFalse(os.path.exists(self.path()))

    def test_ignored_attributes_are_neither_saved_nor_restored(self):
        varve.write({'it': zoo.Cached(3)}, self.path())
        with varve.open(self.path()) as file:
            self.assertNotIn('it/_cache', file)
            self.assertIn('it/_sum', file)
        fresh = zoo.Cached(1)
        lock, cache = fresh._lock, fresh._cache
        with varve.restore({'it': fresh}, self.path()) as restoration:
            restoration.assert_consumed()
        self.assertIs(fresh._lock, lock)
        self.assertIs(fresh._cache, cache)

    def test_private_attributes_of_tracked_objects_restored_when_set(self):
        class Net(varve.Tracked):
            pass
        net = Net()
        net._w = 7
        varve.write({'net': net}, self.path())
        checkpoint = varve.Checkpoint(net=Net())
        with checkpoint.read(self.path()) as restoration:
            checkpoint.net._w = 0
            self.assertEqual(checkpoint.net._w, 7)
            restoration.assert_consumed()

    def test_private_attributes_of_a_checkpoint_are_saved(self):
        checkpoint = varve.Checkpoint(_step=3, _files=[1.5])
        checkpoint.write(self.path())
        again = varve.Checkpoint(_step=0, _files=[])
        with again.read(self.path()) as restoration:
            restoration.assert_consumed()
        self.assertEqual((again._step, again._files), (3, [1.5]))

    def test_slots_of_frozen_dataclasses_are_saved_by_name(self):
        if sys.version_info < (3, 10):
            self.skipTest('dataclasses have no slots')
        made = zoo.dataclasses.make_dataclass(
            'Made', [('a', int), ('_b', float)], frozen=True, slots=True)
        varve.write({'it': made(1, 2.5)}, self.path())
        fresh = made(0, 0.0)
        with varve.restore({'it': fresh}, self.path()) as restoration:
            restoration.assert_consumed()
        self.assertEqual(fresh, made(1, 2.5))
        with varve.open(self.path()) as file:
            self.assertEqual(sorted(file), ['it/_b', 'it/a'])

    def test_attrs_classes(self):
        if not importlib.util.find_spec('attr'):
            self.skipTest('no attrs')
        attr = importlib.import_module('attr')
        for options in {}, {'slots': True}, {'slots': True, 'frozen': True}:
            made = attr.make_class('Made', {
                'a': attr.ib(), '_b': attr.ib()}, **options)
            varve.write({'it': made(1, [2.5])}, self.path())
            fresh = made(0, [])
            with varve.restore({'it': fresh}, self.path()) as restoration:
                restoration.assert_consumed()
            self.assertEqual(fresh, made(1, [2.5]))


if __name__ == '__main__':
    unittest.main()
