"""test_checkpoint.py - Saves, restores and changes the objects of a program.

SPDX-License-Identifier: MIT
"""
import json
import os
import pickle
import random
import unittest

import numpy as np

import varve
from place import Test


class Layer:
    __varve_ignore__ = '_cache'

    def __init__(self, value=0.0):
        self.kernel = np.full((2, 3), value)
        self.steps = 0
        self._cache = object()  # not saved


class Model(varve.Tracked):
    pass


class Deferred(Test):

    def setUp(self):
        super().setUp()
        model = Model()
        model.layers = [Layer(1.0), Layer(2.0)]
        model.name = 'net'
        model.layers[0].steps = 5
        varve.Checkpoint(model=model, table={'a': np.ones(2)}).write(
            self.path())

    def test_attributes_set_later_receive_their_values(self):
        checkpoint = varve.Checkpoint()
        restoration = checkpoint.restore(self.path())
        self.assertEqual(restoration.pending_count, 6)
        checkpoint.model = Model()
        checkpoint.model.name = ''
        self.assertEqual(checkpoint.model.name, 'net')
        checkpoint.model.layers = [Layer()]
        self.assertEqual(checkpoint.model.layers[0].kernel[0, 0], 1)
        self.assertEqual(checkpoint.model.layers[0].steps, 5)
        checkpoint.model.layers.append(Layer())  # no notification
        self.assertEqual(checkpoint.model.layers[1].kernel[0, 0], 0)
        restoration.update()
        self.assertEqual(checkpoint.model.layers[1].kernel[0, 0], 2)
        with self.fails(varve.UnmatchedError, 'table/a'):
            restoration.assert_consumed()
        checkpoint.table = {'a': np.zeros(2)}
        restoration.assert_consumed().assert_existing_objects_matched()
        self.assertEqual(checkpoint.table['a'].sum(), 2)
        self.assertEqual(restoration.pending_count, 0)

    def test_a_value_is_restored_only_once(self):
        checkpoint = varve.Checkpoint(table={'a': np.zeros(2)})
        checkpoint.restore(self.path())
        checkpoint.table['a'] = np.full(2, 9.0)
        checkpoint.table = {'a': np.full(2, 9.0)}
        self.assertEqual(checkpoint.table['a'][0], 9)

    def test_a_mismatch_is_reported_on_assignment(self):
        checkpoint = varve.Checkpoint()
        with checkpoint.restore(self.path()):
            with self.fails(varve.MismatchError, 'table/a'):
                checkpoint.table = {'a': np.zeros(3)}

    def test_a_read_only_array_is_refused_on_assignment(self):
        checkpoint = varve.Checkpoint()
        fixed = np.zeros(2)
        fixed.flags.writeable = False
        with checkpoint.restore(self.path()):
            with self.fails(varve.MisuseError, 'table/a', 'read-only'):
                checkpoint.table = {'a': fixed}

    def test_a_closed_restoration_restores_nothing(self):
        checkpoint = varve.Checkpoint()
        restoration = checkpoint.restore(self.path())
        restoration.close()
        checkpoint.table = {'a': np.zeros(2)}
        self.assertEqual(checkpoint.table['a'].sum(), 0)
        with self.assertRaises(ValueError):
            restoration.report()

    def test_tracked_objects_can_be_pickled(self):
        checkpoint = varve.Checkpoint(model=Model())
        checkpoint.write(self.path('b'))
        checkpoint.model.name = 'x'
        self.assertEqual(vars(pickle.loads(pickle.dumps(checkpoint.model))),
                         {'name': 'x'})

    def test_a_new_object_gets_what_the_one_in_its_place_lacked(self):
        class Plain:
            def __init__(self, **values):
                vars(self).update(values)

        path = self.path('replaced')
        varve.Checkpoint(opt=Plain(m=np.full(2, 1.0), v=np.full(2, 2.0),
                                   rate=3.0)).write(path)
        checkpoint = varve.Checkpoint(opt=Plain(m=np.zeros(2)))
        restoration = checkpoint.read(path)
        self.assertEqual(restoration.pending_count, 2)
        checkpoint.opt = Plain(m=np.zeros(2), v=np.zeros(2), rate=0.0)
        self.assertEqual(restoration.pending_count, 0)
        np.testing.assert_equal(checkpoint.opt.v, [2, 2])
        self.assertEqual(checkpoint.opt.rate, 3.0)
        np.testing.assert_equal(checkpoint.opt.m, [0, 0])


class Restoring(Test):

    def setUp(self):
        super().setUp()
        varve.write({'w': np.arange(4.0), 'b': np.ones(2), 'step': 3},
                    self.path(), metadata={'step': 3})

    def test_a_mismatch_changes_nothing_and_all_are_reported(self):
        tree = {'w': np.zeros(5), 'b': np.zeros(2, 'f4'), 'step': 0}
        with self.assertRaises(varve.MismatchError) as caught:
            varve.restore(tree, self.path())
        self.assertEqual(caught.exception.status, varve.Status.MISMATCH)
        self.assertIn('w: ', caught.exception.message)
        self.assertIn('b: ', caught.exception.message)
        self.assertEqual(tree['step'], 0)

    def test_options(self):
        tree = {'weight': np.zeros(4, 'f4'), 'b': np.full(3, 7.0), 'step': 0}
        with varve.restore(tree, self.path(), renames={'weight': 'w'},
                           cast='any', resize=['b'], except_='step') as found:
            report = found.report()
            self.assertEqual(found.metadata('step'), 3)
            self.assertIsNone(found.metadata('none'))
        self.assertEqual(tree['weight'].tolist(), [0, 1, 2, 3])
        self.assertEqual(tree['b'].tolist(), [1, 1, 7])
        self.assertEqual(tree['step'], 0)
        matched = {f.program_path: f for f in report.matched}
        self.assertEqual(matched['weight'].file_path, 'w')
        self.assertTrue(matched['weight'].cast)
        self.assertEqual(matched['weight'].saved, ('float64', (4,)))
        self.assertIn('weight', str(report))
        items = json.loads(report.json())['items']
        self.assertIn(('matched', 'weight', 'w', 'float32', 'float64'), [
            tuple(item.get(key) for key in (
                'kind', 'path', 'file_path', 'dtype', 'dtype_saved'))
            for item in items])
        tree['weight'] = np.zeros(4, 'f4')
        with self.assertRaises(varve.MismatchError):
            varve.restore(tree, self.path(), renames={'weight': 'w'},
                          cast='any', cast_only=['b', 'step'],
                          resize=['b'])
        with self.fails(TypeError, 'no_such'):
            varve.restore(tree, self.path(), no_such=1)
        with self.fails(ValueError, 'cast'):
            varve.restore(tree, self.path(), cast='all')
        with self.fails(ValueError, 'format'):
            varve.write(tree, self.path(), format='zip')
        with self.fails(TypeError, 'metadata x'):
            varve.write(tree, self.path(), metadata={'x': []})

    def test_arrays_change_shape_with_resize(self):
        shared = np.zeros((1, 2))
        tree = {'w': shared, 'step': 0, 'more': [shared]}
        with self.assertRaises(varve.MismatchError):
            varve.restore(tree, self.path(), any_shape='b')
        checkpoint = varve.Checkpoint(tree=tree)
        restoration = checkpoint.restore(
            self.path(), subtree='', renames={'tree': ''},
            any_shape=['tree/*'])
        self.assertEqual(tree['w'].tolist(), [0, 1, 2, 3])
        self.assertIs(tree['more'][0], tree['w'])
        self.assertEqual(shared.tolist(), [[0, 0]])
        tree['b'] = np.zeros((5, 5))
        restoration.assert_consumed()
        self.assertEqual(tree['b'].tolist(), [1, 1])
        tree['w'] += 1
        checkpoint.write(self.path('b'))
        found = varve.load(self.path('b'))['tree']
        self.assertEqual(found['w'].tolist(), [1, 2, 3, 4])
        self.assertEqual(found['b'].tolist(), [1, 1])
        restoration.close()
        checkpoint.tree = {'w': tree['w']}
        varve.write({'tree': {'w': np.zeros(9)}}, self.path('b'))
        with self.assertRaises(varve.MismatchError):
            checkpoint.restore(self.path('b'))

    def test_a_failed_restore_changes_no_shape(self):
        tree = {'w': np.zeros(1), 'b': np.zeros(2, 'i4')}
        old = tree['w']
        with self.assertRaises(varve.MismatchError):
            varve.restore(tree, self.path(), any_shape=True)
        self.assertIs(tree['w'], old)

    def test_a_dry_run_changes_nothing(self):
        tree = {'w': np.zeros(5), 'step': 0}
        report = varve.dry_run(tree, self.path()).report()
        self.assertEqual([f.program_path for f in report.mismatched], ['w'])
        self.assertEqual(tree['step'], 0)

    def test_an_exception_in_progress_is_raised(self):
        class Stop(Exception):
            pass

        def stop(done, total, what):
            raise Stop(done, total, what)

        tree = {'w': np.zeros(4)}
        with self.assertRaises(Stop):
            varve.write(tree, self.path(), progress=stop)
        with self.assertRaises(Stop):
            varve.restore(tree, self.path(), progress=stop)
        with self.assertRaises(varve.StoppedError) as caught:
            varve.write(tree, self.path(), progress=lambda *_: True)
        self.assertEqual(caught.exception.status, varve.Status.CANCELLED)
        seen = []
        varve.write(tree, self.path(),
                    progress=lambda *found: seen.append(found))
        self.assertTrue(all(done <= total for done, total, _ in seen))
        self.assertTrue(seen)
        self.assertEqual(os.listdir(self.folder), ['a.varve'])

    def test_numbered_checkpoints(self):
        tree = {'n': 0}
        for tree['n'] in range(3):
            path = varve.save(tree, self.path('c'))
        self.assertEqual(path, self.path('c') + '-3.varve')
        self.assertEqual(varve.latest(self.path('c')), path)
        found = varve.restore({'n': 9}, self.path('c'))
        self.assertEqual((found.counter, found.path), (3, path))
        with self.assertRaises(varve.NotFoundError):
            varve.latest(self.path('none'))
        with self.assertRaises(varve.SystemError) as caught:
            varve.write(tree, path, no_replace=True)
        self.assertEqual(caught.exception.status, varve.Status.EXISTS)


class Following(Test):
    """The graph follows the changes of the program."""

    def holds(self, checkpoint, expected):
        checkpoint.write(self.path())
        found = varve.load(self.path())
        self.assertEqual(plain(found), plain(expected))

    def test_names_of_checkpoint_methods_are_refused(self):
        with self.fails(AttributeError, 'restore'):
            varve.Checkpoint(restore=1)

    def test_a_replaced_array_is_saved(self):
        checkpoint = varve.Checkpoint(w=np.zeros(3))
        for _ in range(3):
            checkpoint.w = checkpoint.w + 1
            self.holds(checkpoint, {'w': checkpoint.w})
        checkpoint.w = checkpoint.w.astype('f4')
        self.holds(checkpoint, {'w': checkpoint.w})

    def test_changes_of_sharing_are_saved(self):
        array = np.ones(2)
        checkpoint = varve.Checkpoint(a=array, b=array)
        self.holds(checkpoint, {'a': array, 'b': array})
        checkpoint.b = np.zeros(2)
        self.holds(checkpoint, {'a': array, 'b': checkpoint.b})
        checkpoint.a = checkpoint.b
        self.holds(checkpoint, {'a': checkpoint.b, 'b': checkpoint.b})

    def test_random_changes(self):
        """Compares each save with that of a new checkpoint."""
        for seed in range(20):
            numbers = random.Random(seed)
            tree = {}
            checkpoint = varve.Checkpoint(tree=tree)
            places = [tree]
            for _ in range(40):
                change(numbers, places)
                if numbers.random() < 0.4:
                    checkpoint.write(self.path())
                    varve.write({'tree': tree}, self.path('b'))
                    self.assertEqual(same_bytes(self.path()),
                                     same_bytes(self.path('b')), seed)


def change(numbers, places):
    """Makes one random change of nested dicts and lists."""
    place = numbers.choice(places)
    value = numbers.choice([
        lambda: numbers.randrange(9), lambda: np.zeros(2), lambda: 'text',
        lambda: np.zeros((2, 2))[:, 1], dict, list, lambda: (1, 2.5),
        lambda: numbers.choice(places), numbers.random])()
    if type(value) in (dict, list):
        places.append(value)
    names = list(place) if isinstance(place, dict) else list(
        range(len(place)))
    if names and numbers.random() < 0.3:
        del place[numbers.choice(names)]
    elif isinstance(place, dict):
        place[numbers.choice('abcde')] = value
    elif names and numbers.random() < 0.5:
        place[numbers.choice(names)] = value
    else:
        place.insert(numbers.randrange(len(place) + 1), value)


def same_bytes(path):
    with varve.open(path) as file:
        return (file.digest(), [(n.path, n.kind, list(n.edges))
                                for n in file.walk()])


def plain(value):
    if isinstance(value, dict):
        return {name: plain(child) for name, child in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


if __name__ == '__main__':
    unittest.main()
