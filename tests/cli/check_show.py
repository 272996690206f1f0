#!/usr/bin/env python3
"""check_show.py - arrays at random as varve show prints them, beside NumPy
where it can be imported; and whether each number that is printed reads back.

    check_show.py VARVE [SEED]

SPDX-License-Identifier: MIT
"""
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


def shown(varve, *arguments):
    """What is printed behind the head."""
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
        return [rng.choice([math.nan, math.inf]) for _ in range(count)]
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
        if chosen.ndim == 0:
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
    """The element that a decimal number means."""
    real = float(text)
    if math.isnan(real):
        return real
    letter = {'float16': 'e', 'float32': 'f', 'float64': 'd'}.get(dtype)
    if letter:
        return struct.unpack('<' + letter, struct.pack('<' + letter, real))[0]
    return min((x for x in every if not math.isnan(x)),
               key=lambda x: (abs(x - real) if x != real else -1))


def same(a, b):
    return math.isnan(a) and math.isnan(b) or a == b and \
        math.copysign(1, a) == math.copysign(1, b)


def alone(varve, seed):
    rng = random.Random(seed)
    every = {dtype: bytes(range(256)) for dtype in
             ('float8_e4m3fn', 'float8_e5m2')}
    every['bfloat16'] = every['float16'] = struct.pack('<65536H',
                                                       *range(65536))
    cut = {dtype: data if len(data) == 256 else
           b''.join(data[2 * i:2 * i + 2] for i in rng.sample(range(65536),
                                                               500))
           for dtype, data in every.items()}
    cut['float32'], cut['float64'] = rng.randbytes(4000), rng.randbytes(8000)
    size = {'float32': 4, 'float64': 8, 'float16': 2, 'bfloat16': 2}
    write_safetensors('reads_back.safetensors', [
        (dtype, dtype, [len(data) // size.get(dtype, 1)], data)
        for dtype, data in cut.items()])
    for dtype, data in cut.items():
        text = shown(varve, '--full', '--precision=20',
                     'reads_back.safetensors', dtype)
        words = re.findall(r'[^\s\[\]]+', text)
        numbers = elements(dtype, data)
        assert len(words) == len(numbers), dtype
        choice = elements(dtype, every[dtype]) if dtype in every else []
        if dtype == 'bfloat16':
            words, numbers = words[:60], numbers[:60]
        for word, number in zip(words, numbers):
            if math.isinf(number):
                assert word in ('inf', '-inf'), (dtype, word, number)
            else:
                assert same(nearest(dtype, choice, word) + 0.0,
                            number + 0.0), (dtype, word, number)


def interrupted(varve):
    """While nobody takes what it prints."""
    write_safetensors('long.safetensors', [
        ('long', 'uint8', [500000], bytes(500000))])
    with subprocess.Popen([varve, 'show', '--full', 'long.safetensors', 'long'],
                          stdout=subprocess.PIPE) as process:
        process.stdout.read(100)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130, process.returncode


def main(varve, seed='1'):
    alone(varve, int(seed))
    interrupted(varve)
    if numpy:
        beside_numpy(varve, int(seed))
    print('beside NumPy' if numpy else 'alone')


if __name__ == '__main__':
    main(*sys.argv[1:])
