#!/usr/bin/env python3
"""gguf_files.py - Tests GGUF files in both directions with the package gguf,
bit for bit.

    gguf_files.py VARVE [COUNT [SEED]]

Random tensors of every type come from a NumPy archive. Files of the package
have metadata of every type, arrays, and quantized tensors. The package is
imported from the running Python or from the virtual environment in
VARVE_INTEROP; skipped if neither has it.

SPDX-License-Identifier: MIT
"""
import os
import random
import subprocess
import sys
import tempfile

from elsewhere import need

NAME = 'gguf files'

need('gguf', 'numpy')
import gguf  # noqa: E402
import numpy as np  # noqa: E402

PLAIN = ['f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8']
KINDS = gguf.GGMLQuantizationType
QUANTISED = [KINDS.Q4_0, KINDS.Q4_1, KINDS.Q5_0, KINDS.Q5_1, KINDS.Q8_0]
BLOCK = 32


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f'{command}: {done.stderr}')
    return done.stdout


def random_array(kind):
    extents = [random.choice((1, 2, 3, 5, 8))
               for _ in range(random.randrange(5))]
    count = int(np.prod(extents, dtype=np.int64))
    data = random.randbytes(count * np.dtype(kind).itemsize)
    return np.frombuffer(data, '<' + kind).reshape(extents)


def name(number):
    return random.choice(('blk.0.attn_q', 'a/b/c', 'token_embd', 'gr\u00fcn')) \
        + f'.{number}'


def tensors_of(path):
    """Returns type, shape (innermost dimension first) and bytes by name."""
    found = {}
    for tensor in gguf.GGUFReader(path).tensors:
        found[tensor.name] = (tensor.tensor_type, tensor.shape.tolist(),
                              tensor.data.tobytes())
    return found


def fields_of(path):
    """Returns types and bytes of each entry except the alignment, by name."""
    found = {}
    for field in gguf.GGUFReader(path).fields.values():
        if not field.name.startswith('GGUF.') and (
                field.name != 'general.alignment'):
            found[field.name] = (field.types, b''.join(
                part.tobytes() for part in field.parts))
    return found


def same(what, got, expected):
    for key in expected.keys() | got.keys():
        if got.get(key) != expected.get(key):
            raise AssertionError(
                f'{what}: {key}: {got.get(key)} for {expected.get(key)}')


def check_ours(varve, folder):
    """Converts arrays to GGUF and back."""
    arrays = {name(i): random_array(random.choice(PLAIN))
              for i in range(random.randrange(1, 9))}
    npz, path, back = (os.path.join(folder, f)
                       for f in ('in.npz', 'out.gguf', 'back.npz'))
    np.savez(npz, **arrays)
    run([varve, 'convert', npz, path])
    run([varve, 'convert', path, back])
    types = {'f2': KINDS.F16, 'f4': KINDS.F32, 'f8': KINDS.F64, 'i1': KINDS.I8,
             'i2': KINDS.I16, 'i4': KINDS.I32, 'i8': KINDS.I64}
    same('ours', tensors_of(path), {
        key: (types[array.dtype.str[1:]], list(array.shape[::-1]),
              array.tobytes()) for key, array in arrays.items()})
    same('again', {key: (array.dtype, array.shape, array.tobytes())
                   for key, array in np.load(back).items()},
         {key: (array.dtype, array.shape, array.tobytes())
          for key, array in arrays.items()})
    return len(arrays)


def add_fields(writer):
    adders = [lambda n: writer.add_uint32(n, random.randrange(2**32)),
              lambda n: writer.add_int8(n, -5),
              lambda n: writer.add_uint64(n, 2**63 + 5),
              lambda n: writer.add_float32(n, random.random()),
              lambda n: writer.add_float64(n, random.random()),
              lambda n: writer.add_bool(n, random.random() < .5),
              lambda n: writer.add_string(n, 'gr\u00fcn'),
              lambda n: writer.add_array(n, ['a', 'bc', '']),
              lambda n: writer.add_array(n, [1, 2, 3]),
              lambda n: writer.add_array(n, [.5, .25])]
    for number in range(random.randrange(12)):
        random.choice(adders)(f'mine.{number}')


def check_theirs(varve, folder):
    """Converts a file of the package to a graph and back to a file."""
    path, out = (os.path.join(folder, f) for f in ('in.gguf', 'out.gguf'))
    writer = gguf.GGUFWriter(path, 'llama')
    if random.random() < .3:
        writer.add_custom_alignment(random.choice((64, 4096)))
    add_fields(writer)
    for i in range(random.randrange(1, 7)):
        if random.random() < .4:
            kind = random.choice(QUANTISED)
            rows = np.frombuffer(random.randbytes(2 * 4 * BLOCK), '<u4')
            rows = (rows % 1000).astype('f4').reshape(2, BLOCK)
            writer.add_tensor(name(i), gguf.quantize(rows, kind),
                              raw_dtype=kind)
        else:
            writer.add_tensor(name(i), random_array(random.choice(PLAIN)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    run([varve, 'convert', path, out])
    same('tensors', tensors_of(out), tensors_of(path))
    same('metadata', fields_of(out), fields_of(path))
    return len(tensors_of(path))


def main():
    varve = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    values = 0
    for i in range(seed, seed + count):
        random.seed(i)
        check = check_ours if i % 2 else check_theirs
        with tempfile.TemporaryDirectory() as folder:
            try:
                values += check(varve, folder)
            except AssertionError as error:
                print(f'{NAME}: seed {i}: {error}')
                return 1
    print(f'{NAME}: {count} files, {values} tensors')
    return 0 if values else 1


sys.exit(main())
