#!/usr/bin/env python3
"""check_diff.py - Compares the results of varve diff with a comparison in
plain Python.

    check_diff.py VARVE random SEED COUNT   random pairs of files
    check_diff.py VARVE large               a value of several pieces

Values are written as .npz, and each side is converted to a random format.

SPDX-License-Identifier: MIT
"""
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import zipfile

WHOLE = {'int8': 'b', 'int16': 'h', 'int32': 'i', 'int64': 'q', 'uint8': 'B',
         'uint16': 'H', 'uint32': 'I', 'uint64': 'Q', 'bool': '?'}
REAL = {'float16': 'e', 'float32': 'f', 'float64': 'd'}
COMPLEX = {'complex64': 'f', 'complex128': 'd'}
NUMPY = {'bool': '|b1', 'int8': '|i1', 'uint8': '|u1', 'int16': '<i2',
         'uint16': '<u2', 'int32': '<i4', 'uint32': '<u4', 'int64': '<i8',
         'uint64': '<u8', 'float16': '<f2', 'float32': '<f4',
         'float64': '<f8', 'complex64': '<c8', 'complex128': '<c16'}
FORMATS = ['npz', 'npz', 'varve', 'varve', 'index']
ODD = [0.0, -0.0, math.nan, math.inf, -math.inf, 1.0, 5e-324, 1e308, -1e308]


class Array:
    """Stores an element type, a shape, and the bytes of the elements."""

    def __init__(self, dtype, shape, elements):
        self.dtype, self.shape, self.elements = dtype, shape, elements

    def code(self):
        return (WHOLE | REAL | COMPLEX)[self.dtype]

    def values(self):
        parts = [[v for v, in struct.iter_unpack('<' + self.code(), e)]
                 for e in self.elements]
        if self.dtype in COMPLEX:
            return [complex(*p) for p in parts]
        return [int(p[0]) if self.dtype in WHOLE else p[0] for p in parts]


def write_npz(path, arrays, compression):
    with zipfile.ZipFile(path, 'w', compression) as archive:
        for name, array in arrays.items():
            shape = ','.join(map(str, array.shape))
            shape += ',' if len(array.shape) == 1 else ''
            header = (f"{{'descr': '{NUMPY[array.dtype]}', 'fortran_order': "
                      f"False, 'shape': ({shape}), }}")
            header += ' ' * (-(len(header) + 11) % 64) + '\n'
            archive.writestr(name + '.npy', b'\x93NUMPY\x01\x00' +
                             struct.pack('<H', len(header)) +
                             header.encode() + b''.join(array.elements))


# --- At random --------------------------------------------------------------

def element(rng, dtype):
    if dtype == 'bool':
        return struct.pack('?', rng.random() < 0.5)
    if dtype in WHOLE:
        size = struct.calcsize(WHOLE[dtype])
        if rng.random() < 0.3:
            return rng.choice([bytes(size), b'\xff' * size,
                               b'\0' * (size - 1) + b'\x80',
                               b'\xff' * (size - 1) + b'\x7f'])
        return rng.randbytes(size)
    if dtype in COMPLEX:
        return real(rng, COMPLEX[dtype]) + real(rng, COMPLEX[dtype])
    return real(rng, REAL[dtype])


def real(rng, code):
    value = rng.choice(ODD) if rng.random() < 0.2 else rng.gauss(0, 1)
    if rng.random() < 0.2:
        value = float(rng.choice([2**53, 2**63, 2**64, -2**63, 3, 40000]))
    try:
        return struct.pack('<' + code, value)
    except OverflowError:
        return struct.pack('<' + code, 1.5)


def random_array(rng):
    dtype = rng.choice(list(NUMPY))
    shape = [rng.choice([0, 1, 2, 3, 5, 11, 40]) for _ in range(
        rng.choice([0, 1, 1, 2, 2, 3]))]
    count = math.prod(shape)
    return Array(dtype, shape, [element(rng, dtype) for _ in range(count)])


def changed(rng, array):
    """Returns an equal, a slightly different or another array."""
    chance = rng.random()
    if chance < 0.1:
        return random_array(rng)
    if chance < 0.2:
        return Array(array.dtype, array.shape + [1], array.elements)
    rate = rng.choice([0, 0, 0.01, 0.3, 1])
    dtype = array.dtype
    if chance < 0.4:
        dtype, rate = rng.choice(list(NUMPY)), 1
    return Array(dtype, array.shape, [
        element(rng, dtype) if rng.random() < rate else e
        for e in array.elements])


# --- The same comparison ----------------------------------------------------

def is_nan(value):
    return value != value


def size_of(value):
    if isinstance(value, complex):
        return math.nan if is_nan(value) else math.hypot(value.real,
                                                         value.imag)
    return float(abs(value))


def apart(x, y):
    """Returns |x - y|, exactly for integers."""
    if is_nan(x) or is_nan(y):
        return 0.0 if is_nan(x) and is_nan(y) else math.nan
    if isinstance(x, complex) or isinstance(y, complex):
        x, y = complex(x), complex(y)
        return math.hypot(apart(x.real, y.real), apart(x.imag, y.imag))
    if isinstance(x, int) and isinstance(y, int):
        return abs(x - y)
    if float(x) == float(y):
        same = math.isinf(float(x)) or int(x) == int(y)
        return 0.0 if same or x == y else float(abs(int(x) - int(y)))
    return abs(float(x) - float(y))


def model(a, b, options):
    """Returns the expected result for two arrays: a status, and statistics
    for numbers."""
    if a.shape != b.shape or (a.dtype != b.dtype and not options['cast']):
        return {'status': 'incomparable'}
    bitwise = a.dtype == b.dtype and options['tolerance'] is None
    distances, differing, largest_relative = [], [], 0.0
    for i, (x, y) in enumerate(zip(a.values(), b.values())):
        distance = apart(x, y)
        distances.append(distance)
        if bitwise:
            differs = a.elements[i] != b.elements[i]
        else:
            allowed = 0.0
            if options['tolerance'] is not None:
                allowed = options['tolerance'] + \
                    options['relative'] * size_of(y)
            differs = not (distance <= 0 or (float(distance) <= allowed and
                                             not math.isinf(distance)))
        if options['nan'] and (is_nan(x) or is_nan(y)):
            differs = True
        if differs:
            differing.append(i)
        if distance > 0:
            sizes = [s for s in (size_of(x), size_of(y)) if not is_nan(s)]
            ratio = math.inf if math.isinf(distance) \
                else distance / max(sizes)
            largest_relative = max(largest_relative, ratio)
    numbers = [d for d in distances if not is_nan(d)]
    return {'status': 'changed' if differing else 'equal',
            'differing': len(differing), 'max_rel': largest_relative,
            'max_abs': max(numbers, default=0), 'distances': distances,
            'first': differing[0] if differing else None}


def norm(distances):
    numbers = [float(d) for d in distances if not is_nan(d)]
    most = max(numbers, default=0.0)
    if most == 0 or math.isinf(most):
        return most
    return most * math.sqrt(math.fsum((d / most) ** 2 for d in numbers))


def number(value):
    return {'NaN': math.nan, 'Infinity': math.inf,
            '-Infinity': -math.inf}.get(value, value)


def is_near(x, y):
    return x == y or math.isclose(x, y, rel_tol=1e-12)


def check_numbers(item, wanted, shape):
    assert item['differing'] == wanted['differing'], (item, wanted)
    assert is_near(number(item['max_abs']), wanted['max_abs']), (item, wanted)
    if isinstance(wanted['max_abs'], int) and wanted['max_abs'] < 2**63 and \
            all(d < 2**64 for d in wanted['distances']):
        assert item['max_abs'] == wanted['max_abs'], (item, wanted)
    assert is_near(number(item['max_rel']), wanted['max_rel']), (item, wanted)
    found = norm(wanted['distances'])
    assert is_near(number(item['norm']), found), (item, found)
    if item['where'] is None:
        assert not wanted['differing'], (item, wanted)
        return
    place = 0
    for index, extent in zip(item['where'], shape):
        place = place * extent + index
    if wanted['max_abs'] > 0:
        assert is_near(wanted['distances'][place], wanted['max_abs']), item
    else:
        assert place == wanted['first'], (item, wanted)


# --- Running ----------------------------------------------------------------

def run(varve, arguments, status):
    done = subprocess.run([varve] + arguments, capture_output=True)
    assert done.returncode in status, (arguments, done.returncode,
                                       done.stderr.decode())
    return done


def write(varve, rng, arrays, path):
    kind = rng.choice(FORMATS)
    write_npz('made.npz', arrays, rng.choice([zipfile.ZIP_STORED,
                                              zipfile.ZIP_DEFLATED]))
    if kind == 'npz':
        os.replace('made.npz', path + '.npz')
    else:
        run(varve, ['convert', '-q', '-f', 'made.npz', f'{path}.{kind}'], [0])
    return f'{path}.{kind}'


def options_of(rng):
    tolerance = rng.choice([None, None, 0.0, 0.1, 3.0])
    return {'tolerance': tolerance, 'cast': rng.random() < 0.4,
            'nan': rng.random() < 0.2,
            'relative': 0.0 if tolerance is None else
            rng.choice([0.0, 0.01, 1.0])}


def words_of(options):
    words = ['--cast'] * options['cast'] + ['--nan-differs'] * options['nan']
    if options['tolerance'] is not None:
        words += ['--tolerance', repr(options['tolerance']),
                  '--relative', repr(options['relative'])]
    return words


def check_pair(varve, rng):
    names = [f'{rng.choice("abc")}/{i}/x y' for i in range(rng.randrange(9))]
    arrays = {n: random_array(rng) for n in names}
    a = {n: v for n, v in arrays.items() if rng.random() < 0.9}
    b = {n: changed(rng, v) for n, v in arrays.items() if rng.random() < 0.9}
    a['both'] = b['both'] = Array('int8', [1], [b'\1'])
    options = options_of(rng)
    words = words_of(options)
    renamed = {'b/' + n[2:] if n.startswith('a/') else n: v
               for n, v in b.items()}
    if len(renamed) == len(b) and any(n.startswith('a/') for n in a) and \
            not any(n.startswith('b/') for n in a):
        b = {n: v for n, v in renamed.items()}
        a_path = {n: 'b/' + n[2:] if n.startswith('a/') else n for n in a}
        words += ['--rename', 'b/** -> a/**']
    else:
        a_path = {n: n for n in a}
    files = [write(varve, rng, a, 'one'), write(varve, rng, b, 'other')]
    answer = run(varve, ['diff', '--json', '--equal', *words, *files], [0, 1])
    items = json.loads(answer.stdout)
    by_path = {i['path']: i for i in items['items']
               if i['status'] not in ('structure', 'metadata')}
    expected = {}
    for name, array in a.items():
        path = a_path[name]
        expected[path] = model(array, b[path], options) if path in b \
            else {'status': 'only_in_a'}
    for name in b:
        expected.setdefault(name, {'status': 'only_in_b'})
    shapes = {n: v.shape for n, v in b.items()}
    assert by_path.keys() == expected.keys(), (list(by_path), list(expected))
    for path, wanted in expected.items():
        item = by_path[path]
        assert item['status'] == wanted['status'], (item, wanted)
        if 'distances' in wanted and item['elements'] is not None:
            check_numbers(item, wanted, shapes[path])
    same = all(w['status'] == 'equal' for w in expected.values()) and \
        items['structure'] == 0
    assert items['same'] == same and answer.returncode == (not same)
    run(varve, ['diff', '-q', *words, *files], [int(not same)])
    return len(expected)


def check_large(varve):
    rows, columns = 3, 700001
    count = rows * columns
    data = bytearray(8 * count)
    write_npz('one.npz', {'x': Array('float64', [rows, columns],
                                     [bytes(data)])}, zipfile.ZIP_STORED)
    places = [0, 699999, 1048576, 1048577, count - 1]
    for i, place in enumerate(places):
        struct.pack_into('<d', data, 8 * place, i + 1.0)
    write_npz('other.npz', {'x': Array('float64', [rows, columns],
                                       [bytes(data)])}, zipfile.ZIP_DEFLATED)
    run(varve, ['convert', '-q', '-f', 'one.npz', 'one.varve'], [0])
    for file in ['one.npz', 'one.varve']:
        answer = run(varve, ['diff', '--json', file, 'other.npz'], [1])
        item, = json.loads(answer.stdout)['items']
        assert item['differing'] == len(places), item
        assert item['max_abs'] == 5 and item['where'] == [2, 700000], item
        assert (item['a'], item['b']) == (0, 5), item
        assert is_near(item['norm'], math.sqrt(55)), item


def main():
    varve, what = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        check(varve, what)
        os.chdir('/')


def check(varve, what):
    if what == 'large':
        check_large(varve)
        return
    seed, count = int(sys.argv[3]), int(sys.argv[4])
    values = 0
    for i in range(count):
        try:
            values += check_pair(varve, random.Random(f'{seed} {i}'))
        except BaseException:
            print(f'pair {i} of seed {seed}')
            raise
    print(f'{count} pairs, {values} values')


main()
