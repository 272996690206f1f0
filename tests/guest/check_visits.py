#!/usr/bin/env python3
"""check_visits.py - Tests that each public function is called in a visit.

    check_visits.py SOURCE

visits.txt lists the exceptions: functions that only return data from memory.

SPDX-License-Identifier: MIT
"""
import glob
import os
import re
import sys

DECLARED = re.compile(r'VARVE_API[^;(]*?\b(varve_\w+)\(')


def read(path):
    with open(path, encoding='utf-8') as stream:
        return stream.read()


def main(source):
    here = os.path.join(source, 'tests/guest')
    headers = [path for path in glob.glob(f'{source}/include/varve/*.h')
               if not path.endswith('mpi.h')]
    declared = {name for path in headers
                for name in DECLARED.findall(read(path))}
    visited = set(re.findall(r'\bvarve_\w+', ' '.join(
        read(path) for path in
        [*glob.glob(f'{here}/visit_*.c'), f'{here}/state.c'])))
    # Called through macros:
    visited |= {'varve_add_sized_struct', 'varve_view_at'} & declared
    quiet = {line for line in read(f'{here}/visits.txt').splitlines()
             if line and not line.startswith('#')}
    complaints = [
        *(f'{name}: must be called in a visit or listed in visits.txt'
          for name in sorted(declared - visited - quiet)),
        *(f'{name}: listed in visits.txt, but visited or removed'
          for name in sorted((quiet & visited) | (quiet - declared)))]
    print('\n'.join(complaints) or f'visits: {len(declared & visited)} '
          f'functions are visited, {len(quiet)} only return data')
    return bool(complaints)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
