#!/usr/bin/env python3
"""check_golden.py - Tests that the independent reader and the library find the
same content in the golden files: every path, type, shape, digest, byte, edge,
slot and tag.

    check_golden.py DUMP FILE...

SPDX-License-Identifier: MIT
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from describe import lines_of  # noqa: E402
import read_format  # noqa: E402


def compare(dump, path):
    library = subprocess.run(
        [dump, path], check=True, stdout=subprocess.PIPE,
        encoding='utf-8').stdout.splitlines()
    try:
        content = read_format.read(
            pathlib.Path(path).read_bytes(), read_format.layers_of(path))
    except NotImplementedError as reason:
        print(f'{path}: skipped, {reason}')
        return
    independent = list(lines_of(content))
    for a, b in zip(library, independent):
        if a != b:
            sys.exit(f'{path}: the library prints "{a}", the independent '
                     f'reader "{b}"')
    if len(library) != len(independent):
        sys.exit(f'{path}: {len(library)} lines from the library, '
                 f'{len(independent)} from the independent reader')
    print(f'{path}: {len(library)} lines agree')


if __name__ == '__main__':
    for argument in sys.argv[2:]:
        compare(sys.argv[1], argument)
