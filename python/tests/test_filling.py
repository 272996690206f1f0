"""test_filling.py - Restores into empty containers and None, and assigns
pending values.

SPDX-License-Identifier: MIT
"""
import collections
import copy
import os
import random
import unittest

import numpy as np

import varve
from place import Test


def counted(folder, end, **state):
    """Trains, and appends to a list and a dict in each step."""
    ckpt = varve.Checkpoint(w=np.zeros(2), **state)
    with varve.Run(ckpt, folder, interval_steps=5) as run:
        for step in run.steps(end):
            ckpt.w += 1
            ckpt.losses.append(100.0 - step)
            ckpt.names[f'n{step}'] = str(step)
            ckpt.best = min(ckpt.best or 1e9, 100.0 - step)
    return ckpt


def grown(folder, end):
    """Trains with state that grows in lists, dicts and objects."""
    ckpt = varve.Checkpoint(
        w=np.zeros(3), losses=[], best=None, seen={}, arrays=[], mixed=[0.0],
        random=random.Random(1), names=[], pairs=[], last=())
    with varve.Run(ckpt, folder, interval_steps=3) as run:
        for step in run.steps(end):
            loss = ckpt.random.random()
            ckpt.w += loss
            ckpt.losses.append(loss)
            ckpt.best = loss if ckpt.best is None else min(ckpt.best, loss)
            ckpt.seen.setdefault(step % 4, []).append(loss)
            ckpt.names.append(str(step))
            ckpt.pairs.append((step, loss))
            ckpt.last = tuple(ckpt.losses[-3:])
            if step % 3 == 0:
                ckpt.arrays.append(np.full(2, loss))
                ckpt.mixed.append(step if step % 2 else None)
    return ckpt


class Filling(Test):

    def test_a_resumed_run_has_its_appended_items(self):
        for _ in range(2):
            counted(self.path('run'), 10, losses=[], names={}, best=None)
        ckpt = counted(self.path('run'), 20, losses=[], names={}, best=None)
        self.assertEqual(ckpt.losses, [100.0 - i for i in range(1, 21)])
        self.assertEqual(ckpt.best, 80.0)
        self.assertEqual(ckpt.names, {f'n{i}': str(i) for i in range(1, 21)})

    def test_any_number_of_resumes_gives_the_same_state(self):
        expected = None
        for ends in [20], [5, 20], [1, 2, 3, 20], [7, 8, 19, 20]:
            for end in ends:
                ckpt = grown(self.path('-'.join(map(str, ends))), end)
            found = {name: value for name, value in vars(ckpt).items()
                     if not name.startswith('_')}
            found['seen'] = sorted(ckpt.seen.items())  # of no order
            found['random'] = ckpt.random.random()
            expected = expected or repr(found)
            self.assertEqual(repr(found), expected, ends)

    def test_empty_containers_are_filled_with_plain_values(self):
        tree = {'list': [1, [2.5, 'x'], {'k': None}], 'array': np.arange(3.0),
                'dict': {'a': {'b': np.ones(2)}}, 'pair': (1, (None, 2)),
                'counter': collections.Counter(x=3), 'text': 'word',
                'grown': [1, 2, 3]}
        varve.write(tree, self.path())
        fresh = {'list': [], 'array': None, 'dict': {}, 'pair': (1, None),
                 'counter': collections.Counter(), 'text': None, 'grown': [0]}
        pairs = fresh['list'], fresh['dict'], fresh['counter'], fresh['grown']
        with varve.restore(fresh, self.path()) as restoration:
            restoration.assert_consumed()
        self.assertEqual(fresh['list'][1][0], 2.5)
        self.assertEqual(fresh['list'][2], {'k': None})
        self.assertEqual(fresh['array'].tolist(), [0, 1, 2])
        self.assertEqual(fresh['dict']['a']['b'].tolist(), [1, 1])
        self.assertEqual(list(fresh['pair'][1]), [None, 2])
        self.assertEqual(fresh['counter'], {'x': 3})
        self.assertEqual(fresh['grown'], [1, 2, 3])
        for one, other in zip(pairs, (fresh['list'], fresh['dict'],
                                      fresh['counter'], fresh['grown'])):
            self.assertIs(one, other)

    def test_containers_are_filled_with_renames_and_patterns(self):
        varve.write({'old': {'a': [1, 2]}, 'b': [3], 'c': [4]}, self.path())
        fresh = {'new': {'a': []}, 'b': [], 'c': []}
        varve.restore(fresh, self.path(), renames={'new': 'old'},
                      except_='b').close()
        self.assertEqual(fresh, {'new': {'a': [1, 2]}, 'b': [], 'c': [4]})
        fresh = {'a': [], 'z': []}
        varve.restore(fresh, self.path(), subtree='old', only='a').close()
        self.assertEqual(fresh, {'a': [1, 2], 'z': []})

    def test_a_failed_restore_leaves_containers_empty(self):
        varve.write({'a': [1, 2], 'b': np.ones(3)}, self.path())
        fresh = {'a': [], 'b': np.ones(4), 'pair': (None, [])}
        with self.fails(varve.MismatchError, 'b'):
            varve.restore(fresh, self.path())
        self.assertEqual(fresh['a'], [])
        fresh = {'a': [], 'b': None}
        varve.dry_run(fresh, self.path()).close()
        self.assertEqual(fresh, {'a': [], 'b': None})

    def test_a_saved_none_replaces_values_without_a_type(self):
        for value in ([], {}, (), 3.5, 4, True, 'text', [1], (1.5,), None):
            with self.subTest(value=value):
                varve.write({'x': None, 'w': np.ones(1)}, self.path())
                fresh = {'x': value, 'w': np.zeros(1)}
                with varve.restore(fresh, self.path()) as restoration:
                    restoration.assert_consumed()
                self.assertIsNone(fresh['x'])
        for value in (np.ones(2), ['text'], {'a': 1}):
            fresh = {'x': value, 'w': np.zeros(1)}
            with self.fails((varve.MismatchError, varve.UnmatchedError), 'x'):
                with varve.restore(fresh, self.path()) as restoration:
                    restoration.assert_consumed()

    def test_a_value_of_another_kind_replaces_a_restored_one(self):
        """The file has an object in its place, which the program had."""
        for first, later in ((None, 3.5), (None, 'text'), (None, [1.5]),
                             (None, (1, 2)), (None, np.ones(2)), ([], 3.5),
                             ([], 'text'), ([], [1, 2]), ({}, 4)):
            with self.subTest(first=first, later=later):
                path = self.path(f'{first}-{later}')
                for end in (3, 6):
                    ckpt = varve.Checkpoint(w=np.zeros(1), x=copy.copy(first))
                    with varve.Run(ckpt, path, interval_steps=1) as run:
                        for step in run.steps(end):
                            if step == 5:
                                ckpt.x = later
                saved = varve.load(path)['x']
                np.testing.assert_array_equal(saved, later)

    def test_created_values_share_what_was_shared(self):
        array, inner = np.ones(2), {'k': 1.5}
        pair = ['text', inner]
        loop = [1, 'text']
        loop.append(loop)
        varve.write({'array': array, 'list': [array, array], 'best': array,
                     'pairs': [pair, pair, inner], 'loop': loop,
                     'dict': {'p': pair, 'q': inner}}, self.path())
        fresh = {'array': np.zeros(2), 'list': [], 'best': None, 'pairs': [],
                 'loop': [], 'dict': {}}
        own = fresh['array']
        with varve.restore(fresh, self.path()) as restoration:
            restoration.assert_consumed()
        self.assertIs(fresh['array'], own)
        self.assertEqual(own.tolist(), [1, 1])
        for shared in (fresh['best'], *fresh['list']):
            self.assertIs(shared, own)
        self.assertEqual(fresh['pairs'], [pair, pair, inner])
        self.assertIs(fresh['pairs'][0], fresh['pairs'][1])
        self.assertIs(fresh['pairs'][2], fresh['dict']['q'])
        self.assertIs(fresh['dict']['p'], fresh['pairs'][0])
        self.assertIs(fresh['loop'][2], fresh['loop'])

    def test_a_run_resumes_with_an_array_that_was_appended_twice(self):
        array = np.ones(2)
        for end in 2, 4:
            ckpt = varve.Checkpoint(w=np.zeros(1), seen=[], best=None)
            with varve.Run(ckpt, self.path('run')) as run:
                for _ in run.steps(end):
                    ckpt.w += 1
                    ckpt.best = ckpt.w
                    ckpt.seen.append(array)
        self.assertEqual(len(ckpt.seen), 4)
        self.assertEqual(ckpt.w.tolist(), [4])
        self.assertIs(ckpt.best, ckpt.w)

    def test_objects_are_created_by_the_program_only(self):
        varve.write({'layers': [Layer(1), Layer(2)], 'none': Layer(3)},
                    self.path())
        fresh = {'layers': [], 'none': None}
        with varve.restore(fresh, self.path()) as restoration:
            self.assertEqual(fresh, {'layers': [], 'none': None})
            self.assertEqual(restoration.pending_count, 3)
            fresh['layers'] += [Layer(0), Layer(0)]
            fresh['none'] = Layer(0)
            restoration.assert_consumed()
        self.assertEqual([layer.w.tolist() for layer in fresh['layers']],
                         [[1, 1], [2, 2]])
        self.assertEqual(fresh['none'].w.tolist(), [3, 3])

    def test_containers_of_objects_added_later_are_filled(self):
        varve.write({'late': Layer(1, [1.0, 2.0])}, self.path())
        checkpoint = varve.Checkpoint()
        with checkpoint.restore(self.path()) as restoration:
            checkpoint.late = Layer(0)
            self.assertEqual(checkpoint.late.history, [1.0, 2.0])
            restoration.assert_consumed()

    def test_a_damaged_newest_file_fills_nothing(self):
        ckpt = varve.Checkpoint(w=np.ones(9), values=[1])
        with varve.Manager(ckpt, self.path('run')) as manager:
            manager.save(1)
            ckpt.values.append(2)
            manager.save(2)
        newest = varve.latest(self.path('run') + '/ckpt')
        data = bytearray(open_bytes(newest))
        at = data.index(np.ones(9).tobytes())
        data[at:at + 8] = bytes(8)
        with open(newest, 'wb') as stream:
            stream.write(data)
        ckpt = varve.Checkpoint(w=np.zeros(9), values=[])
        with varve.Manager(ckpt, self.path('run')) as manager:
            manager.resume()
            self.assertEqual(len(manager.skipped), 1)
            manager.assert_consumed()
        self.assertEqual(ckpt.values, [1])
        self.assertEqual(ckpt.w.tolist(), [1] * 9)


class Saves(Test):
    """A save never changes the program."""

    def setUp(self):
        super().setUp()
        varve.write({'layers': [Layer(1)], 'n': 1, 'w': np.ones(2)},
                    self.path())

    def test_refuse_a_value_that_a_pending_one_would_overwrite(self):
        tree = {'layers': [], 'n': 0}
        checkpoint = varve.Checkpoint(**tree)
        restoration = checkpoint.restore(self.path())
        checkpoint.layers.append(Layer(7))
        for _ in range(2):
            with self.fails(varve.MisuseError, 'layers/0/w', r'update\(\)'):
                checkpoint.write(self.path('b'))
        self.assertFalse(os.path.exists(self.path('b')))
        self.assertEqual(checkpoint.layers[0].w.tolist(), [7, 7])
        restoration.drop_pending('layers')
        checkpoint.write(self.path('b'))
        self.assertEqual(checkpoint.layers[0].w.tolist(), [7, 7])

    def test_contain_pending_values_without_a_target(self):
        checkpoint = varve.Checkpoint(n=0)
        with checkpoint.restore(self.path()):
            checkpoint.write(self.path('b'))
        with varve.open(self.path('b')) as found:
            self.assertEqual(found['layers/0/w'].read().tolist(), [1, 1])

    def test_contain_values_restored_by_update(self):
        checkpoint = varve.Checkpoint(layers=[], n=0, w=np.zeros(2))
        with checkpoint.restore(self.path()) as restoration:
            checkpoint.layers.append(Layer(7))
            restoration.update()
            checkpoint.layers[0].w += 1
            checkpoint.write(self.path('b'))
        self.assertEqual(checkpoint.layers[0].w.tolist(), [2, 2])

    def test_may_contain_an_object_at_two_paths(self):
        checkpoint = varve.Checkpoint(n=0, box={'a': Layer(2)})
        with checkpoint.restore(self.path()) as restoration:
            vars(checkpoint)['again'] = checkpoint.box
            checkpoint.write(self.path('b'))
            vars(checkpoint)['layers'] = [checkpoint.box['a']]
            with self.fails(varve.MisuseError, 'layers/0'):
                checkpoint.write(self.path('b'))
            self.assertEqual(checkpoint.box['a'].w.tolist(), [2, 2])
            restoration.drop_pending()
            checkpoint.write(self.path('b'))
        self.assertEqual(checkpoint.box['a'].w.tolist(), [2, 2])

    def test_setting_an_attribute_restores_no_other_object(self):
        checkpoint = varve.Checkpoint(layers=[], n=0)
        with checkpoint.restore(self.path()) as restoration:
            checkpoint.layers.append(Layer(7))
            checkpoint.w = np.zeros(2)
            self.assertEqual(checkpoint.w.tolist(), [1, 1])
            self.assertEqual(checkpoint.layers[0].w.tolist(), [7, 7])
            restoration.assert_consumed()
            self.assertEqual(checkpoint.layers[0].w.tolist(), [1, 1])

    def test_a_run_fails_before_it_loses_saved_values(self):
        ckpt = varve.Checkpoint(layers=[Layer(1)])
        with varve.Run(ckpt, self.path('run'), interval_steps=1) as run:
            run.step(1)
        ckpt = varve.Checkpoint(layers=[])
        with self.fails(varve.MisuseError, 'layers/0/w'):
            with varve.Run(ckpt, self.path('run'), interval_steps=1) as run:
                ckpt.layers.append(Layer(7))
                run.step(2)
        self.assertEqual(ckpt.layers[0].w.tolist(), [7, 7])


class Layer:
    def __init__(self, value, history=()):
        self.w = np.full(2, float(value))
        self.history = list(history)


def open_bytes(path):
    with open(path, 'rb') as stream:
        return stream.read()


if __name__ == '__main__':
    unittest.main()
