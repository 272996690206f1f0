#!/usr/bin/env python3
"""check_abi.py - that programs which were compiled before go on working.

    tests/install/check_abi.py SOURCE [--update]

Compares what the public headers declare, as the compiler sees it, with abi.txt:
functions with their types, structs with their fields, enumerations with their
numbers. What was added is no difference; all else is one, and
docs/compatibility.md says what then. --update writes abi.txt anew.

SPDX-License-Identifier: MIT
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DUMP = os.path.join(HERE, 'abi.txt')


def compare(found):
    with open(DUMP, encoding='utf-8') as stream:
        expected = stream.read().splitlines()
    gone = [line for line in expected if line not in found]
    for line in gone:
        print(f'check_abi: expected: {line}')
    if gone:
        sys.exit('check_abi: not there any more, or otherwise: see '
                 'docs/compatibility.md')
    added = len(found) - len(expected)
    print(f'check_abi: {len(expected)} declarations as before, {added} new')


def main(source, *options):
    sys.path.insert(0, os.path.join(source, 'python'))
    from declarations import declarations  # what cffi is told too
    found = declarations(['-I' + os.path.join(source, 'include')])
    if '--update' in options:
        with open(DUMP, 'w', encoding='utf-8') as stream:
            stream.write('\n'.join(found) + '\n')
        print(f'check_abi: wrote {len(found)} declarations')
    else:
        compare(found)


main(*sys.argv[1:])
