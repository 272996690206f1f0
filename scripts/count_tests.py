#!/usr/bin/env python3
"""count_tests.py - Prints one line that counts the tests of a meson test log.

    scripts/count_tests.py BUILD/meson-logs/testlog.json [FAILED]

Each test in a Criterion executable counts, according to the summary that it
prints. Any other test counts as one. FAILED is a number of further failures.
The exit status is 1 if a test failed or if there is none.

SPDX-License-Identifier: MIT
"""
import json
import re
import sys

SYNTHESIS = re.compile(r'Synthesis: Tested: (\d+) \| Passing: (\d+)')
ESCAPE = re.compile(r'\x1b\[[0-9;]*m')
GOOD = ('OK', 'EXPECTEDFAIL')


def count(test):
    """Returns the numbers of passed, failed and skipped tests of an entry."""
    if test['result'] == 'SKIP':
        return 0, 0, 1
    good = test['result'] in GOOD
    output = ESCAPE.sub('', test.get('stdout', '') + test.get('stderr', ''))
    found = SYNTHESIS.search(output)
    if not found:
        return int(good), int(not good), 0
    tested, passed = map(int, found.groups())
    failed = tested - passed
    if not good and failed == 0:
        failed = 1  # the executable itself, after its tests
    return passed, failed, 0


def main():
    try:
        with open(sys.argv[1], encoding='utf-8') as log:
            counts = [count(json.loads(line)) for line in log if line.strip()]
    except OSError as error:
        print(f'count_tests: {error}', file=sys.stderr)
        counts = []
    passed, failed, skipped = map(sum, zip(*counts)) if counts else (0, 1, 0)
    failed += int(sys.argv[2]) if len(sys.argv) > 2 else 0
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed or not passed else 0


sys.exit(main())
