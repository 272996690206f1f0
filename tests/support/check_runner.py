#!/usr/bin/env python3
"""check_runner.py - that the runner sees tests fail which do, in every way.

    tests/support/check_runner.py FAILING WITH_SUITE WITH_OPTION

SPDX-License-Identifier: MIT
"""
import os
import re
import subprocess
import sys
import tempfile

# What each test of failing.c has to say.
WORDS = {
    'number': 'The expression (1) == (2) is false.',
    'text': 'is false: actual=`one` expected=`two`.',
    'pointer': 'test_path("file") is not null.',
    'words': 'in 3 words',
    'crash': 'Unexpected signal: Aborted',
    'leaves_with_0': 'Unexpected exit with 0',
    'leaves_with_3': 'Unexpected exit with 3',
    'leak': '1 blocks were not freed',
    'goes_on': 'the second',
    'child': 'in a child',
    'thread': 'in a thread',
}


def run(program, *arguments):
    result = subprocess.run([program, *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False,
                            env={**os.environ, 'LC_ALL': 'C'})
    return result.returncode, result.stdout


def expect(what, wanted, found):
    if wanted != found:
        yield f'{what}: expected {wanted!r}, found {found!r}'


def alone(program):
    """Each test that fails, by itself."""
    for name, words in WORDS.items():
        status, output = run(program, '--filter', f'bad/{name}')
        yield from expect(name, 1, status)
        yield from expect(name, [('bad', name)],
                          re.findall(r'\[FAIL\] (\w+)::(\w+)', output))
        if words not in output:
            yield f'{name}: expected "{words}", found:\n{output}'


def together(program, *arguments):
    status, output = run(program, *arguments)
    wrong = len(WORDS)
    yield from expect(f'all, {arguments}', 1, status)
    sums = re.search(r'Synthesis: (.*)', output)
    yield from expect(
        f'all, {arguments}', f'Tested: {wrong + 2} | Passing: 2 | '
        f'Failing: {wrong} | Crashing: 1', sums and sums[1])
    yield from expect(f'all, {arguments}', {('bad', name) for name in WORDS},
                      set(re.findall(r'\[FAIL\] (\w+)::(\w+)', output)))


def good(program):
    for pattern in 'good/*', '@(good/forks|good/passes)', '!(bad/*)':
        status, output = run(program, '-j1', '--filter', pattern)
        yield from expect(pattern, 0, status)
        if 'Tested: 2 | Passing: 2' not in output:
            yield f'{pattern}: expected two tests, found:\n{output}'
    yield from expect('--list', (0, 'good/forks\ngood/passes\n'),
                      run(program, '--list', '--filter', 'good/*'))


def main(program, *refused):
    with tempfile.TemporaryDirectory() as place:
        os.environ['TMPDIR'] = place
        complaints = [*alone(program), *good(program)]
        for arguments in ['-j1'], ['-j2'], ['-j20'], []:
            complaints += together(program, *arguments)
        left = os.listdir(place)
    # What is killed cannot clean up.
    complaints += expect('files left', 5, len(left))
    for other in [*refused, program]:
        arguments = ['--verbose'] if other == program else []
        complaints += expect(other, 2, run(other, *arguments)[0])
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


sys.exit(main(*sys.argv[1:]))
