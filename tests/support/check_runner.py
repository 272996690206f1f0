#!/usr/bin/env python3
"""check_runner.py - Checks that the runner detects every kind of failing test.

tests/support/check_runner.py FAILING REFUSED...

FAILING is failing.c. Each REFUSED uses a feature that the runner does not
support.

SPDX-License-Identifier: MIT
"""
import os
import re
import signal
import subprocess
import sys
import tempfile

# The expected message of each test of failing.c.
WORDS = {
    'number': 'The expression (1) == (2) is false.',
    'text': 'is false: actual=`one` expected=`two`.',
    'pointer': 'test_path("file") is not null.',
    'message': 'in 3 words',
    'crash': 'Unexpected signal: Aborted',
    'reads_null': 'Unexpected signal: Segmentation fault',
    'killed': 'Unexpected signal: Killed',
    'executes_another_program': 'Unexpected exit with 0',
    'without_message': '',
    'exits_with_0': 'Unexpected exit with 0',
    'exits_with_3': 'Unexpected exit with 3',
    'fails_at_exit': 'Unexpected exit with 5',
    'leak': '1 blocks were not freed',
    'continues': 'the second',
    'child': 'in a child',
    'thread': 'in a thread',
    'two_ends': 'a child came to the end of the test',
}
# Only with a leak sanitizer.
LEAK = {'leak_of_malloc': 'detected memory leaks'}
CRASHES = 3
LEFT = 4  # folders of tests that crash or execute another program
GOOD = ['good/forks', 'good/passes']
OTHERS = ['late/leaves_a_child', 'later/takes_long', 'slow/hangs']


def run(program, *arguments):
    result = subprocess.run([program, *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False,
                            timeout=60,
                            env={**os.environ, 'LC_ALL': 'C'})
    return result.returncode, result.stdout


def expect(what, wanted, found):
    if wanted != found:
        yield f'{what}: expected {wanted!r}, found {found!r}'


def alone(program):
    """Runs each failing test alone."""
    for name, words in WORDS.items():
        status, output = run(program, '--filter', f'bad/{name}')
        yield from expect(name, 1, status)
        yield from expect(name, [('bad', name)],
                          re.findall(r'\[FAIL\] (\w+)::(\w+)', output))
        if words not in output or 'went on' in output:
            yield f'{name}: expected "{words}", found:\n{output}'


def sum_of(output):
    found = re.search(r'Synthesis: (.*)', output)
    return found and found[1]


def together(program, *arguments):
    status, output = run(program, *arguments, '--filter', '@(good|bad)/*')
    wrong = len(WORDS)
    what = f'all, {arguments}'
    yield from expect(what, 1, status)
    yield from expect(
        what, f'Tested: {wrong + 2} | Passing: 2 | Failing: {wrong} | '
        f'Crashing: {CRASHES}', sum_of(output))
    yield from expect(what, sorted(('bad', name) for name in WORDS),
                      sorted(re.findall(r'\[FAIL\] (\w+)::(\w+)', output)))


def good(program):
    for pattern in 'good/*', '@(good/forks|good/passes)', '!(bad/*|*l*/*)':
        status, output = run(program, '-j1', '--filter', pattern)
        yield from expect(pattern, 0, status)
        yield from expect(
            pattern, 'Tested: 2 | Passing: 2 | Failing: 0 | Crashing: 0',
            sum_of(output))
    every = sorted([*GOOD, *OTHERS, *(f'bad/{name}' for name in WORDS)])
    for names, arguments in ((GOOD, ['--filter', 'good/*']), (every, [])):
        status, output = run(program, '--list', *arguments)
        yield from expect('--list', (0, names), (status, output.split()))


def late(program):
    """A child fails after its test, while another test runs."""
    status, output = run(program, '-j1', '--filter', 'late*/*')
    yield from expect('late', (1, ['too late']),
                      (status, re.findall('too late', output)))
    yield from expect('late', [('late', 'leaves_a_child')],
                      re.findall(r'\[FAIL\] (\w+)::(\w+)', output))


def hanging(program, end):
    """Calls `end` with the process, and then looks for its remains."""
    with subprocess.Popen([program, '-j1', '--filter', '@(good|slow)/*'],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, start_new_session=True) as process:
        process.stdout.readline()
        end(process.pid, signal.SIGTERM)
        # Returns when all processes have closed the pipes.
        errors = process.communicate(timeout=60)[1]
    yield from expect('a test that hangs', 1, process.returncode)
    yield from expect('a test that hangs', [('slow', 'hangs')],
                      re.findall(r'\[FAIL\] (\w+)::(\w+)', errors))
    yield from expect(
        'a test that hangs',
        'Tested: 3 | Passing: 2 | Failing: 1 | Crashing: 1', sum_of(errors))


def ended_in_fork(program):
    """The runner receives SIGTERM before fork() has returned the process of
    the test, and must kill that too."""
    os.environ['END_RUNNER_IN_FORK'] = '1'
    status, output = run(program, '-j1', '--filter', 'slow/*')
    del os.environ['END_RUNNER_IN_FORK']
    yield from expect('SIGTERM in fork()', (1, [('slow', 'hangs')]),
                      (status,
                       re.findall(r'\[FAIL\] (\w+)::(\w+)', output)))


def refusing(program, *refused):
    for other in refused:
        status, output = run(other, '--filter', 'good/*')
        yield from expect(other, (2, None), (status, sum_of(output)))
        if 'runner: ' not in output:
            yield f'{other}: expected a reason, found:\n{output}'
    for arguments in (['--verbose'], ['--filter'], ['-j-1'], ['good/passes'],
                      ['--filter', 'god/*'], ['--list', '--filter', 'bad']):
        status, output = run(program, *arguments)
        yield from expect(arguments, (2, None), (status, sum_of(output)))


def main(program, *refused):
    with tempfile.TemporaryDirectory() as place:
        os.environ['TMPDIR'] = place
        if 'bad/leak_of_malloc' in run(program, '--list')[1]:
            WORDS.update(LEAK)
        complaints = [*alone(program), *good(program), *late(program),
                      *hanging(program, os.kill),
                      *hanging(program, os.killpg),
                      *ended_in_fork(program),
                      *refusing(program, *refused)]
        for arguments in ['-j1'], ['-j2'], ['-j20'], []:
            complaints += together(program, *arguments)
        left = os.listdir(place)
    # Killed processes cannot clean up. The one that is killed in fork() may not
    # have made its folder.
    complaints += expect('folders left', 5 * LEFT + 2,
                         min(len(left), 5 * LEFT + 2))
    complaints += expect('folders left, at most', 5 * LEFT + 3,
                         max(len(left), 5 * LEFT + 3))
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


sys.exit(main(*sys.argv[1:]))
