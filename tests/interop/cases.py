"""cases.py - Declares the cases that other programs write, and numbers to fill
them with.

A case is a function that writes one checkpoint. Its argument is the path,
without a suffix. It returns nothing, or the values that describe.py cannot
determine.

SPDX-License-Identifier: MIT
"""
import zlib

import ml_dtypes
import numpy as np

CASES = []
salt = ''  # with another salt, fill and number return other values

FLOAT8 = {'float8_e4m3fn': np.dtype(ml_dtypes.float8_e4m3fn),
          'float8_e5m2': np.dtype(ml_dtypes.float8_e5m2)}
DTYPES = {name: np.dtype(name) for name in (
    'bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32',
    'uint64', 'float16', 'float32', 'float64', 'complex64', 'complex128')}
DTYPES['bfloat16'] = np.dtype(ml_dtypes.bfloat16)
DTYPES.update(FLOAT8)

# Quiet and signalling NaNs of both signs with payloads, infinities, minus zero,
# and the smallest numbers.
SPECIAL = {
    2: [0x7fff, 0x7e01, 0x7d55, 0xfeaa, 0x7c00, 0x8000, 0x0001],
    4: [0x7fc00001, 0x7fa12345, 0xffc0beef, 0xff800001, 0x7f800000,
        0x80000000, 0x00000001],
    8: [0x7ff8000000000001, 0x7ff4123456789abc, 0xfff8deadbeefcafe,
        0xfff0000000000001, 0x7ff0000000000000, 0x8000000000000000, 1],
}


class Case:
    def __init__(self, make, kind, golden, refused, opens, needs):
        self.name = make.__name__
        self.make = make
        self.build = None         # builds an object that can be restored
        self.kind = kind          # a key of describe.DESCRIBE
        self.golden = golden      # small, and kept in tests/golden/foreign
        self.refused = refused    # reason why it is rejected, or None
        self.opens = opens        # suffix of the path to open
        self.needs = needs        # an optional library


def case(kind, golden=True, refused=None, opens='', needs=None):
    def register(make):
        CASES.append(Case(make, kind, golden, refused, opens, needs))
        return make
    return register


def graph(golden=True, again=True):
    """Declares a case whose function builds a tf.train.Checkpoint. `again`:
    another object that has read the file writes it again."""
    def register(build):
        def make(path):
            build().write(path)
        make.__name__ = build.__name__
        case('bundle', golden)(make)
        if again:
            CASES[-1].build = build
        return build
    return register


def with_salt(other, build):
    global salt
    before, salt = salt, other
    try:
        return build()
    finally:
        salt = before


def fill(dtype, *shape, seed=''):
    """Returns an array of random-looking bits, including special values."""
    dtype = DTYPES[dtype] if isinstance(dtype, str) else np.dtype(dtype)
    number = zlib.crc32(f'{dtype} {shape} {seed}{salt}'.encode())
    random = np.random.Generator(np.random.Philox(number))
    count = int(np.prod(shape))
    if dtype == bool:
        return random.integers(0, 2, shape).astype(bool)
    array = np.frombuffer(random.bytes(count * dtype.itemsize), dtype).copy()
    part = dtype.itemsize // 2 if dtype.kind == 'c' else dtype.itemsize
    if part in SPECIAL and dtype.kind not in 'iu':
        bits = array.view(f'u{part}')
        special = SPECIAL[part][:bits.size // 2]
        bits[:len(special)] = special
    return array.reshape(shape)


def floats(*shape, seed=''):
    return fill('float32', *shape, seed=seed)


def number(dtype, plain):
    return DTYPES[dtype].type(plain + 50 * len(salt))
