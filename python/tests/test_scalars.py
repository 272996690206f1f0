"""test_scalars.py - Tests the numbers of objects and dicts, which share
buffers.

SPDX-License-Identifier: MIT
"""
import random
import time
import types
import unittest

import numpy as np

import varve
from place import Test


def value_of(source):
    return source.choice((
        True, False, 0, -5, 2**63 - 1, -2**63, 2**63, 0.5, -0.0, float('inf'),
        1j, 'a', b'b', None, np.float64(0.5), np.ones(2), [1, 2], (0.5,), {},
        {'n': 1}))


def change(source, place):
    """Adds, replaces or removes a value."""
    name = source.choice('abcdefg')
    if source.randrange(3):
        place[name] = value_of(source)
    else:
        place.pop(name, None)


def shown(tree):
    return sorted((name, type(value), repr(value))
                  for name, value in tree.items())


class Numbers(Test):

    def test_changes_between_saves_are_saved(self):
        for seed in range(6):
            source = random.Random(seed)
            checkpoint = varve.Checkpoint(it=types.SimpleNamespace(), by={})
            for _ in range(20):
                for place in vars(checkpoint.it), checkpoint.by:
                    change(source, place)
                path = checkpoint.save(self.path('ckpt'))
                found = varve.load(path)
                self.assertEqual(shown(found['it']), shown(
                    vars(checkpoint.it)), seed)
                self.assertEqual(shown(found['by']), shown(checkpoint.by),
                                 seed)

    def test_an_int_may_be_of_another_size(self):
        """An int outside int64 is saved as text."""
        large, small = 2**63 + 5, -7
        for saved, now in (large, small), (small, large), (large, 2**64):
            for place in (lambda n: {'n': n, 'f': 0.5},
                          lambda n: {'n': types.SimpleNamespace(a=n)},
                          lambda n: {'n': [n, 'text'], 'k': (n, 'text')},
                          lambda n: {'m': {i: n for i in range(100)}}):
                varve.write(place(saved), self.path())
                fresh = place(now)
                varve.read(fresh, self.path()).assert_consumed() \
                    .assert_existing_objects_matched()
                self.assertEqual(fresh, place(saved))

    def test_an_int_of_another_size_is_renamed_and_resumed(self):
        large, small = 2**63 + 5, -7
        varve.write({'n': large}, self.path())
        tree = {'m': small}
        varve.restore(tree, self.path(), renames={'m': 'n'})
        self.assertEqual(tree, {'m': large})
        for saved, now in (large, small), (small, large):
            where = self.path(str(now))
            with varve.Run(varve.Checkpoint(n=saved), where) as run:
                run.step(1)
            checkpoint = varve.Checkpoint(n=now)
            with varve.Run(checkpoint, where) as run:
                self.assertEqual(run.resumed_step, 1)
                self.assertEqual(checkpoint.n, saved)

    def test_a_mismatch_leaves_ints_as_they_are(self):
        varve.write({'n': 2**63, 'w': np.zeros(2)}, self.path())
        tree = {'n': 5, 'w': np.ones(3)}
        with self.fails(varve.MismatchError, 'w: '):
            varve.read(tree, self.path())
        self.assertEqual(tree['n'], 5)
        varve.write({'n': str(2**63)}, self.path())
        with self.fails(varve.MismatchError, 'n: '):
            varve.read({'n': 5}, self.path())
        varve.write({'n': np.int64(3)}, self.path())
        with self.fails(varve.MismatchError, 'n: '):
            varve.read({'n': 2**63}, self.path())

    def test_numbers_are_restored_exactly(self):
        source = random.Random(1)
        values = {f'n{i}': source.choice((
            source.randrange(-2**63, 2**63), source.random(), True,
            float('nan'))) for i in range(500)}
        varve.write({'it': values}, self.path())
        fresh = {name: type(value)() for name, value in values.items()}
        held = fresh
        with varve.restore({'it': fresh}, self.path()) as restoration:
            restoration.assert_consumed()
        self.assertIs(fresh, held)
        self.assertEqual(shown(fresh), shown(values))

    def test_a_failed_restore_changes_no_number(self):
        varve.write({'a': 1, 'b': 2.5, 'w': np.ones(2)}, self.path())
        tree = {'a': 0, 'b': 0.5, 'w': np.zeros(3)}
        with self.fails(varve.MismatchError, 'w'):
            varve.restore(tree, self.path())
        self.assertEqual((tree['a'], tree['b']), (0, 0.5))
        with self.fails(varve.MismatchError, 'a'):
            varve.restore({'a': 0.5}, self.path())

    def test_numbers_added_after_the_restore(self):
        class Part(varve.Tracked):
            pass
        varve.write({'part': {'n': 7, 'x': 0.5}, 'k': 3}, self.path())
        checkpoint = varve.Checkpoint()
        with checkpoint.read(self.path()) as restoration:
            checkpoint.k = 0
            self.assertEqual(checkpoint.k, 3)
            part = Part()
            part.n = 0
            checkpoint.part = part
            self.assertEqual(part.n, 7)
            vars(part)['x'] = 9.0  # as of a program that wrote there
            with self.fails(varve.MisuseError, 'part/x: .*update'):
                checkpoint.save(self.path('ckpt'))
            restoration.drop_pending()
        checkpoint.save(self.path('ckpt'))
        self.assertEqual(varve.load(self.path('ckpt-1.varve'))['part'],
                         {'n': 7, 'x': 9.0})

    def test_invalid_names_of_numbers_are_refused(self):
        for name in '', 'a\0b', 'x' * 65536, '\ud800':
            with self.fails(varve.MisuseError, 'it: invalid name'):
                varve.write({'it': {name: 1, 'b': 2}}, self.path())
        names = {'ü': 1, 'a/b': 2, '%': 3, 'x' * 65535: 4, 5: 5}
        varve.write({'it': names}, self.path())
        self.assertEqual(varve.load(self.path())['it'], names)


def deep(count):
    root = at = types.SimpleNamespace()
    for i in range(count):
        at.n, at.best, at.next = i, None, types.SimpleNamespace()
        at = at.next
    return root


class Depth(Test):

    def test_a_linked_list_takes_time_proportional_to_its_length(self):
        taken = []
        for count in 500, 8000:
            tree = {'it': deep(count)}
            varve.write(tree, self.path())
            begin = time.process_time()
            with varve.restore(tree, self.path()) as restoration:
                taken.append((time.process_time() - begin) / count)
                restoration.assert_consumed()
        self.assertLess(taken[1], 5 * taken[0])  # by the square: 16


if __name__ == '__main__':
    unittest.main()
