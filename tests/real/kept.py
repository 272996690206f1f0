#!/usr/bin/env python3
"""kept.py - Converts TensorFlow checkpoints to TensorFlow checkpoints: keys,
types, bytes and objects must be equal, and no loss reported.

    kept.py VARVE DEFAULT_FOLDER

VARVE is the command line tool; the folder is that of run.py. Skipped if there
is no folder.

SPDX-License-Identifier: MIT
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bundle  # noqa: E402

SKIP = 77
NAME = 'real kept'


def plain_keys(one):
    """Keys of slices begin with a zero; only whole tensors are compared."""
    return {key for key in one.entries if not key.startswith(b'\0')}


def compare(before, after):
    """Returns the differences."""
    keys = plain_keys(before)
    for key in sorted(keys ^ plain_keys(after)):
        yield f'key {key}'
    for key in sorted(keys & plain_keys(after) - {bundle.GRAPH}):
        old, new = before.entries[key], after.entries[key]
        if old[:2] != new[:2]:
            yield f'type and shape of {key}: {old[:2]}, {new[:2]}'
        elif not old[3] and before.stored(key) != after.stored(key):
            yield f'bytes of {key}'
    old, new = before.graph() or {}, after.graph() or {}
    for path in sorted(map(str, old.keys() ^ new.keys())):
        yield f'object {path}'
    for path in old.keys() & new.keys():
        if old[path] != new[path]:
            yield f'object {path}: {old[path]}, {new[path]}'


def check(varve, index):
    """Returns the errors of a checkpoint; None if it cannot be read."""
    before = bundle.Bundle(index)
    known = 'tensorflow' if bundle.GRAPH in before.entries \
        else 'tensorflow-names'
    with tempfile.TemporaryDirectory() as folder:
        out = f'{folder}/out'
        done = subprocess.run(
            [varve, 'convert', '--to', known, str(index), out],
            capture_output=True, text=True)
        if done.returncode:
            return None
        found = list(compare(before, bundle.Bundle(out + '.index')))
    if 'not carried over' in done.stdout:
        found.append(done.stdout)
    return found


def main(varve, folder):
    folder = pathlib.Path(os.environ.get('VARVE_REAL_DATA', folder)) / 'data'
    if not folder.is_dir():
        print(f'{NAME}: skipped, there is no {folder}')
        return SKIP
    read = bad = 0
    for index in sorted(folder.rglob('*.index')):
        found = check(varve, index)
        read += found is not None
        bad += bool(found)
        for line in found or []:
            print(f'{index}: {line[:400]}')
    print(f'{NAME}: {read} checkpoints, {bad} of them changed')
    return 1 if bad or not read else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
