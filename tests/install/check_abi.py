#!/usr/bin/env python3
"""check_abi.py - that programs which were compiled before go on working.

    tests/install/check_abi.py SOURCE [--update]

Compares what the public headers declare, as the compiler sees it, with abi.txt:
functions with their types, structs with their fields, enumerations with their
numbers. What was added is no difference; all else is one, and
docs/compatibility.md says what then, and has to say of each struct without room
for more that it stays as it is. --update writes abi.txt anew.

SPDX-License-Identifier: MIT
"""
import os
import re
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


def check_promised(source, found):
    """Each struct whose size is for ever is known to be such a one."""
    with open(os.path.join(source, 'docs', 'compatibility.md'),
              encoding='utf-8') as stream:
        document = stream.read()
    for line in found:
        struct = re.match(r'(?:typedef )?struct (varve_\w+) \{(.*)\}', line)
        if struct and not re.search(r'reserved(\[\d\])?; $', struct[2]) \
                and f'`{struct[1]}`' not in document:
            sys.exit(f'check_abi: {struct[1]}: expected a word in '
                     'docs/compatibility.md on what may be added to it, or '
                     'varve_reserved at its end')


def main(source, *options):
    sys.path.insert(0, os.path.join(source, 'python'))
    from declarations import declarations  # what cffi is told too
    found = declarations(['-I' + os.path.join(source, 'include')])
    check_promised(source, found)
    if '--update' in options:
        with open(DUMP, 'w', encoding='utf-8') as stream:
            stream.write('\n'.join(found) + '\n')
        print(f'check_abi: wrote {len(found)} declarations')
    else:
        compare(found)


main(*sys.argv[1:])
