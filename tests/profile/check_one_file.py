#!/usr/bin/env python3
"""check_one_file.py - Tests the single-file library: compilers accept it
without warnings, it works like the library, and it exports no other names.

    tests/profile/check_one_file.py SOURCE BUILD PROGRAM LIBRARY...

PROGRAM must print its kernel; each LIBRARY is linked, as -lcbor.

SPDX-License-Identifier: MIT
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILERS = ('gcc', 'clang')
STRICT = ('-std=c11', '-Wall', '-Wextra', '-Werror', '-fno-strict-aliasing')
OURS = re.compile(r'(?:varve|vv)_')


def run(*command, place=None):
    return subprocess.run([str(word) for word in command], cwd=place, text=True,
                          check=True, stdout=subprocess.PIPE).stdout


def names_of(compiled):
    return run('nm', '-g', '-j', '--defined-only', compiled).split()


def check(compiler, source, place, example, libraries):
    """Returns the errors found with this compiler."""
    compiled, program = place / 'varve.o', place / 'program'
    run(compiler, *STRICT, '-c', place / 'varve.c', '-o', compiled)
    found = [f'{name} is visible' for name in names_of(compiled)
             if not OURS.match(name)]
    run(compiler, *STRICT, example, f'-I{place}', compiled,
        *libraries, '-o', program)
    printed = run(program, place=place)
    if printed != 'kernel: 1 2 3\n':
        found.append(f'expected the kernel, found {printed}')
    run(compiler, '-std=c11', source / 'tests' / 'profile' / 'test_profile.c',
        f'-I{source}/include', compiled, *libraries, '-o', program)
    run(program, source / 'tests' / 'golden' / 'foreign', 'profile.varve',
        place=place)
    return [f'{compiler}: {what}' for what in found]


def main(source, build, program, *libraries):
    compilers = [name for name in COMPILERS if shutil.which(name)]
    found = []
    with tempfile.TemporaryDirectory() as place:
        print(run(sys.executable, '-B', f'{source}/scripts/amalgamate.py',
                  build, place), end='')
        for compiler in compilers:
            found += check(compiler, Path(source), Path(place), program,
                           libraries)
    for what in found:
        print(f'one file: {what}')
    print(f'one file: compiled by {" and ".join(compilers) or "no compiler"}')
    return 1 if found else 0


sys.exit(main(*sys.argv[1:]))
