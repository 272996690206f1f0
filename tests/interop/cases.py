"""cases.py - the list of things that the real programs are asked to write, and
numbers to fill them with.

A case is a function that writes one checkpoint. It gets the path it may write
to, without a suffix, and returns nothing, or other values than those that
describe.py finds by itself.

SPDX-License-Identifier: MIT
"""
import zlib

import ml_dtypes
import numpy as np

CASES = []
salt = ''  # another one, and fill and number give others

FLOAT8 = {'float8_e4m3fn': np.dtype(ml_dtypes.float8_e4m3fn),
          'float8_e5m2': np.dtype(ml_dtypes.float8_e5m2)}
DTYPES = {name: np.dtype(name) for name in (
    'bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32',
    'uint64', 'float16', 'float32', 'float64', 'complex64', 'complex128')}
DTYPES['bfloat16'] = np.dtype(ml_dtypes.bfloat16)
DTYPES.update(FLOAT8)

# Not a number, quiet and signalling, of both signs, with a payload; infinity;
# minus zero; the smallest there is.
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
        self.build = None         # the same as an object that can be restored
        self.kind = kind          # of describe.DESCRIBE
        self.golden = golden      # small, and kept in tests/golden/foreign
        self.refused = refused    # why it has to be, or None
        self.opens = opens        # what to open: a suffix of the path
        self.needs = needs        # a library that is not always there


def case(kind, golden=True, refused=None, opens='', needs=None):
    def register(make):
        CASES.append(Case(make, kind, golden, refused, opens, needs))
        return make
    return register


def graph(golden=True, again=True):
    """A case that is a function without arguments, which builds something with
    `write` and `read`: a tf.train.Checkpoint. `again`: what one of them wrote,
    another one that has read it writes again."""
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
    """An array of bits that look random, the special ones among them."""
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
