#!/usr/bin/env python3
"""legible.py - Draws TensorFlow checkpoints: no value is hidden, hidden nodes
are counted, and boxes do not overlap.

    legible.py VARVE DEFAULT_FOLDER

VARVE is the command line tool; the folder is that of run.py. Skipped if there
is no folder.

SPDX-License-Identifier: MIT
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cli'))
import check_picture  # noqa: E402

SKIP = 77
NAME = 'real legible'


def check(varve, index, folder):
    """Returns None if the checkpoint cannot be read, else an error or ''."""
    json, svg = f'{folder}/graph.json', f'{folder}/graph.svg'
    done = subprocess.run([varve, 'graph', '--json', '-o', json, str(index)],
                          capture_output=True)
    if done.returncode:
        return None
    try:
        subprocess.run([varve, 'graph', '--slots', '-o', svg, str(index)],
                       check=True, capture_output=True)
        check_picture.check_folded(svg, json)
        check_picture.check_places(svg)
        subprocess.run([varve, 'graph', '-o', svg, str(index)],
                       check=True, capture_output=True)
        check_picture.check_places(svg)
    except (AssertionError, subprocess.CalledProcessError) as error:
        return str(error)
    return ''


def main(varve, folder):
    folder = pathlib.Path(os.environ.get('VARVE_REAL_DATA', folder)) / 'data'
    if not folder.is_dir():
        print(f'{NAME}: skipped, there is no {folder}')
        return SKIP
    read = bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for index in sorted(folder.rglob('*.index')):
            complaint = check(varve, index, scratch)
            read += complaint is not None
            bad += bool(complaint)
            if complaint:
                print(f'{index}: {complaint[:400]}')
    print(f'{NAME}: {read} checkpoints, {bad} of them drawn wrongly')
    return 1 if bad or not read else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
