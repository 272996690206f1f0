#!/usr/bin/env python3
"""tensorflow_programs.py - Runs programs with TensorFlow and Varve and
compares the results.

    tensorflow_programs.py BY_VARVE [--count N] [--seed S] [--program FILE]

BY_VARVE is by_varve.c. By default runs the programs of rows.txt and then 50
random ones, or 3,000 if VARVE_PROOF is "long". --program runs one from a file
and prints each event. TensorFlow is imported from the running Python or from
the virtual environment in VARVE_INTEROP; skipped if neither has it.

SPDX-License-Identifier: MIT
"""
import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / 'interop'))
from elsewhere import need  # noqa: E402

NAME = 'tensorflow'

need('tensorflow')
import by_tensorflow  # noqa: E402
import compare  # noqa: E402
import generate  # noqa: E402
import rows  # noqa: E402


class Broken(Exception):
    """Raised for a program that Varve's interpreter did not complete."""


def by_varve(program, lines, *folders):
    done = subprocess.run([program, *folders], input='\n'.join(lines) + '\n',
                          text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60)
    if done.returncode:
        raise Broken(f'exit status {done.returncode}: {done.stdout[-400:]}')
    return done.stdout.splitlines()


def both(program, lines):
    """Returns the results of TensorFlow, of Varve, and of Varve with
    TensorFlow's files."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = [os.path.join(scratch, name) for name in 'tva']
        for folder in folders:
            os.mkdir(folder)
        theirs, ours, across = folders
        return (by_tensorflow.run(lines, theirs),
                by_varve(program, lines, ours),
                by_varve(program, lines, across, theirs))


def check(program, lines):
    """Returns the kinds of differences, and the unclassified difference or
    None."""
    theirs, ours, across = both(program, lines)
    shown = [line.partition('#')[0] for line in ours]
    agreed, kinds, found = compare.compare(lines, theirs, ours)
    if found:
        return kinds, found
    for i in range(agreed):
        if across[i].partition('#')[0] != shown[i]:
            return kinds, (f'{i + 1}: {lines[i]}\n  over their file: '
                           f'{across[i]}\n  over ours:       {ours[i]}')
    return kinds, None


# Errors of programs that are no longer meaningful.
SENSELESS = ('VARVE_NOT_FOUND', 'VARVE_DUPLICATE', 'VARVE_MISUSE', 'NotFound',
             'KeyError', 'AttributeError', 'IndexError')


def fails(program, lines, like):
    """Returns true if a part of a program has a difference of the same
    kind."""
    if lines[0] != 'new':
        return False
    try:
        found = check(program, lines)[1]
    except Broken:
        return False
    return (found is not None and ('over their' in found) == like
            and not any(word in found for word in SENSELESS))


def show(what, program, lines, found):
    """Prints an unclassified difference and the smallest program that has
    one."""
    print(f'{NAME}: {what}: an undocumented difference:\n{found}')
    like = 'over their' in found
    if fails(program, lines, like):
        lines = compare.shrink(lines, lambda some: fails(program, some, like))
        print('The smallest program with it:\n' + '\n'.join(lines) + '\n'
              + str(check(program, lines)[1]))


def check_rows(program):
    """Checks that each program has exactly the differences in its heading."""
    bad = 0
    for name, expected, lines in rows.programs():
        kinds, found = check(program, lines)
        if found or kinds != expected:
            bad += 1
            print(f'{NAME}: {name}: expected {sorted(expected)}, found '
                  f'{sorted(kinds)}\n{found or ""}')
    return bad


def check_random(program, seed, count):
    tally, same, bad = collections.Counter(), 0, 0
    for number in range(seed, seed + count):
        lines = generate.program(number)
        try:
            kinds, found = check(program, lines)
        except Broken as error:
            kinds, found = set(), None
            print(f'{NAME}: seed {number}: {error}')
            bad += 1
        tally.update(kinds)
        same += not kinds and not found
        if found:
            bad += 1
            show(f'seed {number}', program, lines, found)
    print(f'{NAME}: {count} random programs, {same} the same')
    for kind, times in tally.most_common():
        print(f'{NAME}: {times} with the difference "{kind}" '
              f'({compare.KINDS[kind]})')
    return bad


def trace(program, path):
    lines = rows.events(pathlib.Path(path).read_text())
    runs = both(program, lines)
    for i, line in enumerate(lines):
        print(f'{i + 1}: {line}')
        for whose, run in zip(('theirs', 'ours', 'ours over theirs'), runs):
            print(f'  {whose}: {run[i] if i < len(run) else "-"}')
    print(check(program, lines))
    return 0


def count_proof(count):
    path = os.environ.get('VARVE_PROOF_COUNTS')
    if path:
        with open(path, 'a', encoding='ascii') as stream:
            stream.write(f'tensorflow.programs {count}\n')


def main():
    is_long = os.environ.get('VARVE_PROOF') == 'long'
    parser = argparse.ArgumentParser()
    parser.add_argument('by_varve')
    parser.add_argument('--count', type=int, default=3000 if is_long else 50)
    parser.add_argument('--seed', type=int, default=int(
        os.environ.get('VARVE_PROOF_SEED', 1)))
    parser.add_argument('--program')
    given = parser.parse_args()
    program = os.path.abspath(given.by_varve)
    if given.program:
        return trace(program, given.program)
    bad = check_rows(program) + check_random(program, given.seed, given.count)
    count_proof(given.count)
    print(f'{NAME}: {bad} failed')
    return bad > 0


sys.exit(main())
