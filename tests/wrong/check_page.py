#!/usr/bin/env python3
"""check_page.py - Compares the numbers of mutations in tests/wrong/README.md
with the table of mutations.

    tests/wrong/check_page.py SOURCE             fails if the page is wrong
    tests/wrong/check_page.py SOURCE --update    writes the numbers again

The page contains minimum numbers. They may be up to MOST_BEHIND too small, so
that not every new mutation changes the page.

SPDX-License-Identifier: MIT
"""
import collections
import os
import re
import sys

MOST_BEHIND = 9
ROW = re.compile(r'^\| `(\w+)` \| (.+) \| ([\d,]+) \|$', re.M)


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as stream:
        return stream.read()


def kinds_of(table):
    return collections.Counter(
        re.findall(r'^[a-z]\w* (\w+)$', table, flags=re.M))


def complaints(counts, page):
    told = {kind: int(number.replace(',', ''))
            for kind, _, number in ROW.findall(page)}
    for kind in sorted(counts.keys() | told.keys()):
        there, said = counts[kind], told.get(kind, 0)
        if not said <= there <= said + MOST_BEHIND or not said:
            yield (f'tests/wrong/README.md: there are {there} mutations of '
                   f'the kind {kind}, but the table contains {said}; '
                   'tests/wrong/check_page.py . --update writes the numbers')


def updated(counts, page):
    return ROW.sub(
        lambda row: f'| `{row[1]}` | {row[2]} | {counts[row[1]]} |', page)


def test():
    counts = collections.Counter(a=3, b=20)
    page = '| `a` | x | 3 |\n| `b` | y | 15 |\n'
    assert not [*complaints(counts, page)]
    assert [*complaints(counts, page.replace('3', '4'))]
    assert [*complaints(counts, page.replace('15', '10'))]
    assert [*complaints(counts, '| `a` | x | 3 |\n')]
    assert [*complaints(counts, page + '| `c` | z | 1 |\n')]
    assert updated(counts, page) == page.replace('15', '20')
    assert kinds_of('# a b\n\nname kind\n    what is\n    s/t\n    w\n') == {
        'kind': 1}


def main(source, *options):
    test()
    counts = kinds_of(read(source, 'tests', 'wrong', 'variants.txt'))
    page = read(source, 'tests', 'wrong', 'README.md')
    if '--update' in options:
        page = updated(counts, page)
        with open(os.path.join(source, 'tests', 'wrong', 'README.md'), 'w',
                  encoding='utf-8') as stream:
            stream.write(page)
    problems = [*complaints(counts, page)]
    for problem in problems:
        print(f'wrong: {problem}', file=sys.stderr)
    return 1 if problems else 0


sys.exit(main(*sys.argv[1:]))
