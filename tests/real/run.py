#!/usr/bin/env python3
"""run.py - Reads published checkpoints and compares them with their known
content.

    run.py CHECK DEFAULT_FOLDER

The folder (VARVE_REAL_DATA, or the default) contains the files in `data` and
their content in `expected`, under the same name and `.json`. CHECK is
tests/interop/check.c. Skipped if there is no such folder.

SPDX-License-Identifier: MIT
"""
import hashlib
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent
                       / 'interop'))
import manifest  # noqa: E402

SKIP = 77
NAME = 'real'
GRAPH = '_CHECKPOINTABLE_OBJECT_GRAPH'
WIDTHS = {'bool': 1, 'int8': 1, 'int16': 2, 'int32': 4, 'int64': 8,
          'uint8': 1, 'uint16': 2, 'uint32': 4, 'uint64': 8, 'float16': 2,
          'float32': 4, 'float64': 8, 'complex64': 4, 'complex128': 8}


# --- TensorFlow ------------------------------------------------------------


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def damaged(what):
    sys.exit(f'{NAME}: the test data is damaged: {what}')


def strings(entry, shards):
    """The strings are at the end of the stored bytes. The known digest covers
    each length and its string in turn; Varve's digest covers all lengths
    first."""
    lengths, texts = entry['lengths'], []
    with open(shards[entry['shard']], 'rb') as stream:
        stream.seek(entry['offset'] + entry['size'] - sum(lengths))
        texts = [stream.read(length) for length in lengths]
    packed = [struct.pack('<Q', length) for length in lengths]
    known = b''.join(p + t for p, t in zip(packed, texts))
    if sha256(known) != entry['strings_sha256']:
        damaged(entry)
    return {'dtype': 'string', 'shape': entry['shape'],
            'sha256': sha256(b''.join(packed + texts)),
            **({} if entry['shape'] else {'content': sha256(texts[0])})}


def tensor(entry, shards):
    if entry['dtype'] == 'string':
        return strings(entry, shards)
    return {'dtype': entry['dtype'], 'shape': entry['shape'],
            'sha256': entry['sha256']}


def bundle(expected, path):
    shards = [path.parent / name for name in sorted(expected['shard_bytes'])]
    if None in expected['shard_bytes'].values():
        return {'refused': 'VARVE_NOT_FOUND'}
    found = {'values': {key: tensor(entry, shards)
                        for key, entry in expected['tensors'].items()
                        if key != GRAPH}}
    if any(entry.get('crc_ok') is False
           for entry in expected['tensors'].values()):
        return {'refused': 'VARVE_CORRUPT'}
    counter = expected['tensors'].get(
        'save_counter/.ATTRIBUTES/VARIABLE_VALUE')
    if counter:
        found['counter'] = counter['first'][0]
    if 'object_graph' in expected:
        found['nodes'] = [{
            'children': [[c['name'], c['id']] for c in node['children']],
            'attributes': [[a['name'], a['key'], a['full_name']]
                           for a in node['attributes']],
            'slots': [[s['slot'], s['var'], s['slot_var']]
                      for s in node['slots']]}
            for node in expected['object_graph']]
    return found


def old_table(_expected, _path):
    return {'refused': 'VARVE_NOT_A_CHECKPOINT'}


# --- safetensors and NumPy -------------------------------------------------


def safetensors(expected, _):
    return {'values': expected['tensors'],
            'metadata': expected['metadata'] or {}}


def rows_first(items, shape):
    """Converts elements from column-major to row-major order."""
    steps, step = [], 1
    for extent in shape:
        steps.append(step)
        step *= extent
    order = [0]
    for extent, step in zip(shape, steps):
        order = [at + i * step for at in order for i in range(extent)]
    return [items[at] for at in order]


def text_of(data, item_size):
    """Converts elements of 32-bit characters to Varve's strings."""
    texts = [data[at:at + item_size].decode('utf-32-le').rstrip('\0').encode()
             for at in range(0, len(data), item_size)]
    return struct.pack(f'<{len(texts)}Q', *map(len, texts)) + b''.join(texts)


def array(entry, content):
    """Returns the bytes of an array as stored by Varve. A digest confirms that
    they are the expected ones."""
    data = content[entry['data_offset']:entry['data_offset'] + entry['size']]
    if sha256(data) != entry['sha256']:
        damaged(entry)
    dtype = entry['dtype']
    width = re.fullmatch(r'other:<U(\d+)', dtype)
    if width:
        data, dtype = text_of(data, 4 * int(width[1])), 'string'
    elif entry.get('byteorder') == 'big':
        size = WIDTHS[dtype]
        data = b''.join(data[at:at + size][::-1]
                        for at in range(0, len(data), size))
    if entry['fortran_order'] and dtype != 'string':
        size = WIDTHS[dtype] * (2 if dtype.startswith('complex') else 1)
        data = b''.join(rows_first([data[at:at + size] for at in range(
            0, len(data), size)], entry['shape']))
    return {'dtype': dtype, 'shape': entry['shape'],
            'sha256': sha256(data)}


def npy(expected, path):
    entry = expected['tensors']['']
    if entry['dtype'].startswith('object'):
        return {'refused': 'VARVE_NOT_A_CHECKPOINT'}
    return {'values': {'': array(entry, path.read_bytes())}}


def npz(expected, path):
    found = {'values': {}}
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        for name, entry in expected['tensors'].items():
            if entry['dtype'].startswith('object'):
                return {'refused': 'VARVE_NOT_A_CHECKPOINT'}
            if entry['zip'] == 'deflate':
                found['needs'] = 'zlib'
            found['values'][name] = array(entry, archive.read(name + '.npy'))
    return found


KINDS = {'tensorbundle': bundle, 'not-a-tensorbundle': old_table,
         'safetensors': safetensors, 'npy': npy, 'npz': npz}


def describe(folder, path):
    """Returns the expected description of an item in the format of
    describe.py."""
    with open(path, encoding='utf-8') as stream:
        expected = json.load(stream)
    name = path.relative_to(folder / 'expected').with_suffix('')
    return str(name), KINDS[expected['kind']](expected, folder / 'data' / name)


def main(check, default):
    folder = pathlib.Path(os.environ.get('VARVE_REAL_DATA', default))
    items = sorted((folder / 'expected').rglob('*.json'))
    if not items:
        print(f'{NAME}: skipped, {folder} has no files; VARVE_REAL_DATA names '
              'the folder')
        return SKIP
    with tempfile.TemporaryDirectory() as scratch:
        listing = os.path.join(scratch, 'lines')
        with open(listing, 'w', encoding='ascii') as stream:
            for path in items:
                stream.writelines(manifest.lines(*describe(folder, path)))
        done = subprocess.run(
            [check, listing, folder / 'data', os.path.join(scratch, 'copy')],
            stdout=subprocess.PIPE, encoding='utf-8', errors='replace')
    print(done.stdout.replace(' checkpoints: ', ' items: '), end='')
    return done.returncode


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
