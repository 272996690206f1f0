"""test_strings.py - Tests fixed-width strings, and text that UTF-8 cannot
encode.

SPDX-License-Identifier: MIT
"""
import unittest

import numpy as np

import varve
from place import Test


class FixedStrings(Test):
    """Arrays of fixed-width strings: `<U`, `S`."""

    KINDS = {'u': np.array([['cat', 'ü'], ['', 'dog']]),
             's': np.array([b'ab', b'\xff\0c']),
             'big': np.array(['x', '\U0001f431z'], '>U2'),
             'column': np.array([['a', 'b'], ['c', 'd']])[:, 1],
             'one': np.array('word'), 'none': np.zeros((0, 2), 'U3')}

    def test_are_restored_in_place(self):
        tree = {name: array.copy() for name, array in self.KINDS.items()}
        varve.write(tree, self.path())
        other = {name: np.zeros_like(array)
                 for name, array in self.KINDS.items()}
        base = np.full((2, 2), 'q', '<U1')
        other['column'] = base[:, 1]
        before = dict(other)
        varve.restore(other, self.path()).assert_consumed()
        for name, array in self.KINDS.items():
            np.testing.assert_array_equal(other[name], array)
            self.assertIs(other[name], before[name])
        self.assertEqual(base.tolist(), [['q', 'b'], ['q', 'd']])

    def test_are_restored_into_other_widths_and_types(self):
        varve.write({'a': np.array(['cat', 'dog'])}, self.path())
        for kind in '<U3', '>U7', 'S3', object:
            other = {'a': np.array(['q', ''], kind)}
            varve.restore(other, self.path())
            self.assertEqual([str(item, 'utf-8') if isinstance(item, bytes)
                              else item for item in other['a']],
                             ['cat', 'dog'])

    def test_too_long_are_refused_before_anything_changes(self):
        cases = [
            (np.array(['cat', 'horse']), np.array(['q', 'r'], 'U3'),
             r"labels: element 1, 'horse', does not fit into an array of <U3, "
             r"which contains strings of up to 3 characters; use an array of "
             r"objects"),
            (np.array(['cat', 'ü']), np.array(['q', 'r'], 'S3'), None),
            (np.array(['cat', 'üü']), np.array(['q', 'r'], 'S3'),
             r'labels: element 1.*strings of up to 3 bytes'),
            (np.array(['a', 'b\0'], object), np.array(['q', 'r'], 'U3'),
             r'labels: element 1.*strings with no NUL at their end'),
            (np.array(['a', b'\xff'], object), np.array(['q', 'r'], 'U3'),
             r"labels: element 1.*strings of UTF-8"),
        ]
        for saved, array, words in cases:
            varve.write({'labels': saved, 'n': np.ones(3), 'step': 7},
                        self.path())
            other = {'labels': array.copy(), 'n': np.zeros(3), 'step': 0}
            if words is None:
                varve.restore(other, self.path())
                self.assertEqual(other['labels'].tolist(),
                                 [b'cat', 'ü'.encode()])
                continue
            for passes in 'auto', 'one', 'two':
                with self.fails(varve.MismatchError, words):
                    varve.restore(other, self.path(), passes=passes)
                self.assertEqual(other['labels'].tolist(), ['q', 'r']
                                 if array.dtype.kind == 'U' else [b'q', b'r'])
                self.assertEqual(other['n'].tolist(), [0, 0, 0])
                self.assertEqual(other['step'], 0)

    def test_too_long_are_refused_with_a_rename_too(self):
        varve.write({'old': {'x/y': np.array(['horse'])}, 'n': np.ones(1)},
                    self.path())
        other = {'deep': {'x/y': np.array(['q'])}, 'n': np.zeros(1)}
        with self.fails(varve.MismatchError, 'deep/x%2Fy: '):
            varve.restore(other, self.path(), renames={'deep': 'old'})
        self.assertEqual(other['n'][0], 0)
        varve.restore(other, self.path(), renames={'deep': 'old'},
                      except_='deep')
        self.assertEqual((other['n'][0], other['deep']['x/y'][0]), (1, 'q'))

    def test_added_after_the_restore_are_restored(self):
        varve.write({'a': np.array(['cat']), 'b': np.array(['horse'])},
                    self.path())
        checkpoint = varve.Checkpoint()
        restoration = checkpoint.restore(self.path())
        checkpoint.a = np.array(['xyz'])
        self.assertEqual(checkpoint.a[0], 'cat')
        with self.fails(varve.MismatchError, 'b: ', 'horse'):
            checkpoint.b = np.array(['xyz'])
        self.assertEqual(checkpoint.b[0], 'xyz')
        restoration.close()
        checkpoint.write(self.path('b'))
        self.assertEqual(varve.load(self.path('b')),
                         {'a': ['cat'], 'b': ['xyz']})

    def test_are_saved_and_restored_by_a_manager(self):
        first = varve.Checkpoint(labels=np.array(['cat', 'horse']),
                                 n=np.ones(2))
        with varve.Manager(first, self.path('run')) as manager:
            manager.save(1)
        for width, words in (5, None), (3, 'labels: element 1'):
            other = varve.Checkpoint(labels=np.array(['', ''], f'U{width}'),
                                     n=np.zeros(2))
            with varve.Manager(other, self.path('run')) as manager:
                if not words:
                    manager.resume()
                    self.assertEqual(other.labels.tolist(), ['cat', 'horse'])
                    continue
                with self.fails(varve.MismatchError, words):
                    manager.resume()
            self.assertEqual(other.n.tolist(), [0, 0])

    def test_accept_only_text_that_utf_8_can_encode(self):
        bad = np.array(['a', 'b']).view('u4').copy()
        for code in 0xd800, 0x110000, 0xffffffff:
            bad[1] = code
            with self.fails(varve.MisuseError, 'in/0: cannot save the ',
                            'character .* in element 1'):
                varve.write({'in': [bad.view('U1')]}, self.path())


class Surrogates(Test):
    """Lone surrogates, which UTF-8 cannot encode."""

    def test_are_refused_with_path_and_suggestion(self):
        checkpoint = varve.Checkpoint(good=1)
        cases = [
            ('a\udc80', r"bad/0: cannot save the string 'a\\udc80', which "
             r'has a lone surrogate; save bytes, '),
            (np.array(['a', '\ud800'], object),
             r'bad/0: cannot save the string .* as element 1'),
            ({'k\udc80': 1}, r"bad/0: invalid name 'k\\udc80': it has a "
             r"lone surrogate"),
        ]
        for value, words in cases:
            checkpoint.bad = [value]
            with self.fails(varve.MisuseError, words):
                checkpoint.write(self.path())
        setattr(checkpoint, 'bad', 1)
        setattr(checkpoint, 'n\ud800', 1)
        with self.fails(varve.MisuseError, 'the root: invalid name'):
            checkpoint.write(self.path())
        delattr(checkpoint, 'n\ud800')
        checkpoint.write(self.path())
        self.assertEqual(varve.load(self.path()), {'good': 1, 'bad': 1})

    def test_are_refused_in_options(self):
        for options in ({'metadata': {'a': '\udc80'}},
                        {'metadata': {'\ud800': 1}}):
            with self.fails(varve.MisuseError, 'metadata', 'UTF-8'):
                varve.write({}, self.path(), **options)
        varve.write({'a': 1}, self.path())
        for options in ({'only': '\udc80'}, {'except_': ['a', '\ud800']},
                        {'renames': {'a': '\ud800'}},
                        {'any_shape': '\udc80'}):
            with self.fails(varve.MisuseError, next(iter(options)), 'UTF-8'):
                varve.restore({'a': 0}, self.path(), **options)

    def test_are_not_found_in_a_file(self):
        varve.write({'a': 1}, self.path(), metadata={'step': 1})
        with varve.open(self.path()) as file:
            self.assertNotIn('\udc80', file)
            with self.fails(varve.NotFoundError, 'udc80'):
                file['\udc80']
        restoration = varve.restore({'a': 0}, self.path())
        self.assertIsNone(restoration.metadata('\ud800'))
        with self.fails(varve.MisuseError, 'drop_pending', 'UTF-8'):
            restoration.drop_pending('\ud800')


if __name__ == '__main__':
    unittest.main()
