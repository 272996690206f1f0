#!/usr/bin/env python3
"""run.py - Runs each mutation of variants.txt; a test must detect it.

    tests/wrong/run.py TESTS SIMULATION SOURCE [--without KIND,...] LIBRARY...

TESTS contains all tests, linked with a library that has the mutation named by
VARVE_WRONG. The test in the table must pass without the mutation, and fail with
it and with the expected output. A test simulate/KIND is schedules of that kind
(tests/simulate), which SIMULATION runs with the same library. The table and the
patches of SOURCE must match, the patches must apply, and the product, each
LIBRARY, must contain no trace of them. Mutations of a KIND that this build has
no library for are only compared with their patches. With VARVE_WRONG_ALL, all
other tests that detect a mutation are listed as well, which takes an hour.

SPDX-License-Identifier: MIT
"""
import collections
import multiprocessing.pool
import os
import re
import signal
import subprocess
import sys
import tempfile

import patches

MOST_SECONDS = 150
# These tests only measure, and take a long time.
SKIPPED = '!(million_nodes/*)'
ESCAPE = re.compile(r'\x1b\[[0-9;]*m')
# Several schedules of a kind; at least one must detect the mutation.
SCHEDULES = '4000'
SIMULATED = 'simulate/'
FAILURE = re.compile(r'\[FAIL\] (\w+)::(\w+)')

Programs = collections.namedtuple('Programs', 'tests simulation')
# These tests need files of another user, which only root can create.
NEED_ROOT = 'planted_link_followed', 'lost_group_replaced_by_another'

Variant = collections.namedtuple('Variant', 'name kind what test says')


def read_table(path):
    """Reads stanzas of four lines: name and kind, the error, test, output."""
    with open(path, encoding='utf-8') as stream:
        text = re.sub(r'^#.*\n', '', stream.read(), flags=re.M)
    for stanza in re.split(r'\n\s*\n', text.strip()):
        head, what, test, says = (s.strip() for s in stanza.split('\n'))
        name, kind = head.split()
        yield Variant(name, kind, what, test, says)


def compare(table, source):
    """Returns errors if the table and the patches do not match."""
    counts = collections.Counter(variant.name for variant in table)
    names = patches.names_in(source)
    for name, count in counts.items():
        if count > 1:
            yield f'{name} is in the table {count} times'
        if name not in names:
            yield f'{name} has no patch'
    for name in sorted(names - set(counts)):
        yield f'{name} is not in the table'


def look_for_traces(table, libraries):
    words = ['VARVE_WRONG', 'vv_is_wrong'] + [v.name for v in table]
    for path in libraries:
        with open(path, 'rb') as stream:
            content = stream.read()
        for word in words:
            if word.encode() in content:
                yield f'{path} contains "{word}"'


def command_of(programs, pattern, jobs):
    if pattern.startswith(SIMULATED):
        return [programs.simulation, '--count', SCHEDULES, '--show', '0',
                '--jobs', str(jobs), '--kind', pattern[len(SIMULATED):]]
    return [programs.tests, f'-j{jobs}', '--filter', pattern]


def run(programs, pattern, mistake='', jobs=1, seconds=MOST_SECONDS):
    """Returns the exit status (None after a timeout) and the output of the
    tests."""
    # A mutation may end a test before it has removed its files.
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)  # a test running as root changes its user
        return run_in(place, programs, pattern, mistake, jobs, seconds)


def run_in(place, programs, pattern, mistake, jobs, seconds):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith('VARVE_')
                   or name == 'VARVE_MODULES'}
    environment['TMPDIR'] = place
    if mistake:
        environment['VARVE_WRONG'] = mistake
    command = command_of(programs, pattern, jobs)
    with subprocess.Popen(command, env=environment, errors='replace',
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        try:
            output = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # each test is a process
            return None, ''
    return process.returncode, ESCAPE.sub('', output)


def judge(programs, variant):
    """Returns the errors of a mutation; none if it is detected."""
    status, output = run(programs, variant.test, variant.name)
    failed = {'/'.join(names) for names in FAILURE.findall(output)}
    if status is None:
        problem = 'is not detected: the test does not end'
    elif status == 0 or (variant.test not in failed and
                         not variant.test.startswith(SIMULATED)):
        problem = f'is not detected by {variant.test}'
    elif variant.says not in output:
        problem = f'is detected, but the output lacks "{variant.says}"'
    else:
        return ''
    return f'{variant.name} {problem}\n{without_sum(output)}'


def without_sum(output):
    """Removes the summary, which would count as that of this program."""
    return re.sub(r'^.*Synthesis:.*\n?', '', output, flags=re.M)


def run_right(programs, table):
    """Checks that the same tests pass with the unchanged library."""
    tests = sorted({variant.test for variant in table})
    for test in [test for test in tests if test.startswith(SIMULATED)]:
        tests.remove(test)
        status, output = run(programs, test, jobs=2)
        if status != 0:
            yield f'without a mutation: {test} does not pass\n{output}'
    status, output = run(programs, f'@({"|".join(tests)})', jobs=2,
                         seconds=3 * MOST_SECONDS)
    found = re.search(r'Tested: (\d+) \| Passing: (\d+)', output)
    if status or not found or int(found[1]) != len(tests):
        yield (f'without a mutation, all {len(tests)} tests must pass\n'
               f'{without_sum(output)}')


def run_wrong(programs, table):
    with multiprocessing.pool.ThreadPool(2) as pool:
        problems = pool.map(lambda v: judge(programs, v), table)
    for variant, problem in zip(table, problems):
        if not problem:
            print(f'{variant.kind}: {variant.name}: {variant.what}\n'
                  f'    detected by {variant.test}')
    count('wrong.variants', len(table))
    count('wrong.caught', problems.count(''))
    return [problem for problem in problems if problem]


def list_others(programs, table):
    for variant in table:
        status, output = run(programs, SKIPPED, variant.name, jobs=2,
                             seconds=5 * MOST_SECONDS)
        if status is None:
            print(f'{variant.name}: a test does not end')
            continue
        tests = {'/'.join(names) for names in FAILURE.findall(output)}
        print(f'{variant.name}: detected by {len(tests)} tests: '
              + ' '.join(sorted(tests)), flush=True)


def count(name, number):
    path = os.environ.get('VARVE_PROOF_COUNTS')
    print(name, number)
    if path:
        with open(path, 'a', encoding='utf-8') as stream:
            stream.write(f'{name} {number}\n')


def main(tests, simulation, source, *libraries):
    programs = Programs(tests, simulation)
    lacking = ''
    if libraries[0] == '--without':
        lacking, *libraries = libraries[1:]
    table = list(read_table(os.path.join(
        source, 'tests', 'wrong', 'variants.txt')))
    rejected = dict(patches.check(source))
    lacking = lacking.split(',')
    there = [variant for variant in table if variant.kind not in lacking]
    applied = [variant for variant in there if variant.name not in rejected]
    if os.geteuid() != 0:
        applied = [variant for variant in applied
                   if variant.name not in NEED_ROOT]
        print(f'skipped without root: {", ".join(NEED_ROOT)}')
    problems = [*compare(table, source), *rejected.values(),
                *look_for_traces(table, libraries),
                *run_right(programs, there), *run_wrong(programs, applied)]
    if os.environ.get('VARVE_WRONG_ALL'):
        list_others(programs, table)
    for problem in problems:
        print(f'wrong: {problem}', file=sys.stderr)
    return 1 if problems else 0


sys.exit(main(*sys.argv[1:]))
