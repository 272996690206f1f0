#!/usr/bin/env python3
"""lines.py - Counts the lines that use Varve in each port, with calls and with
tables.

    tests/ports/lines.py [--check PAGE]

Prints a table of the non-empty lines between the comments [calls] and
[tables], and for the loop between [run]. --check compares it with the one on a
page.

SPDX-License-Identifier: MIT
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PORTS = ('net', 'lattice', 'life', 'particles', 'reservoir')
WHOLE = ('crowd',)  # all of it is between [run]


def count(text, region):
    found = re.findall(
        rf'/\* \[{region}\] \*/\n(.*?)/\* \[/{region}\] \*/', text, re.S)
    return sum(1 for part in found for line in part.splitlines()
               if line.strip())


def text_of(name):
    with open(os.path.join(HERE, name + '.c'), encoding='utf-8') as file:
        return file.read()


def table():
    rows = ['| program | by calls | by tables | with its loop |',
            '| --- | ---: | ---: | ---: |']
    for name in PORTS:
        text = text_of(name)
        calls, tables, loop = (
            count(text, region) for region in ('calls', 'tables', 'run'))
        rows.append(f'| [{name}.c]({name}.c) '
                    f'| {calls} | {tables} | {tables + loop} |')
    for name in WHOLE:
        rows.append(f'| [{name}.c]({name}.c) '
                    f'| - | - | {count(text_of(name), "run")} |')
    return '\n'.join(rows) + '\n'


def main():
    if len(sys.argv) == 3 and sys.argv[1] == '--check':
        with open(sys.argv[2], encoding='utf-8') as page:
            if table() in page.read():
                return 0
        print(f'lines: the table in {sys.argv[2]} must be')
        print(table(), end='')
        return 1
    print(table(), end='')
    return 0


if __name__ == '__main__':
    sys.exit(main())
