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
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DUMP = os.path.join(HERE, 'abi.txt')
MARK = re.compile(r'^# \d+ "([^"]*)"')
OURS = os.path.join('include', 'varve') + os.sep
ATTRIBUTE = re.compile(r'__attribute__ ?\(\([^()]*(\([^()]*\))?[^()]*\)\)')


def own_text(source):
    """The headers after the preprocessor, less what others declare."""
    include = os.path.join(source, 'include')
    result = subprocess.run(
        [os.environ.get('CC', 'cc'), '-E', '-I', include, '-x', 'c', '-'],
        input='#include <varve/varve.h>\n', capture_output=True, text=True,
        check=True)
    is_ours = False
    for line in result.stdout.splitlines():
        mark = MARK.match(line)
        if mark:
            is_ours = OURS in mark[1]
        elif is_ours and line.strip():
            yield line


def declarations(source):
    """Each on a line of its own."""
    text = ATTRIBUTE.sub('', ' '.join(own_text(source)))
    text = re.sub(r'\( ', '(', re.sub(r'\s+', ' ', text))
    found, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == '{') - (c == '}')
        is_body = c == '}' and depth == 0 and text[begin:i].lstrip().startswith(
            'static inline')
        if depth == 0 and (c == ';' or is_body):
            found.append(re.sub(r' +([;,)])', r'\1', text[begin:i + 1].strip()))
            begin = i + 1
    return found


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
    found = declarations(source)
    if '--update' in options:
        with open(DUMP, 'w', encoding='utf-8') as stream:
            stream.write('\n'.join(found) + '\n')
        print(f'check_abi: wrote {len(found)} declarations')
    else:
        compare(found)


main(*sys.argv[1:])
