#!/usr/bin/env python3
"""one_by_one.py - Fails if calls one by one cost more than in proportion.

    tests/one_by_one/one_by_one.py PROGRAM FOLDER [FAMILY]

Runs the program (one_by_one.c) under valgrind's callgrind, and compares the
instructions and the allocated bytes for n and for 4n items. Fails if the
exponent of either is above 1.4. The result does not depend on the speed of
the machine. 77: valgrind is not installed.

SPDX-License-Identifier: MIT
"""
import math
import os
import shutil
import subprocess
import sys
import tempfile

TIMES = 4
MOST = 1.4


def instructions(path):
    with open(path, encoding='utf-8') as stream:
        for line in stream:
            if line.startswith(('summary:', 'totals:')):
                return int(line.split()[1])
    raise ValueError(f'{path} has no total')


def measure(program, folder, names):
    """Returns (family, n, instructions, bytes) for each measured run."""
    out = os.path.join(folder, 'calls')
    lines = subprocess.run(
        ['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}', '-q',
         program, folder, *names], check=True, text=True,
        stdout=subprocess.PIPE).stdout.splitlines()
    for i, line in enumerate(lines):
        family, n, size = line.split()
        yield family, int(n), instructions(f'{out}.{i + 1}'), int(size)


def exponent(few, many):
    return math.log(max(many, 1) / max(few, 1), TIMES)


def main():
    program, folder, *names = sys.argv[1:]
    if not shutil.which('valgrind'):
        print('one_by_one: valgrind is not installed')
        return 77
    with tempfile.TemporaryDirectory(dir=folder) as place:
        runs = list(measure(program, place, names))
    failed = False
    print(f'{"calls":28} {"n":>6} {"each":>8} {"4n: each":>9} exponent  bytes')
    for (family, n, few, few_bytes), (_, many_n, many, many_bytes) in zip(
            runs[::2], runs[1::2]):
        time = exponent(few, many)
        size = exponent(few_bytes, many_bytes)
        grows = max(time, size) > MOST
        print(f'{family:28} {n:6} {few // n:8} {many // many_n:9} '
              f'{time:8.2f} {size:6.2f}{"  <--" if grows else ""}')
        failed |= grows
    return 1 if failed else 0


sys.exit(main())
