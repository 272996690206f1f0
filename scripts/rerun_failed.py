#!/usr/bin/env python3
"""rerun_failed.py - Runs the failed tests of a build once more, one at a time.

    scripts/rerun_failed.py BUILD

The results of the first run are those in BUILD/meson-logs/testlog.json. Some
tests depend on time, for example on the expiry of a lock, and can fail on a
machine that other programs use. Such a test is printed as unstable, and the
exit status is 0 if each test passes in the second run.

No test is run again, and the exit status is 1, if a sanitizer reported an
error, if more than three tests failed, or if no test failed at all.

SPDX-License-Identifier: MIT
"""
import json
import os
import re
import subprocess
import sys

MOST = 3
GOOD = ('OK', 'EXPECTEDFAIL', 'SKIP')
REPORT = re.compile(r'(Address|Leak|Thread|UndefinedBehavior|Memory)Sanitizer|'
                    r': runtime error: ')


def failed_tests(log):
    """Returns names and outputs of the failed tests."""
    with open(log, encoding='utf-8') as lines:
        tests = [json.loads(line) for line in lines]
    # "project:suite+suite / name" is the name in the log.
    return {test['name'].rpartition(' / ')[2]:
            test.get('stdout', '') + test.get('stderr', '')
            for test in tests if test['result'] not in GOOD}


def main():
    build = sys.argv[1]
    log = os.path.join(build, 'meson-logs', 'testlog.json')
    failed = failed_tests(log) if os.path.exists(log) else {}
    if not 0 < len(failed) <= MOST or any(map(REPORT.search, failed.values())):
        return 1
    print('run again, one at a time:', ', '.join(failed), flush=True)
    status = subprocess.call(
        ['meson', 'test', '-C', build, '--no-rebuild', '--print-errorlogs',
         '--num-processes', '1', '-t', '4', '--logbase', 'rerun', *failed])
    if status:
        return 1
    for name in failed:
        print(f'UNSTABLE: {name} failed, and passed when it was run again')
    return 0


sys.exit(main())
