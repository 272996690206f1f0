#!/usr/bin/env python3
"""check_show.py - Compares random arrays in the output of varve show with
NumPy, if installed, and checks that each printed number converts back to the
same element.

    check_show.py VARVE [SEED]

SPDX-License-Identifier: MIT
"""
import bisect
import json
import math
import random
import re
import signal
import struct
import subprocess
import sys

sys.path.insert(0, __file__.rsplit('/', 1)[0])
from check_statistics import elements, write_safetensors  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

WHOLE = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16',
         'uint32', 'uint64']
REAL = ['float16', 'float32', 'float64', 'complex64', 'complex128']
# From version 2.4 on NumPy prints these types with exponents from smaller
# numbers on than float64, unlike varve.
SHORT = {'float16', 'float32', 'complex64'} if numpy and tuple(
    map(int, numpy.__version__.split('.')[:2])) >= (2, 4) else set()


def shown(varve, *arguments):
    """Returns the output after the header."""
    text = subprocess.run([varve, 'show', *arguments], check=True,
                          capture_output=True, text=True).stdout
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('[')),
                 len(lines) - 1)
    return '\n'.join(lines[first:])


# --- Beside NumPy ------------------------------------------------------------

def reals(rng, count):
    kind = rng.randrange(8)
    if kind == 0:
        return [rng.gauss(0, 1) for _ in range(count)]
    if kind == 1:
        return [float(rng.randrange(-9, 10)) for _ in range(count)]
    if kind == 2:
        return [rng.uniform(-1, 1) * 10.0 ** rng.randrange(-6, 7)
                for _ in range(count)]
    if kind == 3:
        return [rng.choice([0.0, -0.0, 0.5, 1.25, 1000.0]) for _ in
                range(count)]
    if kind == 4:
        return [rng.choice([math.nan, math.inf, -math.inf, 0.1, 12.5])
                for _ in range(count)]
    if kind == 5:
        some = rng.sample([math.nan, math.inf, -math.inf, 0.0, 1.0, -2.0], 3)
        return [rng.choice(some) for _ in range(count)]
    if kind == 6:
        return [1e8 * rng.random() for _ in range(count)]
    return [struct.unpack('<d', rng.randbytes(8))[0] for _ in range(count)]


def array(rng, dtype, shape):
    count = math.prod(shape)
    if dtype == 'bool':
        made = numpy.array([rng.randrange(2) for _ in range(count)], dtype)
    elif dtype in WHOLE:
        size = numpy.dtype(dtype).itemsize
        few = rng.random() < 0.5
        made = (numpy.array([rng.randrange(100) for _ in range(count)], dtype)
                if few else numpy.frombuffer(rng.randbytes(size * count),
                                             dtype))
    else:
        with numpy.errstate(all='ignore'):
            if dtype.startswith('complex'):
                made = numpy.empty(count, dtype)
                made.real, made.imag = reals(rng, count), reals(rng, count)
            else:
                made = numpy.array(reals(rng, count)).astype(dtype)
    return made.reshape(shape)


def shape(rng):
    rank = rng.choice([1, 1, 2, 2, 3, 4, 5, 6])
    most = {1: 3000, 2: 60, 3: 20, 4: 9, 5: 8, 6: 4}[rank]
    return tuple(rng.randrange(1, most) if rng.random() < 0.95 else 0
                 for _ in range(rank))


def axis_part(rng, extent):
    if extent and rng.random() < 0.2:
        return str(rng.randrange(-extent, extent))
    numbers = [str(rng.randrange(-extent - 2, extent + 3))
               if rng.random() < 0.4 else '' for _ in range(2)]
    return ':'.join(numbers) + rng.choice(['', '', ':1', ':2', ':3', ':-1',
                                           ':-2', ':'])


def part(rng, extents):
    front = rng.randrange(len(extents) + 1)
    back = rng.randrange(len(extents) - front + 1)
    words = [axis_part(rng, extent) for extent in extents[:front]]
    if back or not front:
        words.append('...')
        words += [axis_part(rng, extent)
                  for extent in extents[len(extents) - back:]]
    return ','.join(words)


def as_numpy(made, precision, width, full):
    edge = 3
    while edge > 1 and made.size > 1000 and math.prod(
            min(n, 2 * edge) for n in made.shape) > 8000:
        edge -= 1
    return numpy.array2string(
        made, max_line_width=width, precision=precision, edgeitems=edge,
        threshold=sys.maxsize if full else 1000)


def beside_numpy(varve, seed):
    rng = random.Random(seed)
    for number in range(150):
        dtype = rng.choice(WHOLE + REAL)
        made = array(rng, dtype, shape(rng))
        if number % 50 == 7:
            made = numpy.arange(3000000).reshape(
                rng.choice([(3000000,), (1500, 2, 1000), (2, 1500000)]))
        numpy.save('shown.npy', made)
        arguments, chosen = ['shown.npy', 'arr_0'], made
        precision, width = 8, 75
        full = rng.random() < 0.2 and made.size < 20000
        if rng.random() < 0.3:
            precision = rng.randrange(17)
            arguments.append(f'--precision={precision}')
        if rng.random() < 0.3:
            width = rng.randrange(30, 200)
            arguments.append(f'--width={width}')
        if full:
            arguments.append('--full')
        if rng.random() < 0.5:
            cut = part(rng, made.shape)
            arguments.append(f'--slice={cut}')
            chosen = eval(f'made[{cut}]')  # pylint: disable=eval-used
        if chosen.ndim == 0 or dtype in SHORT:
            continue
        found = shown(varve, *arguments)
        wanted = as_numpy(chosen, precision, width, full)
        pairs = zip(found.splitlines() + [''], wanted.splitlines() + [''])
        differ = [f'found  {a}\nwanted {b}' for a, b in pairs if a != b]
        assert found == wanted, (
            f'seed {seed}, {number}: {arguments} {dtype} {made.shape}\n'
            + '\n'.join(differ[:3]))


# --- Alone -------------------------------------------------------------------

def nearest(dtype, every, text):
    """Returns the nearest of the sorted elements to a decimal number."""
    real = float(text)
    if math.isnan(real):
        return real
    letter = {'float16': 'e', 'float32': 'f', 'float64': 'd'}.get(dtype)
    if letter:
        return struct.unpack('<' + letter, struct.pack('<' + letter, real))[0]
    at = bisect.bisect_left(every, real)
    return min(every[max(at - 1, 0):at + 1], key=lambda x: abs(x - real))


def same(a, b):
    return math.isnan(a) and math.isnan(b) or a == b and \
        math.copysign(1, a) == math.copysign(1, b)


def alone(varve, seed):
    rng = random.Random(seed)
    every = {dtype: bytes(range(256)) for dtype in
             ('float8_e4m3fn', 'float8_e5m2')}
    cut = dict(every)
    # At powers of two the neighbors have different distances.
    for dtype, bits in (('bfloat16', 7), ('float16', 10)):
        every[dtype] = struct.pack('<65536H', *range(65536))
        cut[dtype] = struct.pack(f'<{2 ** (16 - bits)}H',
                                 *range(0, 65536, 2 ** bits)) \
            + rng.randbytes(1000)
    cut['float32'], cut['float64'] = rng.randbytes(4000), rng.randbytes(8000)
    size = {'float32': 4, 'float64': 8, 'float16': 2, 'bfloat16': 2}
    write_safetensors('reads_back.safetensors', [
        ('power', 'bfloat16', [1], struct.pack('<H', 127 + 60 << 7)),
        *((dtype, dtype, [len(data) // size.get(dtype, 1)], data)
          for dtype, data in cut.items())])
    # 1.15e18 would convert to the element below.
    text = shown(varve, 'reads_back.safetensors', 'power')
    assert text == '[1.153e+18]', text
    for dtype, data in cut.items():
        text = shown(varve, '--full', '--precision=20',
                     'reads_back.safetensors', dtype)
        words = re.findall(r'[^\s\[\]]+', text)
        numbers = elements(dtype, data)
        assert len(words) == len(numbers), dtype
        choice = sorted(x for x in elements(dtype, every.get(dtype, b''))
                        if not math.isnan(x))
        for word, number in zip(words, numbers):
            if math.isinf(number):
                assert word in ('inf', '-inf'), (dtype, word, number)
            else:
                assert same(nearest(dtype, choice, word) + 0.0,
                            number + 0.0), (dtype, word, number)


def chosen_of(extents, words):
    """Returns the positions in each dimension, as Python slices."""
    if '...' in words:
        at = words.index('...')
        words = words[:at] + [':'] * (len(extents) - len(words) + 1) \
            + words[at + 1:]
    words = words + [':'] * (len(extents) - len(words))
    for extent, word in zip(extents, words):
        if ':' not in word:
            yield [range(extent)[int(word)]]
            continue
        numbers = [int(n) if n else None for n in word.split(':')]
        yield list(range(extent))[slice(*numbers)]


def large(varve, seed):
    """Tests an array that does not fit in memory at once; each element is
    its index."""
    rng = random.Random(seed)
    extents = [1201, 3, 1000]
    count = math.prod(extents)
    write_safetensors('large.safetensors', [
        ('large', 'int32', extents, struct.pack(f'<{count}i', *range(count)))])
    subprocess.run([varve, 'convert', '-f', 'large.safetensors',
                    'large.varve'], check=True, capture_output=True)
    for number in range(25):
        cut = part(rng, extents)
        file = rng.choice(['large.varve', 'large.safetensors'])
        picked = list(chosen_of(extents, cut.split(',')))
        if math.prod(map(len, picked)) > 200000:
            picked[0], cut = [7], '7' + ''.join(
                f',{word}' for word in cut.split(',')[1:] if word != '...')
            picked = list(chosen_of(extents, cut.split(',')))
        wanted = [(a * 3 + b) * 1000 + c for a in picked[0] for b in picked[1]
                  for c in picked[2]]
        answer = json.loads(subprocess.run(
            [varve, 'show', '--json', '--full', '-s', f'--slice={cut}', file,
             'large'], check=True, capture_output=True).stdout)
        what = f'seed {seed}, {number}: {file} {cut}'
        assert answer['values'] == wanted, what
        statistics = answer['statistics']
        assert statistics['count'] == len(wanted), what
        if wanted:
            assert statistics['min'] == min(wanted), what
            assert statistics['max'] == max(wanted), what
            assert abs(statistics['mean'] * len(wanted) - sum(wanted)) <= \
                sum(wanted) * 1e-15, what
    answer = json.loads(subprocess.run(
        [varve, 'stat', '--values', '--json', '--bins=3', 'large.varve'],
        check=True, capture_output=True).stdout)['items'][0]
    assert answer['count'] == count and answer['max'] == count - 1
    assert answer['mean'] == (count - 1) / 2
    assert math.isclose(answer['std'], math.sqrt((count ** 2 - 1) / 12),
                        rel_tol=1e-14)
    assert answer['histogram'] == {
        'bounds': [0, count // 3, count // 3 * 2, count - 1],
        'counts': [count // 3] * 3}
    text = shown(varve, 'large.varve', 'large')
    assert text.split()[:3] == ['[[[', '0', '1'] and text.endswith(
        ' 3602999]]]'), text
    damaged(varve, count)


def late(varve):
    """The first NaN is far from the first element, and is not the last."""
    arrays = []
    for dtype, size, nan in (('bfloat16', 2, 0x7fc0),
                             ('float32', 4, 0x7fc00000),
                             ('float64', 8, 0x7ff8 << 48),
                             ('float8_e5m2', 1, 0x7f)):
        rows = 9000 // size
        for name, first in (('early', rows * 500), ('late', rows * 1000 - 2)):
            data = bytearray(rows * 1000 * size)
            for at in (first, rows * 1000 - 1):
                data[at * size:(at + 1) * size] = nan.to_bytes(size, 'little')
            arrays.append((name + '_' + dtype, dtype, [rows, 1000], data))
    write_safetensors('late.safetensors', arrays)
    items = json.loads(subprocess.run(
        [varve, 'stat', '--values', '--json', 'late.safetensors'], check=True,
        capture_output=True).stdout)['items']
    for item in items:
        rows = item['shape'][0]
        assert item['nans'] == 2, item
        assert item['zeros'] == item['finite'] == rows * 1000 - 2, item
        early = list(divmod(rows * 500, 1000))
        assert item['first_nan'] == (
            early if item['path'].startswith('early') else [rows - 1, 998]), \
            item


def damaged(varve, count):
    """Only the printed part is read, and only its damage is reported."""
    answer = json.loads(subprocess.run(
        [varve, 'ls', '--json', 'large.varve'], check=True,
        capture_output=True).stdout)
    with open('large.varve', 'r+b') as file:
        file.seek(answer['items'][0]['offset'] + 4 * (count // 2))
        byte = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([byte ^ 1]))
    outcomes = [subprocess.run(
        [varve, 'show', f'--slice={cut}', 'large.varve', 'large'], check=False,
        capture_output=True) for cut in ('0', '-1', '600', '::600', '::1200')]
    assert [o.returncode for o in outcomes] == [0, 0, 4, 4, 0], outcomes
    assert not outcomes[2].stdout, outcomes[2].stdout
    outcome = subprocess.run([varve, 'stat', '--values', 'large.varve'],
                             check=False, capture_output=True)
    assert outcome.returncode == 1, outcome


def interrupted(varve):
    """Tests an interrupt while the reader does not read the output."""
    write_safetensors('long.safetensors', [
        ('long', 'uint8', [500000], bytes(500000))])
    with subprocess.Popen([varve, 'show', '--full', 'long.safetensors', 'long'],
                          stdout=subprocess.PIPE) as process:
        process.stdout.read(100)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT, process.returncode


def main(varve, seed='1'):
    alone(varve, int(seed))
    interrupted(varve)
    large(varve, int(seed))
    late(varve)
    if numpy:
        beside_numpy(varve, int(seed))
    print('beside NumPy' if numpy else 'alone')


if __name__ == '__main__':
    main(*sys.argv[1:])
