"""test_values.py - Saves and restores values of all types, or rejects them.

SPDX-License-Identifier: MIT
"""
import collections
import copy
import enum
import random
import sys
import tracemalloc
import types
import unittest
from unittest import mock

import numpy as np

import varve
from place import Test

NUMBERS = ['bool', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', 'f4',
           'f8', 'c8', 'c16']


def some(dtype):
    return np.arange(-6, 6).astype(dtype).reshape(3, 4)


def varve_dtype_array():
    """Returns an array whose type NumPy lacks."""
    array = np.zeros(3, varve.dtype('bfloat16'))
    array.view('u2')[...] = 1, 2, 3
    return array


def zeroed(tree):
    """Returns the same tree with zeros in its arrays."""
    fresh = copy.deepcopy(tree)
    for array in arrays_of(fresh):
        array[...] = 0
    return fresh


def arrays_of(tree):
    if isinstance(tree, np.ndarray):
        yield tree
    elif isinstance(tree, (dict, list)):
        for child in tree.values() if isinstance(tree, dict) else tree:
            yield from arrays_of(child)


class Arrays(Test):

    def test_are_restored_exactly(self):
        tree = {name: some(name) for name in NUMBERS}
        varve.write(tree, self.path())
        for found in varve.load(self.path()), varve.load(self.path(), map=True):
            for name, array in tree.items():
                self.assertEqual(found[name].dtype, array.dtype)
                np.testing.assert_array_equal(found[name], array)

    def test_without_elements_or_dimensions(self):
        tree = {'none': np.zeros((3, 0), 'f4'), 'one': np.array(2.5)}
        varve.write(tree, self.path())
        other = {'none': np.ones((3, 0), 'f4'), 'one': np.array(0.0)}
        varve.restore(other, self.path()).assert_consumed()
        self.assertEqual(other['one'], 2.5)
        self.assertEqual(varve.load(self.path(), map=True)['none'].shape,
                         (3, 0))

    def test_not_contiguous_are_gathered_and_scattered(self):
        def big():
            return some('f8')

        unaligned = np.frombuffer(bytearray(33), 'f8', 4, 1)
        unaligned[:] = 1, 2, 3, 4
        tree = {'t': big().T, 'column': big()[:, 1], 'back': big()[::-1, ::2],
                'box': big()[1:, 1:3], 'fortran': np.asfortranarray(big()),
                'swapped': some('>f4'), 'turned': some('>f4').T,
                'unaligned': unaligned, 'none': big()[:, :0],
                'field': np.zeros(3, 'i4,f4')['f1']}
        expected = {name: array.copy() for name, array in tree.items()}
        varve.write(tree, self.path())
        for found in varve.load(self.path()), varve.load(self.path(), map=True):
            for name, array in expected.items():
                np.testing.assert_array_equal(found[name], array)
        for name, array in tree.items():
            around = array.base if array.base is not None else array
            around = np.asarray(around)
            around[...] = np.zeros((), around.dtype)
            varve.restore({name: array}, self.path(), expect_unexpected='**')
            np.testing.assert_array_equal(array, expected[name])
        self.assertEqual(varve.open(self.path())['swapped'].type, 'float32')

    def test_memory_between_strided_elements_is_unchanged(self):
        big = some('f8')
        varve.write({'a': big[1:, 1:3], 'b': big[0, ::-3]}, self.path())
        other = np.full((3, 4), -1.0)
        varve.restore({'a': other[1:, 1:3], 'b': other[0, ::-3]}, self.path())
        expected = np.full((3, 4), -1.0)
        expected[1:, 1:3] = big[1:, 1:3]
        expected[0, ::-3] = big[0, ::-3]
        np.testing.assert_array_equal(other, expected)

    def test_not_contiguous_are_not_copied(self):
        array = np.zeros((1 << 22, 4), 'f4')
        checkpoint = varve.Checkpoint(a=array[:, 1], t=array[:1 << 20, 2:].T)
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        checkpoint.write(self.path())
        checkpoint.restore(self.path()).assert_consumed()
        self.assertLess(tracemalloc.get_traced_memory()[1], 4 << 20)

    def test_with_changed_strides_are_saved_as_they_are(self):
        array = np.arange(12.0)
        checkpoint = varve.Checkpoint(a=array[:6])
        checkpoint.write(self.path())
        checkpoint.a = array[::2]  # begins where the other did
        checkpoint.write(self.path())
        found = varve.load(self.path())['a']
        self.assertEqual(found.tolist(), [0, 2, 4, 6, 8, 10])
        checkpoint.a = array[6:]
        checkpoint.restore(self.path())
        self.assertEqual(array[6:].tolist(), [0, 2, 4, 6, 8, 10])

    def test_not_contiguous_of_any_shape_are_restored(self):
        varve.write({'a': np.arange(10.0)}, self.path())
        big = np.zeros((3, 4))
        checkpoint = varve.Checkpoint(a=big[:, 1])
        checkpoint.restore(self.path(), any_shape=True)
        self.assertEqual(checkpoint.a.tolist(), list(range(10)))
        checkpoint.a[3] = 7
        checkpoint.write(self.path())
        self.assertEqual(varve.load(self.path())['a'][3], 7)
        self.assertEqual(big.sum(), 0)

    def test_not_contiguous_are_saved_asynchronously(self):
        big = np.arange(12.0).reshape(3, 4)
        checkpoint = varve.Checkpoint(a=big[:, 1], step=0)
        with varve.Manager(checkpoint, self.path('managed'), background=True,
                           interval_seconds=0) as manager:
            manager.save(1)
            big[...] = -1
            manager.wait()
            manager.resume()
        self.assertEqual(big[:, 1].tolist(), [1, 5, 9])
        self.assertEqual(big[0, 0], -1)

    def test_with_overlapping_elements_are_saved_but_not_restored(self):
        lying = np.lib.stride_tricks.as_strided
        base = np.arange(6.0)
        cases = {'repeated': lying(base, (3, 6), (0, 8)),
                 'sliding': lying(base, (4, 3), (8, 8)),
                 'swapped': lying(some('>f8'), (2, 3), (0, 8))}
        varve.write(cases, self.path())
        found = varve.load(self.path())
        for name, array in cases.items():
            np.testing.assert_array_equal(found[name], array)
            before = array.copy()
            with self.fails(varve.MisuseError, f'deep/{name}: cannot',
                            'overlap', 'strides'):
                varve.restore({'deep': {name: array}}, self.path())
            np.testing.assert_array_equal(array, before)
        shared = np.broadcast_to(np.arange(3.0), (2, 3))
        varve.write({'shared': shared}, self.path())
        np.testing.assert_array_equal(varve.load(self.path())['shared'], shared)
        with self.fails(varve.MisuseError, 'shared: ', 'read-only'):
            varve.restore({'shared': shared}, self.path())

    def test_read_only_are_saved_but_not_restored(self):
        array = some('f4')
        array.flags.writeable = False
        varve.write({'a': {'b': array}}, self.path())
        with self.fails(varve.MisuseError, 'a/b: ', 'read-only'):
            varve.restore({'a': {'b': array}}, self.path())

    def test_of_bools_other_than_0_and_1_are_not_saved(self):
        bools = np.array([1, 0, 2], 'u1').view(bool)
        with self.fails(varve.MisuseError, 'a/b: element 2: '):
            varve.write({'a': {'b': bools}}, self.path())

    def test_of_types_that_numpy_lacks(self):
        for name in 'bfloat16', 'float8_e4m3fn', 'float8_e5m2':
            bits = np.arange(4, dtype=f'u{varve.dtype(name).itemsize}')
            array = bits.view(varve.dtype(name))
            varve.write({'a': array, 'rows': array.copy()[::2]}, self.path())
            with varve.open(self.path()) as file:
                self.assertEqual(file['a'].type, name)
                self.assertEqual(file['rows'].type, name)
                self.assertEqual(varve.dtype_name(file['a'].map().dtype), name)
            array.view(bits.dtype)[...] = 0
            varve.restore({'a': array}, self.path())
            self.assertEqual(bits.tolist(), [0, 1, 2, 3])
            with self.fails(varve.MismatchError, 'a'):
                varve.restore({'a': np.zeros(4, 'u8')}, self.path())

    def test_resized_are_saved_with_their_new_size(self):
        tree = {'a': np.arange(4.0)}
        checkpoint = varve.Checkpoint(tree=tree)
        checkpoint.write(self.path())
        tree['a'].resize(500000, refcheck=False)
        tree['a'][-1] = 5
        checkpoint.write(self.path())
        self.assertEqual(varve.load(self.path())['tree']['a'][-1], 5)

    def test_of_all_layouts_keep_their_index_in_a_list(self):
        """Runs of contiguous arrays are added by one call."""
        for seed in range(12):
            source = random.Random(seed)
            shared = some('f8')
            each = [lambda: np.full(source.randrange(1, 5), 0.5),
                    lambda: np.zeros((2, 0, 3), 'i2'),
                    lambda: some('u2').T, lambda: some('f4')[:, ::2],
                    lambda: some('i4').astype('>i4'), lambda: shared,
                    lambda: varve_dtype_array(), lambda: np.array(7.5),
                    lambda: 'text', lambda: {'n': some('c8'), 'm': 1},
                    lambda: {5: some('?'), 12: some('i8'), 'x': shared}]
            tree = {'it': [source.choice(each)() for _ in range(12)],
                    'by': {f'{i}': source.choice(each)() for i in range(9)}}
            checkpoint = varve.Checkpoint(**tree)
            for _ in range(3):
                path = checkpoint.save(self.path('ckpt'))
                found = varve.load(path)
                np.testing.assert_equal(found['it'], checkpoint.it)
                np.testing.assert_equal(found['by'], checkpoint.by)
                fresh = zeroed(tree)
                with varve.restore(fresh, path) as restoration:
                    restoration.assert_consumed()
                np.testing.assert_equal(fresh, tree)
                checkpoint.it.append(source.choice(each)())
                checkpoint.it[source.randrange(12)] = source.choice(each)()
                checkpoint.by[source.choice('0123456789x')] = \
                    source.choice(each)()
                tree = {'it': checkpoint.it, 'by': checkpoint.by}

    def test_not_referenced_by_the_program_are_kept_alive(self):
        checkpoint = varve.Checkpoint(a=np.full(100000, 7.0))
        checkpoint.write(self.path())
        restoration = checkpoint.restore(self.path())
        del checkpoint.a
        restoration.update()
        checkpoint.a = np.full(100000, 8.0)
        checkpoint.write(self.path())
        self.assertEqual(varve.load(self.path())['a'][-1], 8)


class Plain(Test):

    def test_values_keep_their_types(self):
        tree = {'bool': True, 'int': -5, 'float': 0.5, 'complex': 1 - 2j,
                'str': 'grün', 'bytes': b'\0\xff', 'f4': np.float32(1.5),
                'empty': ''}
        varve.write(tree, self.path())
        other = {name: type(value)() for name, value in tree.items()}
        varve.restore(other, self.path()).assert_consumed()
        self.assertEqual(other, tree)
        for name, value in tree.items():
            self.assertIs(type(other[name]), type(value), name)

    def test_strings_in_arrays(self):
        array = np.array([['a', b'bc'], ['', 'd' * 9]], object)
        varve.write({'o': array, 'u': np.array(['x', 'yz']),
                     's': np.array([b'x'])}, self.path())
        found = varve.load(self.path())
        self.assertEqual(found['o'].tolist(),
                         [[b'a', b'bc'], [b'', b'd' * 9]])
        self.assertEqual(found['u'].tolist(), ['x', 'yz'])
        self.assertEqual(found['u'].dtype.kind, 'U')
        other = {'o': np.full((2, 2), 'q', object)}
        varve.restore(other, self.path())
        self.assertEqual(other['o'].tolist(), [['a', 'bc'], ['', 'd' * 9]])
        varve.write(other, self.path())
        self.assertEqual(varve.load(self.path())['o'][1, 1], 'd' * 9)

    def test_tuples_are_replaced(self):
        Pair = collections.namedtuple('Pair', 'a b')
        tree = {'t': (1, (2.5, 'x')), 'p': Pair(3, np.zeros(2))}
        varve.write(tree, self.path())
        other = {'t': (0, (0.0, '')), 'p': Pair(0, np.ones(2))}
        varve.restore(other, self.path()).assert_consumed()
        self.assertEqual(other['t'], tree['t'])
        self.assertEqual(other['p'].a, 3)
        self.assertIsInstance(other['p'], Pair)

    def test_none_keeps_its_index(self):
        state = random.Random(5).getstate()
        self.assertIsNone(state[2])
        tree = {'random': state, 'list': [None, np.ones(2), None],
                'none': None}
        varve.write(tree, self.path())
        found = varve.load(self.path())
        self.assertEqual(sorted(found), ['list', 'none', 'random'])
        self.assertEqual(found['random'][2], None)
        self.assertEqual([type(item) for item in found['list']],
                         [type(None), np.ndarray, type(None)])
        other = {'random': random.Random(6).getstate(),
                 'list': [None, np.zeros(2), None], 'none': None}
        varve.restore(other, self.path()).assert_consumed()
        self.assertEqual(other['random'], state)
        self.assertEqual(other['list'][1].tolist(), [1, 1])
        self.assertEqual(other['list'][0::2], [None, None])
        checkpoint = varve.Checkpoint(a=[None, 1.5], b={})
        for value in [2, None], [None, None], [{}, 3], [None]:
            checkpoint.a = value
            checkpoint.write(self.path())
            self.assertEqual(varve.load(self.path())['a'], value)

    def test_none_and_a_value_are_distinguished(self):
        for saved, wanted, word in (([None], [np.zeros(2)], 'None'),
                                    ([{}, 's'], [1.5, 's'], 'a dict')):
            varve.write({'n': np.ones(1), 'a': {'b': saved}}, self.path())
            other = {'n': np.zeros(1), 'a': {'b': wanted}}
            with self.fails(varve.MismatchError, f'a/b/0: saved {word},'):
                varve.restore(other, self.path())
            self.assertEqual(other['n'][0], 0)

    def test_unsupported_objects_are_refused_with_their_path(self):
        class Colour(enum.Enum):
            RED = 1

        class IntColour(enum.IntEnum):
            RED = 1

        cases = [
            (len, 'builtin_function_or_method len'), (lambda: 0, 'function'),
            ({1, 2}, 'set'), (object(), 'object'), (sys, 'module'),
            (Colour.RED, 'Colour'), (IntColour.RED, 'IntColour'),
            (np.array([object()]), 'element 0 of the array is object'),
            (np.array(['2020-01-01'], 'M8[D]'), r'datetime64\[D\]'),
            (np.zeros(2, 'i4,f4'), r'element type'),
            (np.array([None]), 'element 0 of the array is NoneType'),
            (np.longdouble(1), 'element type'),
            ({2.5: 1.0}, 'names must be str or int'),
            ({True: 1.0}, 'invalid name True'),
            ({3: 1.0, '3': 2.0}, 'as int and as'),
            ({'': 1}, '1 to 65535'), ({'a\0': 1}, 'no NUL'),
            ({'\udc80': 1}, 'UTF-8'), ({'x' * 65536: 1}, '65535'),
        ]
        checkpoint = varve.Checkpoint(good=1)
        for value, words in cases:
            checkpoint.bad = {'in': [value]}
            with self.fails(varve.MisuseError, 'bad/in/0', words):
                checkpoint.write(self.path())
        del checkpoint.bad
        checkpoint.write(self.path())
        self.assertEqual(varve.load(self.path()), {'good': 1})

    def test_integer_keys(self):
        tree = {'state': {0: {'mean': np.ones(2)}, -7: 3}}
        varve.write(tree, self.path())
        self.assertEqual(varve.load(self.path())['state'][-7], 3)
        other = {'state': {0: {'mean': np.zeros(2)}, -7: 0}}
        varve.restore(other, self.path()).assert_consumed()
        self.assertEqual(other['state'][-7], 3)
        self.assertEqual(other['state'][0]['mean'].tolist(), [1, 1])

    def test_a_root_without_names_is_refused(self):
        for root in [1], np.zeros(3), 5, 'text':
            with self.fails(varve.MisuseError, 'the root'):
                varve.write(root, self.path())


if __name__ == '__main__':
    unittest.main()
