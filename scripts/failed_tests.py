#!/usr/bin/env python3
"""failed_tests.py - Prints the end of the output of each failed test.

    scripts/failed_tests.py BUILD/meson-logs/testlog.json...

A log that does not exist is skipped: its tests were not run.

SPDX-License-Identifier: MIT
"""
import json
import os
import re
import sys

LINES = 40
COLUMNS = 300
GOOD = ('OK', 'EXPECTEDFAIL', 'SKIP')
ESCAPE = re.compile(r'\x1b\[[0-9;]*m')
# Lines that name a failure are printed first: they may be far from the end.
FINDING = re.compile(r'FAIL|ERROR|Sanitizer|[Ee]rror:|expected|Assertion|'
                     r'differ|^[^ ]+\.(md|c|py|sh):\d+')


def failed(path):
    with open(path, encoding='utf-8') as log:
        for line in log:
            test = json.loads(line)
            if test['result'] not in GOOD:
                yield test


def show(test):
    output = ESCAPE.sub('', test.get('stdout', '') + test.get('stderr', ''))
    lines = [line[:COLUMNS] for line in output.splitlines()]
    early = [line for line in lines[:-LINES] if FINDING.search(line)]
    print(f'-- {test["name"]}: {test["result"]}')
    print('\n'.join(early[:LINES] + lines[-LINES:]))


def main():
    for path in filter(os.path.exists, sys.argv[1:]):
        for test in failed(path):
            show(test)


main()
