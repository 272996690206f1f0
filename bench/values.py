#!/usr/bin/env python3
"""values.py - Measures many small values in Python and the same graph in C.

    bench/values.py PROGRAM [ROUNDS]

PROGRAM is `values` of a build (values.c). The package `varve` is that of the
Python that runs this script. C and Python alternately save and restore each
graph in a folder of TMPDIR. The table contains the medians of the processor
time in ns per value, and the ratio of Python to C. The time of the last two
graphs is the same per value if it is linear in the depth.

SPDX-License-Identifier: MIT
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import varve


class Node:
    pass


class Three:
    def __init__(self, i):
        self.a, self.b, self.c = float(i), i + 0.25, i + 0.5


def nested(count):
    root = at = Node()
    for i in range(count):
        at.v, at.next = float(i), Node()
        at = at.next
    return root


GRAPHS = (  # name, kind in C, count, values, the same in Python
    ('list of floats', 'list', 300000, 300000,
     lambda n: [float(i) for i in range(n)]),
    ('dict of floats', 'dict', 100000, 100000,
     lambda n: {f'k{i}': float(i) for i in range(n)}),
    ('small arrays', 'arrays', 10000, 10000,
     lambda n: [np.full(4, i) for i in range(n)]),
    ('objects of 3', 'objects', 50000, 150000,
     lambda n: [Three(i) for i in range(n)]),
    ('10000 deep', 'nested', 10000, 20000, nested),
    ('40000 deep', 'nested', 40000, 80000, nested),
)


def in_c(program, kind, count, path, what):
    return float(subprocess.run(
        [program, kind, str(count), path, what], check=True, text=True,
        stdout=subprocess.PIPE).stdout)


def in_python(tree, path, what):
    begin = time.process_time()
    if what == 'save':
        varve.write(tree, path)
    else:
        varve.restore(tree, path).close()
    return time.process_time() - begin


def main(program, rounds=7):
    print(f'{"":16}{"save: C":>10}{"Python":>10}{"times":>7}'
          f'{"restore: C":>12}{"Python":>10}{"times":>7}')
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, count, values, make in GRAPHS:
            tree = {'it': make(count)}
            row = f'{name:16}'
            for what in 'save', 'restore':
                taken = [[], []]
                for _ in range(int(rounds) + 1):
                    taken[0].append(in_c(program, kind, count, os.path.join(
                        folder, 'c.varve'), what))
                    taken[1].append(in_python(tree, os.path.join(
                        folder, 'python.varve'), what))
                c, python = (statistics.median(each[1:]) * 1e9 / values
                             for each in taken)
                row += (f'{c:{10 if what == "save" else 12}.0f}'
                        f'{python:10.0f}{python / c:7.1f}')
            print(row, flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])
