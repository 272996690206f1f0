"""test_objects.py - Saves objects of other libraries, or rejects them.

SPDX-License-Identifier: MIT
"""
import array
import collections
import ctypes
import importlib
import os
import random
import subprocess
import sys
import types
import unittest

import numpy as np

import varve
from place import Test


class Wrapped:
    """An array that NumPy can convert."""

    def __init__(self, values):
        self._value = np.asarray(values)

    shape = property(lambda self: self._value.shape)
    dtype = property(lambda self: self._value.dtype)

    def __array__(self, dtype=None, copy=None):
        return self._value


class Copied(Wrapped):
    """An array whose conversion is a copy, as for device memory."""

    def __array__(self, dtype=None, copy=None):
        return self._value.copy()

    def assign(self, values):
        self._value = values.copy()


class Stored(Copied):
    assign = None

    def __setitem__(self, index, values):
        self._value[index] = values


class Frozen(Copied):
    assign = None


class ByDict:
    def __init__(self, n):
        self._n = n

    def state_dict(self):
        return {'n': self._n, 'more': {'values': [self._n] * 2}}

    def load_state_dict(self, state):
        self._n = state['n']
        assert state['more'] == {'values': [self._n] * 2}


class ByState:
    def __init__(self, n):
        self._n = n

    def __getstate__(self):
        return {'_n': self._n}


class Slots:
    __slots__ = 'rate', '_hidden'

    def __init__(self, rate):
        self.rate = rate


class MoreSlots(Slots):
    __slots__ = ()


class Units(np.ndarray):
    pass


class Words(str):
    pass


class Table(dict):
    pass


class Rows(list):
    pass


Pair = collections.namedtuple('Pair', 'mu nu')
Swapped = collections.namedtuple('Pair', 'nu mu')


def alone(test):
    """Runs a test in a process of its own, because some libraries start
    threads, and other tests fork."""
    def run(self):
        if os.environ.get('VARVE_ALONE'):
            test(self)
            return
        result = subprocess.run(
            [sys.executable, '-B', '-m', 'unittest', '-v', self.id()],
            cwd=os.path.dirname(os.path.abspath(__file__)), text=True,
            env={**os.environ, 'VARVE_ALONE': '1', 'JAX_PLATFORMS': 'cpu'},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)
        if 'skipped' in result.stdout:
            self.skipTest('not here')
    return run


class Objects(Test):

    def comes_back(self, saved, fresh, look):
        """Saves one value, and restores it into another."""
        self.assertEqual(varve.write({'it': saved, 'n': 1}, self.path()), [])
        tree = {'it': fresh, 'n': 0}
        with varve.restore(tree, self.path()) as restoration:
            restoration.assert_consumed()
            restoration.assert_existing_objects_matched()
        np.testing.assert_equal(look(tree['it']), look(saved))
        return tree['it']

    def test_arrays_of_other_libraries(self):
        for kind in Wrapped, Copied, Stored:
            fresh = kind([0.0, 0.0])
            come = self.comes_back(kind([1.5, 2.0]), fresh,
                                   lambda value: value._value)
            self.assertIs(come, fresh)
        for fresh, saved in (
                (array.array('d', [0, 0]), array.array('d', [1, 2])),
                (bytearray(2), bytearray(b'ab')),
                ((ctypes.c_int * 2)(), (ctypes.c_int * 2)(3, 4))):
            self.assertIs(self.comes_back(saved, fresh, list), fresh)
        varve.Checkpoint(it=saved).write(self.path())
        bytes_of = bytearray(2)
        checkpoint = varve.Checkpoint(it=bytes_of)
        checkpoint.write(self.path())
        bytes_of.append(1)  # nothing holds its memory

    def test_arrays_that_cannot_be_filled(self):
        varve.write({'it': Frozen([1.0])}, self.path())
        self.assertEqual(varve.load(self.path())['it'], [1.0])
        with self.fails(varve.MisuseError, 'it: ', 'Frozen'):
            varve.restore({'it': Frozen([0.0])}, self.path())

    def test_objects_with_state_methods(self):
        for kind in ByDict, ByState:
            self.comes_back(kind(7), kind(0), lambda value: value._n)
        for kind in random.Random, np.random.RandomState, \
                np.random.default_rng, np.random.MT19937:
            self.comes_back(kind(3), kind(4), numbers_of)
        self.comes_back(Slots(2.5), Slots(0.0), lambda value: value.rate)
        self.comes_back(MoreSlots(2.5), MoreSlots(0.0),
                        lambda value: value.rate)
        self.comes_back(types.SimpleNamespace(a=1), types.SimpleNamespace(a=0),
                        lambda value: value.a)

    def test_objects_with_state_methods_in_a_checkpoint(self):
        checkpoint = varve.Checkpoint(it=ByDict(1), rng=random.Random(1))
        for n in 2, 3:
            checkpoint.it._n = n
            checkpoint.save(self.path('ckpt'))
        expected = checkpoint.rng.random()
        checkpoint.it._n = 9
        with checkpoint.restore(self.path('ckpt')) as restoration:
            restoration.assert_consumed()
            self.assertEqual(checkpoint.it._n, 3)
            self.assertEqual(checkpoint.rng.random(), expected)
            restoration.assert_existing_objects_matched()
        late = varve.Checkpoint()
        with late.restore(self.path('ckpt')) as restoration:
            late.it = ByDict(0)
            late.rng = random.Random(5)
            self.assertEqual(late.it._n, 3)
            restoration.assert_consumed()
        self.assertEqual(late.rng.random(), expected)

    def test_data_that_would_be_lost_is_refused_with_its_path(self):
        units = np.zeros(2).view(Units)
        units.unit = 'm'
        words, table, rows = Words('x'), Table(a=1), Rows([1])
        words.a = table.b = rows.c = 1
        for value, words in (
                (np.ma.masked_array([1.0, 2.0], [0, 1]), 'MaskedArray'),
                (units, "Units with the attribute 'unit'"),
                (words, "Words with the attribute 'a'"),
                (table, "Table with the attribute 'b'"),
                (rows, "Rows with the attribute 'c'")):
            with self.fails(varve.MisuseError, 'in/0: ', words):
                varve.write({'in': [value]}, self.path())

    def test_named_tuples_are_saved_by_field(self):
        varve.write({'adam': Pair(np.full(2, 1.0), 2.0)}, self.path())
        tree = {'adam': Swapped(nu=0.0, mu=np.zeros(2))}
        with varve.restore(tree, self.path()) as restoration:
            restoration.assert_consumed()
        self.assertEqual(tree['adam'].mu.tolist(), [1, 1])
        self.assertEqual(tree['adam'].nu, 2.0)
        self.assertIsInstance(tree['adam'], Swapped)
        with varve.open(self.path()) as file:
            self.assertEqual(sorted(file), ['adam/mu', 'adam/nu'])

    @alone
    def test_jax(self):
        jnp = self.library('jax.numpy')
        self.comes_back({'w': jnp.arange(3.0), 'h': jnp.ones(2, 'bfloat16')},
                        {'w': jnp.zeros(3), 'h': jnp.zeros(2, 'bfloat16')},
                        lambda value: [np.asarray(value[name], 'f4')
                                       for name in value])
        come = self.comes_back(jnp.ones(2), jnp.zeros(2), np.asarray)
        self.assertIs(type(come), type(jnp.zeros(2)))

    @alone
    def test_optax(self):
        optax, jnp = self.library('optax'), self.library('jax.numpy')
        def state():
            return optax.adam(1e-3).init({'w': jnp.ones(3)})
        saved = state()
        saved = (saved[0]._replace(mu={'w': jnp.full(3, 5.0)}), saved[1])
        self.comes_back(saved, state(),
                        lambda value: np.asarray(value[0].mu['w']))

    @alone
    def test_tensorflow(self):
        flow = self.library('tensorflow')
        fresh = flow.Variable([0.0, 0.0])
        self.assertIs(fresh, self.comes_back(
            flow.Variable([1.0, 2.0]), fresh, lambda value: value.numpy()))
        self.comes_back(flow.constant([1.0]), flow.constant([0.0]),
                        lambda value: value.numpy())
        keras = self.library('keras')
        self.comes_back(keras.Variable([1.0]), keras.Variable([0.0]),
                        np.asarray)

    @alone
    def test_models_are_refused_with_a_suggestion(self):
        flax, jnp = self.library('flax'), self.library('jax.numpy')
        nnx = self.library('flax.nnx')
        module = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
        for value, way in ((module, 'nnx.state'), (flax.core.freeze(
                {'a': jnp.ones(2)}), 'unfreeze')):
            with self.fails(varve.MisuseError, 'it: ', way):
                varve.write({'it': value}, self.path())
        self.comes_back(nnx.to_pure_dict(nnx.state(module)),
                        nnx.to_pure_dict(nnx.state(nnx.Linear(
                            2, 2, rngs=nnx.Rngs(1)))),
                        lambda value: np.asarray(value['kernel']))

    @alone
    def test_training_states_omit_attributes_ignored_by_their_class(self):
        jnp, optax = self.library('jax.numpy'), self.library('optax')
        kind = self.library('flax.training.train_state').TrainState

        def make(value):
            return kind.create(apply_fn=None, tx=optax.adam(0.1),
                               params={'w': jnp.full(2, value)})
        with self.fails(varve.MisuseError, 'it/tx/init: .*function',
                        "'tx' to __varve_ignore__ of TrainState"):
            varve.write({'it': make(1.0)}, self.path())
        kind.__varve_ignore__ = 'tx', 'apply_fn'
        self.comes_back(make(1.0).apply_gradients(grads={'w': jnp.ones(2)}),
                        make(0.0), lambda value: (
                            np.asarray(value.params['w']), int(value.step),
                            np.asarray(value.opt_state[0].mu['w'])))

    @alone
    def test_keras_models_are_refused_with_a_suggestion(self):
        keras = self.library('keras')

        def make(value):
            layer = keras.layers.Dense(2)
            layer.build((None, 2))
            layer.bias.assign([value] * 2)
            return layer
        with self.fails(varve.MisuseError, 'it: ', 'it.variables'):
            varve.write({'it': make(1.0)}, self.path())
        self.comes_back(make(1.0).variables, make(0.0).variables,
                        lambda value: value[1].numpy())

    @alone
    def test_pandas_is_refused(self):
        pandas = self.library('pandas')
        for value in pandas.DataFrame({'a': [1]}), pandas.Series([1]), \
                pandas.Index([1]):
            with self.fails(varve.MisuseError, 'it: ', 'to_numpy'):
                varve.write({'it': value}, self.path())

    @alone
    def test_zarr(self):
        zarr = self.library('zarr')
        self.comes_back(zarr.array(np.ones(3)), zarr.array(np.zeros(3)),
                        lambda value: value[:])

    def library(self, name):
        """Imports a library, or skips the test."""
        if name.partition('.')[0] not in sys.modules \
                and not importlib.util.find_spec(name.partition('.')[0]):
            self.skipTest(f'no {name}')
        return importlib.import_module(name)


def numbers_of(source):
    if isinstance(source, np.random.MT19937):
        source = np.random.Generator(source)
    return [source.random() for _ in range(9)]


if __name__ == '__main__':
    unittest.main()
