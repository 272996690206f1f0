#!/usr/bin/env python3
"""check_statistics.py - Compares the statistics of random arrays and special
values with exact fractions.

    check_statistics.py statistics VARVE [SEED]

SPDX-License-Identifier: MIT
"""
import fractions
import json
import math
import random
import struct
import subprocess
import sys

sys.path.insert(0, __file__.rsplit('/', 1)[0])
from check_output import small_real  # noqa: E402

Fraction = fractions.Fraction
WHOLE = {'bool': 'B', 'int8': 'b', 'int16': 'h', 'int32': 'i', 'int64': 'q',
         'uint8': 'B', 'uint16': 'H', 'uint32': 'I', 'uint64': 'Q'}
SIZES = {'float16': 2, 'bfloat16': 2, 'float32': 4, 'float64': 8,
         'complex64': 8, 'complex128': 16, 'float8_e4m3fn': 1,
         'float8_e5m2': 1}
# The type names of safetensors.
NAMES = {'bool': 'BOOL', 'int8': 'I8', 'int16': 'I16', 'int32': 'I32',
         'int64': 'I64', 'uint8': 'U8', 'uint16': 'U16', 'uint32': 'U32',
         'uint64': 'U64', 'float16': 'F16', 'bfloat16': 'BF16',
         'float32': 'F32', 'float64': 'F64', 'complex64': 'C64',
         'float8_e4m3fn': 'F8_E4M3', 'float8_e5m2': 'F8_E5M2'}


def elements(dtype, data):
    """Converts the elements to Python numbers: int or float."""
    if dtype in WHOLE:
        return [x[0] for x in struct.iter_unpack('<' + WHOLE[dtype], data)]
    if dtype == 'bfloat16':
        return [struct.unpack('<f', b'\0\0' + data[i:i + 2])[0]
                for i in range(0, len(data), 2)]
    if dtype == 'float8_e4m3fn':
        return [small_real(b, 3, 4, True) for b in data]
    if dtype == 'float8_e5m2':
        return [small_real(b, 2, 5) for b in data]
    letter = {'float16': 'e', 'float32': 'f', 'float64': 'd',
              'complex64': 'f', 'complex128': 'd'}[dtype]
    reals = [x[0] for x in struct.iter_unpack('<' + letter, data)]
    if not dtype.startswith('complex'):
        return reals
    pairs = zip(reals[::2], reals[1::2])
    return [math.nan if math.isnan(a) or math.isnan(b) else math.hypot(a, b)
            for a, b in pairs]


def root(square):
    """Returns the square root of a fraction with more digits than a double."""
    if square == 0:
        return Fraction(0)
    shift = 0
    while square * 4 ** shift < 2 ** 240:
        shift += 60
    whole = square * 4 ** shift
    return Fraction(math.isqrt(whole.numerator // whole.denominator),
                    2 ** shift)


def near(found, wanted, scale, what):
    """Asserts that the result is within a few units in the last place."""
    if wanted > Fraction(sys.float_info.max):
        return
    error = abs(Fraction(found) - wanted)
    allowed = Fraction(scale) * Fraction(1, 2 ** 46) + Fraction(1, 2 ** 1073)
    assert error <= allowed, (what, found, float(wanted))


def check_moments(item, finite, exact):
    count = len(finite)
    fractions_of = [Fraction(x) for x in finite]
    mean = sum(fractions_of) / count
    deviation = root(sum((x - mean) ** 2 for x in fractions_of) / count)
    norm = root(sum(x * x for x in fractions_of))
    near(item['mean'], mean, abs(mean) / 64 if exact else
         abs(mean) / 64 + deviation, 'mean')
    near(item['std'], deviation, deviation, 'std')
    if norm <= Fraction(sys.float_info.max):
        near(item['norm'], norm, norm, 'norm')


def check_bins(item, finite):
    bounds = item['histogram']['bounds']
    counts = item['histogram']['counts']
    assert len(bounds) == len(counts) + 1
    assert bounds[0] == min(finite) and bounds[-1] == max(finite)
    assert bounds == sorted(bounds)
    for i, count in enumerate(counts):
        last = i + 1 == len(counts)
        there = sum(1 for x in finite if bounds[i] <= x
                    and (x < bounds[i + 1] or (last and x == bounds[i + 1])))
        assert there == count, (i, bounds, counts, there)


def place(index, shape):
    where = []
    for extent in reversed(shape):
        where.insert(0, index % extent)
        index //= extent
    return where


def first(numbers, test, shape):
    for i, x in enumerate(numbers):
        if test(x):
            return place(i, shape)
    return None


def check_item(item, numbers, shape):
    finite = [x for x in numbers if math.isfinite(x)]
    assert item['count'] == len(numbers)
    assert item['finite'] == len(finite)
    assert item['zeros'] == finite.count(0)
    assert item['nans'] == sum(map(math.isnan, numbers))
    assert item['infinities'] == sum(map(math.isinf, numbers))
    assert item['first_nan'] == first(numbers, math.isnan, shape)
    assert item['first_infinity'] == first(numbers, math.isinf, shape)
    if not finite:
        assert item['min'] is item['max'] is item['mean'] is item['std'] is None
        assert item['histogram'] == {'bounds': [], 'counts': []}
        return
    assert (item['min'], item['max']) == (min(finite), max(finite))
    check_moments(item, finite, isinstance(finite[0], int))
    check_bins(item, finite)


# --- Arrays ------------------------------------------------------------------

def pack(letter, numbers):
    return struct.pack(f'<{len(numbers)}{letter}', *numbers)


def nasty(rng):
    """Yields triples of name, element type and bytes."""
    nan, inf, tiny, huge = math.nan, math.inf, 5e-324, sys.float_info.max
    doubles = {
        'offset': [1e15 + rng.random() for _ in range(999)],
        'offset_small': [1 + rng.random() * 1e-12 for _ in range(2000)],
        'same': [0.1] * 1025,
        'denormals': [tiny * rng.randrange(0, 9) for _ in range(99)],
        'denormal': [tiny], 'huge': [huge, huge, -huge, huge / 3],
        'both_huge': [-huge, huge], 'all_huge': [huge] * 4099,
        'huge_and_tiny': [huge, tiny, -tiny, 0.0],
        'small_squares': [1e-200 * rng.gauss(0, 1) for _ in range(300)],
        'large_squares': [1e200 * rng.gauss(0, 1) for _ in range(300)],
        'zeros': [0.0, -0.0, -0.0], 'minus': [-0.0],
        'outlier': [1e300] + [rng.random() for _ in range(500)],
        'cancels': [1e16, 1.0, -1e16] * 400,
        'mixed': [nan, 1.0, inf, -inf, nan, 2.0, -3.0],
        'nans': [nan] * 5, 'infinities': [inf, -inf, inf],
        'late': [1.0] * 5000 + [nan] + [2.0] * 3 + [inf],
        'neighbours': [1.0, math.nextafter(1.0, 2), 1.0]
        if hasattr(math, 'nextafter') else [1.0, 1.0000000000000002],
        'normal': [rng.gauss(3, 2) for _ in range(4097)],
        'edges': [i / 8 for i in range(65)] * 3,
    }
    for name, numbers in doubles.items():
        yield name, 'float64', pack('d', numbers)
    least = -2 ** 63
    signed = {
        'extremes': [least, 2 ** 63 - 1], 'least': [least] * 3,
        'greatest': [2 ** 63 - 1] * 1500, 'near': [2 ** 62 + i for i in
                                                   range(1000)],
        'minus_one': [-1] * 7, 'about_zero': [-3, -2, -1, 0, 1, 2, 3] * 9,
        'wide': [rng.randrange(least, 2 ** 63) for _ in range(3000)],
        'twenty': list(range(-5, 15)),
    }
    for name, numbers in signed.items():
        yield 'signed_' + name, 'int64', pack('q', numbers)
    unsigned = {
        'extremes': [0, 2 ** 64 - 1], 'greatest': [2 ** 64 - 1] * 1100,
        'wide': [rng.randrange(2 ** 64) for _ in range(3000)],
        'near': [2 ** 64 - 1 - i for i in range(200)],
    }
    for name, numbers in unsigned.items():
        yield 'unsigned_' + name, 'uint64', pack('Q', numbers)
    yield 'int32_extremes', 'int32', pack('i', [-2 ** 31, 2 ** 31 - 1, 0])
    yield 'uint32_extremes', 'uint32', pack('I', [2 ** 32 - 1] * 2000 + [0])
    yield 'bools', 'bool', bytes([1, 0, 1])
    yield 'complex', 'complex64', pack('f', [3, 4, nan, inf, inf, 1, 0, 0,
                                             3e38, 3e38, 1e-44, 0])
    for dtype in ('float16', 'bfloat16'):
        yield 'all_' + dtype, dtype, pack('H', range(65536))
    many = list(range(65536)) + [rng.randrange(65536) for _ in range(65537)]
    rng.shuffle(many)
    yield 'many_float16', 'float16', pack('H', many)
    yield 'many_int16', 'int16', pack('H', many)
    yield 'late_bfloat16', 'bfloat16', pack('H', [0] * 140000 + [0x7f80,
                                                                 0x7fff, 1])
    for dtype in ('float8_e4m3fn', 'float8_e5m2', 'int8', 'uint8'):
        yield 'all_' + dtype, dtype, bytes(range(256))


def at_random(rng):
    for number in range(60):
        dtype = rng.choice(sorted(NAMES))
        size = {**SIZES, **{n: struct.calcsize(c) for n, c in WHOLE.items()}}
        count = rng.choice([1, 2, 7, 8, 9, 100, 1023, 1024, 1025, 3000])
        data = rng.randbytes(count * size[dtype])
        if dtype == 'bool':
            data = bytes(b & 1 for b in data)
        yield f'random_{number}', dtype, data


def write_safetensors(path, arrays):
    header, offset = {}, 0
    for name, dtype, shape, data in arrays:
        header[name] = {'dtype': NAMES[dtype], 'shape': shape,
                        'data_offsets': [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text)
        for array in arrays:
            file.write(array[3])


def with_shapes(rng, arrays):
    sizes = {**SIZES, **{n: struct.calcsize(c) for n, c in WHOLE.items()}}
    for name, dtype, data in arrays:
        count = len(data) // sizes[dtype]
        shape = [count]
        for factor in (2, 3, 5, 7):
            if count and count % factor == 0 and rng.random() < 0.5:
                count //= factor
                shape = [count, factor] + shape[1:]
        yield name, dtype, shape, data


def run(varve, *arguments):
    return subprocess.run([varve, *arguments], check=True,
                          capture_output=True).stdout


def check_statistics(varve, seed):
    rng = random.Random(seed)
    arrays = list(with_shapes(rng, [*nasty(rng), *at_random(rng),
                                    ('empty', 'float32', b'')]))
    write_safetensors('statistics.safetensors', arrays)
    items = {}
    for bins in ('1', '8', '64'):
        answer = json.loads(run(varve, 'stat', '--values', '--json', '--bins',
                                bins, 'statistics.safetensors'))
        items = {item['path']: item for item in answer['items']}
        assert len(items) == len(arrays)
        for name, dtype, shape, data in arrays:
            if bins != '8' and len(data) > 100000:
                continue
            try:
                check_item(items[name], elements(dtype, data), shape)
            except AssertionError as error:
                raise AssertionError(f'seed {seed}: {name} {dtype} {shape}: '
                                     f'{error}: {items[name]}') from error
    print(f'{len(arrays)} arrays')


def main(arguments):
    seed = int(arguments[2]) if len(arguments) > 2 else 1
    if arguments[0] == 'statistics':
        check_statistics(arguments[1], seed)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
