#!/usr/bin/env python3
"""make.py - Writes the test files of TensorFlow, Keras, safetensors and NumPy
with these programs.

    make.py [DIRECTORY]

Writes the small cases of tests/interop, `expected.json` with their content as
the programs report it, and `expected.lines`, the same for check.c. The
versions of the programs are printed and stored in expected.json. Requires the
virtual environment of tests/interop/run.py --install.

SPDX-License-Identifier: MIT
"""
import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'interop'))
import programs  # noqa: E402
from describe import bundle, describe, npz  # noqa: E402
from manifest import lines  # noqa: E402

# Files in a SavedModel that are not part of the checkpoint.
SURPLUS = ('saved_model.pb', 'fingerprint.pb')


def clear(directory, name):
    """Removes the previous files of the case."""
    for path in glob.glob(os.path.join(directory, name)) + \
            glob.glob(os.path.join(directory, name + '[-.]*')):
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            os.remove(path)


def make_all(directory):
    found = {}
    for one in programs.cases():
        if one.golden:
            path = os.path.join(directory, one.name)
            clear(directory, one.name)
            one.make(path)
            found[one.name + one.opens] = describe(one, path)
    subprocess.run([sys.executable, '-B',
                    os.path.join(HERE, 'make_keras_adam.py'), directory],
                   check=True)
    path = os.path.join(directory, 'keras_adam')
    found['keras_adam'] = dict(bundle(path), kind='bundle')
    found['keras_adam.npz'] = dict(npz(path + '.npz'), kind='npz')
    return found


def compact(value):
    return json.dumps(value, separators=(',', ':'))


def write(directory, found):
    text = ',\n'.join(f'{json.dumps(name)}: {compact(found[name])}'
                      for name in sorted(found))
    with open(os.path.join(directory, 'expected.json'), 'w') as stream:
        stream.write(f'{{"versions": {compact(programs.versions())},\n'
                     f'"files": {{\n{text}\n}}}}\n')
    with open(os.path.join(directory, 'expected.lines'), 'w') as stream:
        for name in sorted(found):
            stream.writelines(lines(name, found[name]))


def main(directory):
    found = make_all(directory)
    for folder, folders, names in os.walk(directory):
        for name in set(names) & set(SURPLUS):
            os.remove(os.path.join(folder, name))
        if 'assets' in folders:
            os.rmdir(os.path.join(folder, 'assets'))
    write(directory, found)
    for name, version in programs.versions().items():
        print(f'make: {name} {version}')
    print(f'make: {len(found)} checkpoints')


main(sys.argv[1] if len(sys.argv) > 1 else HERE)
