#!/usr/bin/env python3
"""walks.py - Counts the files and folders of lib/ that one value passes
through.

    tests/walks/walks.py WALKS SOURCE FOLDER [--check]

Runs each operation of the program under valgrind's callgrind, which records
every call between two functions. Prints how many files of lib/ take part (a
`.c` counts with its `.h`), how many folders, and how many calls go upward:
through a pointer into a folder that the caller must not include according to
the table in lib/README.md. Calls of the program's allocator are not counted.
--check fails if a number exceeds the table below, which is for optimized builds
from -Og to -O2; without inlining there are more. Exits with 77 without
valgrind.

SPDX-License-Identifier: MIT
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'lint'))
import layers  # noqa: E402

# Maximum numbers of files, folders and upward calls.
MOST = {
    'late': (36, 10, 2), 'incremental': (80, 11, 8),
    'tensorflow': (105, 26, 9),
    'save': (36, 9, 0), 'restore': (61, 15, 2),
}
ALLOCATOR = 'os/default_allocator'
NAMED = re.compile(r'\((\d+)\)(?: (.*))?')


class Profile:
    """Parses one output file of callgrind into pairs (file, function)."""

    def __init__(self, path):
        self.names = {}
        self.calls = set()
        at = callee = None
        file = callee_file = None
        with open(path, encoding='utf-8') as stream:
            for line in stream:
                key, _, value = line.rstrip('\n').partition('=')
                if key in ('fl', 'fi', 'fe'):
                    file = self.name('file', value)
                elif key == 'fn':
                    at = file, self.name('function', value)
                    callee_file = None
                elif key in ('cfi', 'cfl'):
                    callee_file = self.name('file', value)
                elif key == 'cfn':
                    callee = (callee_file or at[0],
                              self.name('function', value))
                elif key == 'calls':
                    self.calls.add((at, callee))
                    callee_file = None

    def name(self, kind, value):
        number, name = NAMED.fullmatch(value).groups()
        if name:
            self.names[kind, number] = name
        # the number of a recursion
        return re.sub(r"'\d+$", '', self.names[kind, number])


def place_of(path, source):
    """Returns the file of lib/ without its suffix, or None."""
    path = os.path.relpath(os.path.realpath(path), os.path.realpath(source))
    return os.path.splitext(path[4:])[0] if path.startswith('lib/') else None


def measure(walks, source, folder, walk):
    """Returns the files, folders and upward calls of one operation."""
    sees = layers.calls_of(layers.rules_of(source))
    place = os.path.join(folder, walk)
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    out = os.path.join(place, 'calls')
    golden = os.path.join(source, 'tests', 'golden', 'foreign')
    subprocess.run(
        ['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}',
         '--compress-pos=no', '-q', walks, walk, place, golden], check=True)
    files, upward = set(), set()
    for caller, callee in Profile(out + '.1').calls:
        a, b = (place_of(file, source) for file, _ in (caller, callee))
        files.update(at for at in (a, b) if at)
        if not a or not b or b == ALLOCATOR:
            continue
        room = os.path.dirname(a)
        if os.path.dirname(b) not in (room, *sees[room]):
            upward.add((a, caller[1], b, callee[1]))
    rooms = {os.path.dirname(at) for at in files}
    return files, rooms, upward


def main():
    check = '--check' in sys.argv
    walks, source, folder = [a for a in sys.argv[1:] if a != '--check']
    if not shutil.which('valgrind'):
        print('walks: valgrind is not installed')
        return 77
    print('walk      files folders upward')
    failed = False
    for walk, most in MOST.items():
        files, rooms, upward = measure(walks, source, folder, walk)
        found = len(files), len(rooms), len(upward)
        print(f'{walk:11} {found[0]:5} {found[1]:5} {found[2]:6}')
        if not check:
            print('   ', ' '.join(sorted(rooms)))
            for a, caller, b, callee in sorted(upward):
                print(f'    {a} {caller} -> {b} {callee}')
        elif any(f > m for f, m in zip(found, most)):
            print(f'{walk}: the limits are {most}')
            failed = True
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
