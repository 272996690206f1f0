#!/usr/bin/env python3
"""make_flax.py - Writes small trees with flax (0.12.8) and optax (0.2.8).

    pip install flax==0.12.8 optax==0.2.8
    python3 make_flax.py DIRECTORY

flax_values.msgpack: arrays of every element type (`types`) and every rank,
numbers, strings, lists, and keys that are not strings. flax_state.msgpack: a
TrainState whose optimizer omits one parameter. flax_chunked.msgpack: an array
in chunks. tests/unit/foreign/test_flax_in.c contains the expected values.

SPDX-License-Identifier: MIT
"""
import os
import sys

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import optax
from flax import serialization
from flax.training import train_state

os.chdir(sys.argv[1])

TYPES = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16',
         'uint32', 'uint64', 'float16', 'float32', 'float64', 'complex64',
         'complex128']
OTHERS = ['bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'float8_e4m3fnuz',
          'int4', 'uint4']
COUNT = np.arange(6).reshape(2, 3)


def write(name, content):
    with open(name, 'wb') as file:
        file.write(content)


types = {name: COUNT.astype(name) for name in TYPES}
types |= {name: COUNT.astype(getattr(ml_dtypes, name)) for name in OTHERS}
write('flax_values.msgpack', serialization.msgpack_serialize({
    'types': types,
    'ranks': {'none': np.array(7, 'i4'), 'empty': np.zeros((0, 3), 'f4'),
              'three': np.arange(8, dtype='u1').reshape(2, 2, 2)},
    'numbers': {'small': 5, 'large': 2**63 + 5, 'negative': -1000,
                'real': 1.5, 'complex': 1 - 2j, 'scalar': np.float32(3),
                'true': True, 'false': False, 'nothing': None},
    'texts': {'text': 'gr\u00fcn', 'bytes': b'\xff\0', 'none': ''},
    'lists': {'numbers': [1, 2], 'reals': [1, 2.5],
              'mixed': [np.array([1], 'i2'), None, 'x', [3]], 'none': []},
    'keys': {1: 1, -2: 2, 1.5: 4}, 'names': {'': 3, 'a/b': 5},
    'date': np.array([5], 'M8[s]'),
}))
params = {'Dense_0': {'kernel': jnp.arange(6, dtype='f4').reshape(2, 3),
                      'bias': jnp.zeros(3)},
          'Dense_1': {'kernel': jnp.ones((3, 1), 'bfloat16')}}
mask = {'Dense_0': {'kernel': True, 'bias': False},
        'Dense_1': {'kernel': True}}
state = train_state.TrainState.create(
    apply_fn=None, params=params, tx=optax.chain(
        optax.clip(1.), optax.masked(optax.adam(1e-3), mask)))
for step in range(2):
    state = state.apply_gradients(grads=params)
write('flax_state.msgpack', serialization.to_bytes(state))
serialization.MAX_CHUNK_SIZE = 8
write('flax_chunked.msgpack', serialization.msgpack_serialize({
    'whole': np.arange(2, dtype='f4'),
    'pieces': np.arange(15, dtype='f4').reshape(5, 3)}))
