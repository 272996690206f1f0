#!/usr/bin/env python3
"""simulated.py - Runs each mutation of simulated.txt; the simulation must
detect it.

    tests/wrong/simulated.py SIMULATION

SIMULATION runs schedules of tests/simulate with a library that has the mutation
named by VARVE_WRONG. It must report the finding in the table.

SPDX-License-Identifier: MIT
"""
import os
import subprocess
import sys

MOST_SECONDS = 120


def read_table(path):
    with open(path, encoding='utf-8') as stream:
        for line in stream:
            words = line.split('#')[0].split()
            if words:
                yield words


def find(simulation, mistake, kind, count):
    """Returns the output of the schedules."""
    environment = {**os.environ, 'VARVE_WRONG': mistake}
    command = [simulation, '--kind', kind, '--count', count, '--jobs', '2',
               '--show', '0']
    return subprocess.run(command, env=environment, timeout=MOST_SECONDS,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding='utf-8', check=False).stdout


def main(simulation):
    table = list(read_table(
        os.path.join(os.path.dirname(__file__), 'simulated.txt')))
    problems = 0
    for mistake, kind, count, expected in table:
        output = find(simulation, mistake, kind, count)
        if f'found {expected} ' in output:
            print(f'{mistake}: found {expected} in schedules of {kind}')
            continue
        problems += 1
        print(f'wrong: {mistake} is not detected by {count} schedules of the '
              f'kind {kind}: the output lacks "found {expected}"\n{output}',
              file=sys.stderr)
    print(f'{len(table) - problems} passed, {problems} failed')
    return 1 if problems or not table else 0


sys.exit(main(*sys.argv[1:]))
