#!/usr/bin/env python3
"""flax_files.py - Tests the command on random trees and optimizers of
flax.serialization, bit for bit.

    flax_files.py VARVE [COUNT [SEED]]

Trees contain arrays of any type and shape, whole and chunked, numbers, strings
and lists. Every third file is a TrainState of optax, whose moments must be
slots of its parameters. The package is imported from the running Python or
from the virtual environment in VARVE_INTEROP; skipped if neither has it.

SPDX-License-Identifier: MIT
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import urllib.parse

from elsewhere import need

NAME = 'flax files'

os.environ['JAX_PLATFORMS'] = 'cpu'
need('flax', 'optax')
import flax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from flax import serialization  # noqa: E402
from flax.training import train_state  # noqa: E402

OURS = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32',
        'uint64', 'float16', 'float32', 'float64', 'complex64', 'complex128',
        'bfloat16', 'float8_e4m3fn', 'float8_e5m2']
STATES = ['int4', 'uint4', 'float8_e4m3fnuz', 'float8_e5m2fnuz']


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


# --- Trees -----------------------------------------------------------------


def shape():
    return [random.choice((0, 1, 1, 2, 3, 5, 8))
            for _ in range(random.randrange(4))]


def array():
    kind = dtype_of(random.choice(OURS + STATES))
    extents = shape()
    count = int(np.prod(extents, dtype=np.int64))
    data = random.randbytes(count * kind.itemsize)
    if kind.name == 'bool':
        data = bytes(byte & 1 for byte in data)
    if kind.name in ('int4', 'uint4'):
        data = bytes(byte & 7 for byte in data)
    return np.frombuffer(data, kind).reshape(extents)


def scalar():
    return random.choice((
        True, False, random.randrange(-2**63, 2**63), random.randrange(300),
        -random.randrange(300), 2**63 + random.randrange(2**63),
        random.random(), float('inf'), -0.0, complex(random.random(), -1),
        'gr\u00fcn' * random.randrange(30), random.randbytes(300), '', b'',
        np.float32(random.random()), np.int8(-3), np.array(2.5, 'f8')))


def numbers():
    count = random.randrange(1, 5)
    kinds = random.choice(((int,), (float,), (int, float)))
    return [random.choice(kinds)(random.randrange(-99, 99))
            for _ in range(count)]


def leaf():
    return random.choice((array, array, array, scalar, numbers))()


def key(number):
    return random.choice(('kernel', 'layers.0', 'mlp/~/linear', 'x y',
                          'gr\u00fcn', '0')) + f'_{number}'


def tree(depth):
    made = {}
    for number in range(random.randrange(6)):
        if depth and random.random() < .4:
            made[key(number)] = tree(depth - 1)
        elif depth and random.random() < .15:
            made[key(number)] = ['a text', None, tree(depth - 1), leaf()]
        else:
            made[key(number)] = leaf()
    return made


# --- What has to come ------------------------------------------------------


def joined(path, name):
    return f'{path}/{name}' if path else name


def is_numbers(item):
    return (isinstance(item, list) and item and
            all(type(x) in (int, float) for x in item))


def leaves(item, path, found):
    """Adds type, shape and bytes of each path."""
    if is_numbers(item):
        item = np.array(item, 'f8' if float in map(type, item) else 'i8')
    if isinstance(item, dict):
        for name, member in item.items():
            leaves(member, joined(path, name.replace('/', '%2F')), found)
    elif isinstance(item, list):
        for number, member in enumerate(item):
            leaves(member, joined(path, str(number)), found)
    elif isinstance(item, (str, bytes)):
        data = item.encode() if isinstance(item, str) else item
        found[path] = ('string', [], data)
    elif isinstance(item, bool):
        found[path] = ('bool', [], bytes([item]))
    elif isinstance(item, int):
        kind = 'uint64' if item >= 2**63 else 'int64'
        found[path] = (kind, [], np.array(item, kind).tobytes())
    elif isinstance(item, (float, complex)) and not isinstance(
            item, np.generic):
        kind = 'float64' if isinstance(item, float) else 'complex128'
        found[path] = (kind, [], np.array(item, kind).tobytes())
    elif item is not None:
        item = np.asarray(item)
        found[path] = (item.dtype.name, list(item.shape), item.tobytes())


# --- What comes ------------------------------------------------------------


def run(command, text=True):
    done = subprocess.run(command, capture_output=True, text=text)
    if done.returncode:
        raise AssertionError(f'{command}: {done.stderr}')
    return done.stdout


def plain(path):
    """Keeps the escape of a slash in a name."""
    return '/'.join(urllib.parse.unquote(part).replace('/', '%2F')
                    for part in path.split('/'))


def check_values(varve, path, expected):
    listed = json.loads(run([varve, 'ls', '--json', '--all', path]))
    if listed['format'] != 'flax':
        raise AssertionError(listed['format'])
    found = {}
    for item in listed['items']:
        found[plain(item['path'])] = item
    missing = set(expected) - set(found)
    if missing:
        raise AssertionError(f'{missing} are missing')
    for name, (kind, extents, data) in expected.items():
        item = found[name]
        is_state = kind in STATES
        if is_state != (item['kind'] == 'state') or not is_state and [
                item['dtype'], item['shape']] != [kind, extents]:
            raise AssertionError(f'{name}: {item} for {kind} {extents}')
        got = run([varve, 'cat', path, item['path']], text=False)
        if kind == 'string':
            data = len(data).to_bytes(8, 'little') + data
        if got != data:
            raise AssertionError(f'{name}: {kind}: {got} for {data}')
    return listed


def check_tree(varve, path):
    made = tree(3)
    made['last'] = np.arange(3, dtype='f4')
    expected = {}
    serialization.MAX_CHUNK_SIZE = random.choice((2**30, 16))
    with open(path, 'wb') as file:
        file.write(serialization.msgpack_serialize(made))
    # The expected values are those that Flax restores.
    leaves(made, '', expected)
    back = {}
    leaves(serialization.msgpack_restore(open(path, 'rb').read()), '', back)
    if {k: v[2] for k, v in back.items()} != {
            k: v[2] for k, v in expected.items()}:
        raise AssertionError('Flax restores different values')
    check_values(varve, path, expected)
    return len(expected)


def parameters(depth):
    made = {f'kernel_{n}': jnp.asarray(np.random.default_rng(
        random.randrange(2**32)).normal(size=shape()), 'float32')
        for n in range(random.randrange(1, 3))}
    if depth:
        made |= {f'Dense_{n}': parameters(depth - 1)
                 for n in range(random.randrange(3))}
    return made


def transformation():
    adam = optax.adam(1e-3, mu_dtype=random.choice((None, jnp.bfloat16)))
    return random.choice((
        adam, optax.sgd(.1, momentum=.9), optax.lamb(1e-3), optax.lion(1e-3),
        optax.chain(optax.clip(1.), adam), optax.MultiSteps(adam, 2),
        optax.inject_hyperparams(optax.adamw)(learning_rate=.1)))


def mirrors(item, params, path, found):
    """Adds the slots of a tree with the structure of the parameters."""
    for name, member in item.items():
        if not isinstance(member, dict):
            continue
        expected, kept = {}, {}
        leaves(params, '', expected)
        leaves(member, '', kept)
        if expected.keys() == kept.keys():
            found |= {f'{path}/{name}(params/{k})': kept[k] for k in kept}
        else:
            mirrors(member, params, f'{path}/{name}', found)


def check_state(varve, path):
    serialization.MAX_CHUNK_SIZE = 2**30
    params = parameters(2)
    state = train_state.TrainState.create(
        apply_fn=None, params=params, tx=transformation())
    state = state.apply_gradients(grads=params)
    with open(path, 'wb') as file:
        file.write(serialization.to_bytes(state))
    back = serialization.msgpack_restore(open(path, 'rb').read())
    expected, slots = {}, {}
    leaves(back, '', expected)
    mirrors(back['opt_state'], back['params'], 'opt_state', slots)
    if not slots:
        raise AssertionError('an optimizer without slots')
    check_values(varve, path, expected)
    for slot, (_, _, data) in slots.items():
        got = run([varve, 'cat', path, slot], text=False)
        if got != data:
            raise AssertionError(f'{slot}: {got} for {data}')
    return len(expected) + len(slots)


def main():
    varve = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    values = 0
    for i in range(seed, seed + count):
        random.seed(i)
        check = check_state if i % 3 == 0 else check_tree
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, random.choice(
                ('checkpoint_10', 'model.msgpack')))
            if check is check_tree:
                path = os.path.join(folder, 'model.msgpack')
            try:
                values += check(varve, path)
            except AssertionError as error:
                print(f'{NAME}: seed {i}: {error}')
                return 1
    print(f'{NAME}: {count} files, {values} values, flax {flax.__version__}')
    return 0 if values else 1


sys.exit(main())
