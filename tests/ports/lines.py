#!/usr/bin/env python3
"""lines.py - how many lines Varve takes in each port, by calls and by tables.

    tests/ports/lines.py [--check PAGE]

Prints a table of the lines between the comments [calls] and [tables] that are
not empty, with those of [both]; --check compares it with the one on a page.

SPDX-License-Identifier: MIT
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PORTS = ('net', 'lattice', 'life', 'particles', 'reservoir')


def count(text, region):
    found = re.search(rf'/\* \[{region}\] \*/\n(.*?)/\* \[/{region}\] \*/',
                      text, re.S)
    return sum(1 for line in found[1].splitlines() if line.strip()) \
        if found else 0


def table():
    rows = ['| program | by calls | by tables |', '| --- | ---: | ---: |']
    for name in PORTS:
        with open(os.path.join(HERE, name + '.c'), encoding='utf-8') as file:
            text = file.read()
        calls, tables, both = (count(text, region)
                               for region in ('calls', 'tables', 'both'))
        rows.append(f'| [{name}.c](../tests/ports/{name}.c) '
                    f'| {calls + both} | {tables + both} |')
    return '\n'.join(rows) + '\n'


def main():
    if len(sys.argv) == 3 and sys.argv[1] == '--check':
        with open(sys.argv[2], encoding='utf-8') as page:
            if table() in page.read():
                return 0
        print(f'lines: expected this table in {sys.argv[2]}, found another')
        print(table(), end='')
        return 1
    print(table(), end='')
    return 0


if __name__ == '__main__':
    sys.exit(main())
