#!/usr/bin/env python3
"""odd_files.py - Tests that types that Varve lacks are kept from a format to
the same format: NumPy and safetensors read the files written by the command,
bit for bit.

    odd_files.py VARVE [COUNT [SEED]]

NumPy and safetensors are imported from the running Python or from the virtual
environment in VARVE_INTEROP; skipped if neither has them.

SPDX-License-Identifier: MIT
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import warnings

from elsewhere import need

NAME = 'odd files'

need('numpy', 'safetensors')
import numpy as np  # noqa: E402
import safetensors  # noqa: E402

# Bits of an element, by type name of safetensors.
TYPES = {'F4': 4, 'F6_E2M3': 6, 'F6_E3M2': 6, 'F8_E8M0': 8, 'F8_E4M3FNUZ': 8,
         'F8_E5M2FNUZ': 8, 'F8_E4M3': 8, 'F32': 32, 'I64': 64}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f'{command}: {done.stderr}')
    return done


def extents():
    return [random.choice((0, 1, 2, 4)) for _ in range(random.randrange(4))]


def write_safetensors(path):
    header, data = {}, b''
    for i in range(random.randrange(1, 8)):
        kind = random.choice(list(TYPES))
        shape = extents() + [4]  # whole bytes
        bits = int(np.prod(shape)) * TYPES[kind]
        begin = len(data)
        data += random.randbytes(bits // 8)
        header[f'a/t{i}'] = {'dtype': kind, 'shape': shape,
                             'data_offsets': [begin, len(data)]}
    header['__metadata__'] = {'format': 'pt'}
    text = json.dumps(header).encode()
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + data)
    return len(header) - 1


def tensors_of(path):
    with open(path, 'rb') as file:
        found = safetensors.deserialize(file.read())
    return {name: (one['dtype'], one['shape'], bytes(one['data']))
            for name, one in found}


NUMPY = ['M8[D]', '<m8[us]', '>M8[ns]', 'V5', 'g', '>f4', 'U3',
         [('a', '<i4'), ('b', '>f8', (2,))], [('gr\u00fcn', 'u1')],
         [('\u6f22', 'i2')], [('a', [('b', 'M8[s]')])]]


def random_array():
    kind = np.dtype(random.choice(NUMPY))
    shape = extents()
    if kind.kind == 'U':
        return np.array(['a', '\u6f22b', ''])
    data = random.randbytes(int(np.prod(shape)) * kind.itemsize)
    array = np.frombuffer(data, kind).reshape(shape)
    return np.asfortranarray(array) if random.random() < .3 else array


def arrays_of(path):
    if path.endswith('.npy'):
        return {'arr_0': np.load(path)}
    return dict(np.load(path).items())


def describe(array):
    plain = array.dtype.newbyteorder('<') if array.dtype.kind == 'f' and \
        array.dtype.itemsize <= 8 else array.dtype
    return (np.dtype(plain), array.shape, array.astype(plain).tobytes(),
            array.tolist() if plain.kind == 'U' else None)


def write_numpy(path):
    if path.endswith('.npy'):
        np.save(path, random_array())
        return 1
    save = random.choice((np.savez, np.savez_compressed))
    count = random.randrange(1, 8)
    save(path, **{f'a/t{i}': random_array() for i in range(count)})
    return count


def check(varve, folder, ending):
    path, out = (os.path.join(folder, name + ending) for name in ('in', 'out'))
    is_numpy = ending != '.safetensors'
    count = write_numpy(path) if is_numpy else write_safetensors(path)
    done = run([varve, 'convert', '--force', path, out])
    if is_numpy:
        expected, got = (
            {key: describe(array) for key, array in arrays_of(name).items()}
            for name in (path, out))
    else:
        expected, got = tensors_of(path), tensors_of(out)
    for key in expected.keys() | got.keys():
        same = got.get(key) == expected.get(key)
        if is_numpy and key in got and key in expected and not same:
            # Strings are returned as UTF-8.
            same = expected[key][0].kind == 'U'
        if not same:
            raise AssertionError(
                f'{ending}: {key}: {got.get(key)} for {expected.get(key)}')
    if 'not carried over' in done.stdout + done.stderr:
        raise AssertionError(f'{ending}: {done.stdout}{done.stderr}')
    return count


def main():
    warnings.simplefilter('ignore')
    varve = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    values = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(seed, seed + count):
            random.seed(i)
            try:
                values += check(varve, folder, (
                    '.safetensors', '.npz', '.npy')[i % 3])
            except AssertionError as error:
                print(f'{NAME}: seed {i}: {error}')
                return 1
    print(f'{NAME}: {count} files, {values} values, NumPy {np.__version__}, '
          f'safetensors {safetensors.__version__}')
    return 0


sys.exit(main())
