#!/usr/bin/env python3
"""circles.py - Finds files of lib/ that include each other in cycles.

    tests/lint/circles.py [--check] SOURCE

A file is a `.c` with its `.h`. Its edges are the headers that it includes.
Prints each cycle, by folder. --check fails if the largest cycle of a folder is
larger than in the table below, or than the limit for other folders. It also
fails if it is smaller than in the table, so that the table can only shrink.

SPDX-License-Identifier: MIT
"""
import os
import re
import sys

# The largest cycle of folders that exceed the limit for others.
LARGEST = {
    'lib/checkpoint/restoration': 5,
    'lib/remote': 5,
}
ELSEWHERE = 4
INCLUDE = re.compile(r'^#include "(\w+)\.h"', re.M)
COMMENT = re.compile(r'/\*.*?\*/', re.S)


def read(source):
    """Returns the code of each file without comments, by path without
    suffix."""
    found = {}
    for folder, folders, names in os.walk(os.path.join(source, 'lib')):
        folders.sort()
        for name in sorted(names):
            stem, suffix = os.path.splitext(name)
            if suffix in ('.c', '.h'):
                with open(os.path.join(folder, name), encoding='utf-8') as f:
                    code = COMMENT.sub(' ', f.read())
                path = os.path.relpath(os.path.join(folder, stem), source)
                found[path] = found.get(path, '') + code
    return found


def circles(edges):
    """Returns the strongly connected components with several files
    (Tarjan)."""
    number, low, stack, found = {}, {}, [], []
    for root in edges:
        if root in number:
            continue
        work = [(root, iter(edges[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        while work:
            node, rest = work[-1]
            child = next(rest, None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(sorted(stack[at:]))
                    del stack[at:]
            elif child not in number:
                number[child] = low[child] = len(number)
                stack.append(child)
                work.append((child, iter(edges[child])))
            elif child in stack:
                low[node] = min(low[node], number[child])
    return sorted(found, key=lambda c: (-len(c), c))


def main():
    check = '--check' in sys.argv
    code = read(sys.argv[-1])
    by_name = {os.path.basename(p): p for p in code}
    edges = {p: [by_name[i] for i in INCLUDE.findall(text)
                 if i in by_name and by_name[i] != p]
             for p, text in code.items()}
    largest = {}
    for circle in circles(edges):
        folder = os.path.dirname(circle[0])
        largest[folder] = max(largest.get(folder, 1), len(circle))
        if not check:
            names = ' '.join(os.path.basename(p) for p in circle)
            print(f'{len(circle):3} {folder}: {names}')
    if not check:
        return 0
    wrong = [f'{folder}: the largest cycle has {largest.get(folder, 1)} files, '
             f'the table permits {LARGEST.get(folder, ELSEWHERE)}'
             for folder in sorted({*LARGEST, *largest})
             if largest.get(folder, 1) > ELSEWHERE or folder in LARGEST
             if largest.get(folder, 1) != LARGEST.get(folder, ELSEWHERE)]
    print('\n'.join(wrong) or 'circles: no cycle is larger than in the table')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
