#!/usr/bin/env python3
"""check_page.py - Compares docs/conformance.md and kept.md with the tests that
they name.

    check_page.py ROOT

Each test in a row must exist, and the numbers in the last line must be right.
A row must name `rows.txt` if and only if that file has a program for it. A row
with "kept" must have no program with a difference. Each kind of difference in
compare.py must refer to rows. Does not require TensorFlow.

SPDX-License-Identifier: MIT
"""
import collections
import pathlib
import re
import sys

import compare
import rows

WORDS = ('kept', 'made better', 'another rule', 'without meaning in C',
         'not yet')
ROW = re.compile(r'\| ([A-Z]\d+) \| (.*) \| (.*) \| (.*) \|$', re.MULTILINE)


def test_exists(root, name):
    """Returns true if the test exists, in the notation of the page's
    introduction."""
    place, _, test = name.partition('::')
    if not test:
        return name == 'rows.txt' or (root / name).exists()
    folder, _, suite = place.rpartition('/')
    tests = (root / 'tests' / (folder or 'story')).glob('test_*.c')
    return any(re.search(rf'TEST\(\s*{suite},\s*{test}\b', path.read_text())
               for path in tests)


def problems(root):
    page = (root / 'docs' / 'conformance.md').read_text()
    kept = (root / 'tests' / 'tensorflow' / 'kept.md').read_text()
    words, tests = {}, {}
    for row, _, here, named in ROW.findall(page + kept):
        words[row] = next((w for w in WORDS if here.startswith(w)), None)
        tests[row] = re.findall(r'`([^`]+)`', named)
        if not words[row]:
            yield f'{row}: unknown result: {here}'
        for name in tests[row]:
            if not test_exists(root, name):
                yield f'{row}: no test {name}'
    shown = collections.defaultdict(set)
    for heading, kinds, _ in rows.programs():
        for row in rows.row_names(heading):
            shown[row] |= kinds
    for row in words:
        if (row in shown) != ('rows.txt' in tests[row]):
            yield f'{row}: must name rows.txt if and only if it has a program'
        if words[row] == 'kept' and shown[row]:
            yield f'{row}: kept, but a program has {sorted(shown[row])}'
    for row in shown.keys() | {
            r for s in compare.KINDS.values() for r in s.split(', ')}:
        if row not in words:
            yield f'{row}: no such row'
    counts = collections.Counter(words.values())
    total = f'{len(words)} rows: ' + ', '.join(
        f'{counts[word]} {word}' for word in WORDS) + '.'
    if page.rstrip().splitlines()[-1] != total:
        yield f'the last line: expected "{total}"'


def main():
    found = list(problems(pathlib.Path(sys.argv[1])))
    for problem in found:
        print(f'conformance.md: {problem}')
    return bool(found)


sys.exit(main())
