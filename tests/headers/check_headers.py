#!/usr/bin/env python3
"""check_headers.py - Tests that each public header compiles alone, as C11 and
C++17; C++ headers also as C++20 without exceptions and RTTI.

    tests/headers/check_headers.py INCLUDE

Compiles C with every installed compiler. C++ headers as C++17 with the first
compiler for C++, and as C++20 with the last: tests/cpp compiles all of them
together with each. Prints a message if there is none for C++. Each header is
included twice to test its include guard.

SPDX-License-Identifier: MIT
"""
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion',
            '-Werror', '-fsyntax-only']
C_FLAGS = ['-x', 'c', '-std=c11', '-Wstrict-prototypes']
CXX_FLAGS = ['-x', 'c++', '-std=c++17']
CXX20_FLAGS = ['-x', 'c++', '-std=c++20', '-fno-exceptions', '-fno-rtti']
# Include mpi.h of MPI: the suite mpi and the test install compile them.
MPI = os.path.join('varve', 'mpi.h'), os.path.join('varve', 'mpi.hpp')


def compilers(*names):
    """Finds the installed compilers, each once even if it has several
    names."""
    found = {}
    for name in names:
        path = shutil.which(name)
        if path:
            found.setdefault(os.path.realpath(path), name)
    return list(found.values())


def compile_alone(compiler, flags, include, header):
    text = f'#include <{header}>\n#include <{header}>\nextern int unused;\n'
    result = subprocess.run(
        [compiler, *flags, *WARNINGS, '-I', include, '-'],
        input=text, capture_output=True, text=True, check=False)
    if result.returncode:
        return f'<{header}> alone, {compiler} {flags[2]}:\n{result.stderr}'
    return None


def main(include):
    headers = sorted(os.path.relpath(path, include) for path in
                     glob.glob(os.path.join(include, 'varve', '*.h')))
    headers.remove(MPI[0])
    for_cxx = sorted(os.path.relpath(path, include) for path in
                     glob.glob(os.path.join(include, 'varve', '*.hpp')))
    for_cxx.remove(MPI[1])
    c = compilers('cc', 'gcc', 'clang')
    cxx = compilers('c++', 'g++', 'clang++')
    if not headers or not c:
        sys.exit(f'headers: {len(headers)} headers, {len(c)} C compilers')
    if not cxx:
        print('headers: no C++ compiler is installed, tested as C only')
    jobs = [(compiler, flags, include, header) for header in headers
            for found, flags in ((c, C_FLAGS), (cxx, CXX_FLAGS))
            for compiler in found]
    jobs += [(compiler, flags, include, header) for header in for_cxx
             for flags, compiler in zip((CXX_FLAGS, CXX20_FLAGS),
                                        cxx[:1] + cxx[-1:])]
    headers += for_cxx
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = list(filter(None, pool.map(
            lambda job: compile_alone(*job), jobs)))
    for complaint in complaints:
        print(complaint)
    print(f'headers: {len(headers)} headers, with {", ".join(c + cxx)}: '
          f'{len(complaints)} errors')
    return 1 if complaints else 0


sys.exit(main(*sys.argv[1:]))
