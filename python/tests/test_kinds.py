"""test_kinds.py - Checks that load returns the types that were saved.

SPDX-License-Identifier: MIT
"""
import collections
import pickle
import random
import unittest
import zipfile

import numpy as np

import varve
from place import Test

STATE = {
    'name': 'net', 'raw': b'\0\1', 'none': None, 'pair': (1, 2), 'flag': True,
    'count': 7, 'rate': 0.5, 'empty': {}, 'nothing': [], 'tuple': (),
    'by': {0: 1.5, 10: 2.5}, 'both': {0: 1.5, 'a': 2.5}, 'text': {'0': 1},
    'mixed': [None, 'a', 1, 2.5], 'array': np.arange(3.0), 'z': 1j,
    'floats': [0.5, float('nan'), -0.0], 'bools': [True, False],
    'flags': (True,), 'complex': [1j, 2j], 'nested': ((1, (2.5, None)), []),
    'rows': [[1, 2], [3.5]], 'large': [2**63, -2**200, 0], 'int': -2**70,
    'numpy': np.float64(2.5), 'short': np.int8(3), 'zero': np.array(4),
    'deep': {1: {2: {'3': (None,)}}}, 'counter': collections.Counter(a=2),
    'words': np.array(['cat', 'ü']), 'bytes': np.array([b'ab', b'c']),
    'objects': np.array(['cat', 'ü'], object),
}


class Kinds(Test):

    def test_load_returns_the_saved_values(self):
        varve.write(STATE, self.path())
        found = varve.load(self.path())
        self.assertEqual(set(found), set(STATE))
        for name, value in STATE.items():
            self.assertIs(type(found[name]), type(value), name)
            self.assertEqual(repr(found[name]), repr(value), name)

    def test_load_returns_integer_keys_of_a_torch_file(self):
        state = {'by': {0: 1.5, -10: 2.5}, 'text': {'0': 1.5},
                 'both': {0: 1.5, '1': 2.5}}
        with zipfile.ZipFile(self.path('a.pt'), 'w') as archive:
            archive.writestr('a/data.pkl', pickle.dumps(state, 2))
            archive.writestr('a/version', '3\n')
        found = varve.load(self.path('a.pt'))
        self.assertEqual(found, {**state, 'both': {'0': 1.5, '1': 2.5}})

    def test_restore_sets_the_saved_values(self):
        varve.write(STATE, self.path())
        fresh = {name: like(value) for name, value in STATE.items()}
        with varve.restore(fresh, self.path()) as restoration:
            restoration.assert_consumed()
        for name, value in STATE.items():
            self.assertEqual(repr(fresh[name]), repr(value), name)

    def test_restored_number_lists_have_the_saved_length_and_type(self):
        for saved in [1, 2, 3], [0.5], [], (1, 2), [1, 'a'], [None, 2.5]:
            varve.write({'it': saved}, self.path())
            for fresh in [], [7], [0.5, 1.5], [True], [1, 2, 3, 4], ['x', 1]:
                if not saved and fresh:
                    continue
                tree = {'it': type(saved)(fresh)}
                with varve.restore(tree, self.path()) as restoration:
                    restoration.assert_consumed()
                self.assertEqual(tree['it'], saved, (saved, fresh))
                self.assertIs(type(tree['it']), type(saved))

    def test_lists_written_by_other_programs(self):
        tree = {'it': [np.float64(1.5), np.float64(2.5)]}
        varve.write(tree, self.path())
        for fresh in [0.0], [0.0, 0.0], [1, 2, 3], []:
            it = {'it': fresh}
            with varve.restore(it, self.path()) as restoration:
                restoration.assert_consumed()
            self.assertEqual(it['it'], [1.5, 2.5])
            self.assertIs(it['it'], fresh)

    def test_names_are_loaded_in_sorted_order(self):
        varve.write({'it': collections.OrderedDict(b=1, a=2)}, self.path())
        found = varve.load(self.path())['it']
        self.assertIs(type(found), dict)
        self.assertEqual(list(found.items()), [('a', 2), ('b', 1)])

    def test_a_list_of_numbers_is_one_value(self):
        varve.write({'loss': [0.5] * 1000}, self.path())
        with varve.open(self.path()) as file:
            self.assertEqual(file['loss'].shape, (1000,))
            self.assertLess(file.size, 12000)

    def test_random_trees(self):
        for seed in range(100):
            source = random.Random(seed)
            tree = {'a': any_value(source), 'b': any_value(source)}
            varve.write(tree, self.path())
            self.assertEqual(shown(varve.load(self.path())), shown(tree), seed)
            for fresh in {'a': None, 'b': None}, changed(tree):
                with varve.restore(fresh, self.path()) as restoration:
                    restoration.assert_consumed()
                self.assertEqual(shown(fresh), shown(tree), seed)

    def test_ambiguous_keys_are_refused(self):
        with self.fails(varve.MisuseError, "it: invalid name '5'.*int"):
            varve.write({'it': {1: 1, '5': 2}}, self.path())

    def test_files_of_other_formats_keep_their_lists(self):
        tree = {'a': [1.5, 2.5], 'n': np.ones(2)}
        varve.write(tree, self.path('a.npz'), format='npz')
        with varve.open(self.path('a.npz')) as file:
            self.assertEqual(sorted(file), ['a/0', 'a/1', 'n'])


def any_value(source, depth=0):
    """Returns a random value."""
    what = source.randrange(11 if depth < 4 else 7)
    count = source.randrange(4)
    if what < 6:
        return source.choice((
            None, True, 'ü', b'\xff', -5, 2**65, 0.1, 1j, np.float32(1.5),
            np.int64(3)))
    if what == 6:
        return np.arange(count).astype(source.choice(('f4', 'i8', '?')))
    if what == 7:
        return source.choice((list, tuple))(map(float, range(count)))
    if what == 8:
        return source.choice((list, tuple))(
            any_value(source, depth + 1) for _ in range(count))
    return {source.randrange(9) if what == 9 else source.choice('abcdef'):
            any_value(source, depth + 1) for _ in range(count)}


def shown(value):
    """Describes a value with its types; the order of a dict is ignored."""
    if isinstance(value, dict):
        return sorted((repr(key), shown(child))
                      for key, child in value.items())
    if isinstance(value, (list, tuple)):
        return type(value), [shown(child) for child in value]
    return type(value), repr(value)


def changed(value):
    """Returns a value of the same structure with other numbers and texts."""
    if isinstance(value, dict):
        return {key: changed(child) for key, child in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(changed(child) for child in value)
    if isinstance(value, np.ndarray):
        return np.zeros_like(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value + 1
    return value + value if isinstance(value, (str, bytes)) else value


def like(value):
    """Returns another value of the same type."""
    if isinstance(value, np.ndarray):
        return np.full_like(value, 0 if value.dtype.kind in 'iuf' else '')
    if isinstance(value, (tuple, list, dict, bool)) or value is None:
        return type(value)()
    if isinstance(value, np.generic):
        return type(value)(0)
    return value * 0 if not isinstance(value, (str, bytes, int)) else \
        type(value)() if not isinstance(value, int) or value == 7 else -2**66


if __name__ == '__main__':
    unittest.main()
