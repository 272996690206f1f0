#!/usr/bin/env python3
"""check_output.py - Checks output of the varve command with independent code.

    check_output.py json
 xml                   standard input is valid and
                                                 matches its schema
    check_output.py lines SCHEMA                 a line of JSON for each item
    check_output.py page                         a page whose data is JSON with
                                                 consistent columns
    check_output.py error EXIT CODE              it is such a varve.error/1
    check_output.py elements FILE                a varve.cat/1 of those bytes
    check_output.py slice PART FILE              a varve.cat/1 of that part of
                                                 the varve.cat/1 in FILE
    check_output.py listed                       a varve.ls/1 as lines without
                                                 file name and offsets
    check_output.py values                       the same, only values
    check_output.py flip FILE OFFSET             changes a bit
    check_output.py archive FILE NAME...         creates a zip archive
    check_output.py steering NAME                creates NAME.safetensors and
                                                 NAME.npy with names that
                                                 contain control characters
    check_output.py digest                       a digest of all values
    check_output.py globals                      global names, sorted
    check_output.py harmless                     no control characters
    check_output.py terminal VARVE               on a terminal
    check_output.py interrupt VARVE FILE [COMMAND ARGUMENTS]   Ctrl-C

SPDX-License-Identifier: MIT
"""
import bisect
import functools
import json
import math
import os
import pty
import signal
import struct
import subprocess
import sys
import time
import xml.etree.ElementTree
import zipfile

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       '..', '..', 'docs', 'schemas')
WHOLE = {'int8': 'b', 'int16': 'h', 'int32': 'i', 'int64': 'q', 'uint8': 'B',
         'uint16': 'H', 'uint32': 'I', 'uint64': 'Q'}
REAL = {'float16': 'e', 'float32': 'f', 'float64': 'd', 'complex64': 'f',
        'complex128': 'd'}


def validate(answer, schema):
    """The validator is optional and takes long to import."""
    try:
        import jsonschema
    except ImportError:
        return
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(answer)


def check_schema(answer):
    """Validates an answer against its schema in docs/schemas."""
    name = answer['schema'].replace('/', '-') + '.json'
    assert name.startswith('varve.'), name
    with open(os.path.join(SCHEMAS, name), encoding='utf-8') as file:
        schema = json.load(file)
    for key in schema['required']:
        assert key in answer, key
    validate(answer, schema)


def check_json():
    check_schema(json.load(sys.stdin))


def check_lines(name):
    """Checks that each line is an item of the answer with schema `name`."""
    answer = {'schema': name, 'items': [json.loads(line) for line in sys.stdin]}
    assert answer['items']
    with open(os.path.join(SCHEMAS, name.replace('/', '-') + '.json'),
              encoding='utf-8') as file:
        schema = json.load(file)
    del schema['required']
    validate(answer, schema)


def check_xml():
    xml.etree.ElementTree.fromstring(sys.stdin.buffer.read())


def check_page():
    text = sys.stdin.buffer.read().decode()
    head, rest = text.split('id="data">')
    text, tail = rest.split('</script>', 1)
    data = json.loads(text)
    assert data['schema'] == 'varve.page/1', data['schema']
    assert tail.count('<script>') == 1 and '<script>' not in head
    nodes, values = len(data['kinds']), len(data['value_nodes'])
    assert len(data['edge_counts']) == nodes
    assert sum(data['edge_counts']) == len(data['edge_children'])
    assert len(data['types']) == values and len(data['places']) == 3 * values
    assert len(data['slot_nodes']) == len(data['slot_owners'])
    assert all(n < nodes for n in data['edge_children'] + data['slot_nodes'])
    assert all(n < len(data['names'])
               for n in data['edge_names'] + data['slot_names'])


def check_error(outcome, code):
    answer = json.load(sys.stdin)
    assert answer['schema'] == 'varve.error/1'
    check_schema(answer)
    assert (answer['exit'], answer['code']) == (int(outcome), code), answer


def small_real(bits, fraction_bits, exponent_bits, finite=False):
    """Decodes an IEEE 754 number; E4M3FN if `finite`."""
    fraction = bits & (1 << fraction_bits) - 1
    top = (1 << exponent_bits) - 1
    exponent = bits >> fraction_bits & top
    sign = -1 if bits >> fraction_bits + exponent_bits else 1
    bias = top // 2
    if finite and exponent == top and fraction == 7:
        return math.nan
    if not finite and exponent == top:
        return math.nan if fraction else sign * math.inf
    one = 1 if exponent else 0
    return sign * (one + fraction / (1 << fraction_bits)) \
        * 2.0 ** (max(exponent, 1) - bias)


def decode(dtype, data):
    if dtype == 'bool':
        return [byte != 0 for byte in data]
    if dtype in WHOLE:
        return [n for n, in struct.iter_unpack('<' + WHOLE[dtype], data)]
    if dtype in REAL:
        reals = [r for r, in struct.iter_unpack('<' + REAL[dtype], data)]
        if dtype.startswith('complex'):
            return [list(pair) for pair in zip(reals[::2], reals[1::2])]
        return reals
    if dtype == 'bfloat16':
        return [r for r, in struct.iter_unpack(
            '<f', b''.join(b'\0\0' + data[i:i + 2]
                           for i in range(0, len(data), 2)))]
    if dtype == 'float8_e5m2':
        return [small_real(b, 2, 5) for b in data]
    return [small_real(b, 3, 4, True) for b in data]


@functools.lru_cache
def all_of(dtype):
    size = 1 if dtype.startswith('float8') else 2
    every = b''.join(n.to_bytes(size, 'little') for n in range(1 << 8 * size))
    return sorted({r for r in decode(dtype, every) if math.isfinite(r)})


def nearest(dtype, shown):
    """Returns the element of a small type that is nearest to the printed
    number."""
    if not math.isfinite(shown):
        return shown
    reals = all_of(dtype)
    at = bisect.bisect_left(reals, shown)
    return min(reals[max(at - 1, 0):at + 1], key=lambda r: abs(r - shown))


def few_digits(dtype, shown):
    """Returns true if the number has no more digits than are needed to
    distinguish all elements of the type (11, 8, 4 or 3 significant bits)."""
    most = {'float16': 5, 'bfloat16': 4, 'float8_e4m3fn': 3,
            'float8_e5m2': 2}.get(dtype)
    digits = repr(shown).split('e')[0].strip('-').replace('.', '').strip('0')
    return not most or not math.isfinite(shown) or len(digits) <= most


def same(dtype, shown, real):
    if isinstance(real, list):
        return len(shown) == len(real) and all(
            same(dtype, s, r) for s, r in zip(shown, real))
    if isinstance(real, float):
        shown = float(shown)
        if dtype.startswith('float8') or dtype.endswith('float16'):
            assert few_digits(dtype, shown), (dtype, shown)
            shown = nearest(dtype, shown)
        elif dtype not in ('float64', 'complex128'):
            shown, = struct.unpack('<f', struct.pack('<f', shown))
            real, = struct.unpack('<f', struct.pack('<f', real))
        return shown == real or math.isnan(shown) and math.isnan(real)
    return shown == real and type(shown) == type(real)


def check_elements(path):
    answer = json.load(sys.stdin)
    with open(path, 'rb') as file:
        real = decode(answer['dtype'], file.read())
    assert same(answer['dtype'], answer['values'], real), (answer, real)


def nested(values, shape):
    """Converts a flat list to nested lists."""
    for extent in reversed(shape[1:]):
        values = [values[i:i + extent] for i in range(0, len(values), extent)]
    return values


def cut(rows, parts):
    """Applies Python slices (as in NumPy) to nested lists."""
    if not parts:
        return rows
    if '...' in parts:
        at = parts.index('...')
        rank, inner = 0, rows
        while isinstance(inner, list):
            rank, inner = rank + 1, inner[0]
        parts[at:at + 1] = [':'] * (rank - len(parts) + 1)
        return cut(rows, parts)
    if ':' not in parts[0]:
        return cut(rows[int(parts[0])], parts[1:])
    numbers = [int(n) if n else None for n in parts[0].split(':')]
    return [cut(row, parts[1:]) for row in rows[slice(*numbers)]]


def flat(rows):
    return [e for row in rows for e in flat(row)] \
        if isinstance(rows, list) else [rows]


def check_slice(part, path):
    answer = json.load(sys.stdin)
    with open(path, encoding='utf-8') as stream:
        whole = json.load(stream)
    rows = cut(nested(whole['values'], whole['shape']), part.split(','))
    assert answer['values'] == flat(rows), answer
    for extent in answer['shape']:
        assert extent == len(rows), answer
        if extent == 0:
            return
        rows = rows[0]
    assert not isinstance(rows, list), answer


def listed(values_only=False):
    answer = json.load(sys.stdin)
    paths = {node['id']: node['path'] for node in answer['objects']}
    for item in answer['items']:
        print(item['path'], item['kind'], item['dtype'], item['shape'],
              item['bytes'], item['digest'])
    if values_only:
        return
    print(answer['counter'], answer['metadata'])
    for node in answer['objects']:
        edges = [(e['name'], paths[e['node']]) for e in node['edges']]
        slots = [(s['name'], paths[s['variable']], paths[s['node']])
                 for s in node['slots']]
        print(node['path'], node['kind'], node['tags'], edges, slots)


def flip(path, offset):
    with open(path, 'r+b') as file:
        file.seek(int(offset), os.SEEK_END if int(offset) < 0 else os.SEEK_SET)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 16]))


def archive(path, *names):
    with zipfile.ZipFile(path, 'w') as made:
        for name in names:
            made.writestr(name, name)


STEERING = ('\x9b31m', '\u202e', '\u2066', '\u200f', '\u061c', '\u2028',
            '\x1b[2J')


def make_steering(name):
    text = ''.join(STEERING)
    header = json.dumps({
        '__metadata__': {f'key{text}': f'text{text}'},
        f'model{text}/kernel{text}': {
            'dtype': 'U8', 'shape': [1], 'data_offsets': [0, 1]},
    }, ensure_ascii=False).encode()
    with open(f'{name}.safetensors', 'wb') as file:
        file.write(struct.pack('<Q', len(header)) + header + b'x')
    dictionary = (f"{{'descr': '<U{len(text)}', 'fortran_order': False, "
                  f"'shape': (), }}\n").encode()
    with open(f'{name}.npy', 'wb') as file:
        file.write(b'\x93NUMPY\1\0' + struct.pack('<H', len(dictionary))
                   + dictionary + text.encode('utf-32-le'))


def print_digest():
    answer = json.load(sys.stdin)
    print(answer.get('digest') or answer['files'][0]['digest'])


def print_globals():
    print(sorted(item['global_name'] for item in json.load(sys.stdin)['items']
                 if item['saved']))


def check_harmless():
    text = sys.stdin.buffer.read().decode()
    found = [c for c in text if any(c == s[0] for s in STEERING)]
    assert not found, found


def on_terminal(arguments, environment):
    """Runs the command on a terminal. Returns the exit code and the output."""
    ours, theirs = pty.openpty()
    program = subprocess.Popen(arguments, env=environment, stdin=theirs,
                               stdout=theirs, stderr=theirs)
    os.close(theirs)
    printed = b''
    try:
        while data := os.read(ours, 65536):
            printed += data
    except OSError:
        pass  # Linux reports the closed other end this way
    os.close(ours)
    return program.wait(), printed


def check_terminal(varve):
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        print('skipped: a terminal cannot be opened:', error)
        return
    environment = dict(os.environ, TERM='xterm')
    bytes_of = [varve, 'cat', 'sample.varve', 'optimizer/step']
    code, printed = on_terminal(bytes_of, environment)
    assert code == 2 and b'terminal' in printed, (code, printed)
    code, printed = on_terminal(bytes_of + ['--force'], environment)
    assert code == 0, (code, printed)
    code, printed = on_terminal(bytes_of + ['--json'], environment)
    assert code == 0 and b'varve.cat/1' in printed, (code, printed)
    ls = [varve, 'ls', 'sample.varve']
    code, printed = on_terminal(ls, environment)
    assert code == 0 and b'\x1b[' in printed, (code, printed)
    for extra in {'NO_COLOR': '1'}, {'TERM': 'dumb'}:
        code, printed = on_terminal(ls, environment | extra)
        assert code == 0 and b'\x1b[' not in printed, (code, printed)
    code, printed = on_terminal(
        [varve, 'verify', '--progress=always', 'many.varve'], environment)
    assert code == 0 and b'% ' in printed, (code, printed)


def check_interrupt(varve, path, command='ls', *more):
    """Tests an interrupt while the pipe is full because the reader does not
    read."""
    program = subprocess.Popen(
        [varve, command, '--json', path, *more], stdout=subprocess.PIPE)
    time.sleep(0.3)
    program.send_signal(signal.SIGINT)
    assert program.wait(10) == -signal.SIGINT, program.returncode


CHECKS = {'json': check_json, 'xml': check_xml, 'error': check_error,
          'page': check_page,
          'elements': check_elements, 'slice': check_slice, 'listed': listed,
          'values': lambda: listed(True), 'flip': flip, 'archive': archive,
          'steering': make_steering, 'digest': print_digest,
          'globals': print_globals, 'harmless': check_harmless,
          'terminal': check_terminal, 'interrupt': check_interrupt,
          'lines': check_lines}

if __name__ == '__main__':
    CHECKS[sys.argv[1]](*sys.argv[2:])
