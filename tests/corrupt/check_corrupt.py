#!/usr/bin/env python3
"""check_corrupt.py - Tests that the independent reader returns the same
statuses for the files of test_corrupt.c.

    check_corrupt.py PROGRAM

SPDX-License-Identifier: MIT
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import read_format  # noqa: E402


def status_of(path):
    try:
        read_format.read(path.read_bytes())
    except read_format.Damage as damage:
        return damage.args[0]
    return 'VARVE_OK'


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program], check=True, stderr=subprocess.DEVNULL,
                       env=dict(os.environ, VARVE_DEFECTS=folder))
        paths = sorted(pathlib.Path(folder).iterdir())
        wrong = [f'{path.name}: {status_of(path)}' for path in paths
                 if status_of(path) != path.name.partition('-')[0]]
    print(f'{len(paths)} defects, {len(wrong)} with the wrong status')
    return '\n'.join(wrong) if wrong or len(paths) < 30 else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
