#!/usr/bin/env python3
"""check_compilers.py - every C++ compiler here takes the headers as they are
used, and refuses what must not be saved, in words.

    tests/cpp/check_compilers.py SOURCE

SPDX-License-Identifier: MIT
"""
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion',
            '-Wsign-conversion', '-Wold-style-cast', '-Werror']
WAYS = [['-std=c++17'], ['-std=c++20', '-fno-exceptions', '-fno-rtti']]

# What the compiler says of what is added to a node, each once.
REFUSED = [
    ('std::vector<float>(3)', 'would be gone before it is saved'),
    ('constant', 'must not be const'),
    ('bits', 'have no addresses'),
    ('letters', 'neither numbers'),
    ('unknown', 'neither numbers'),
]
PROGRAM = """#include <varve/varve.hpp>
struct nothing {{ int x; }};
void f(varve::node node)
{{
    const std::vector<float> constant(3);
    std::vector<bool> bits(3);
    std::vector<char> letters(3);
    nothing unknown{{}};
{}
}}
"""


def compilers():
    """Those that are there, each once however many names it has."""
    found = {}
    for name in ('c++', 'g++', 'clang++'):
        path = shutil.which(name)
        if path:
            found.setdefault(os.path.realpath(path), name)
    return list(found.values())


def compiled(source, compiler, flags, text):
    return subprocess.run(
        [compiler, *flags, '-fsyntax-only', '-I', f'{source}/include',
         '-x', 'c++', '-'], input=text, capture_output=True, text=True,
        check=False, cwd=f'{source}/tests/cpp')


def accepted(source, compiler, way, text):
    result = compiled(source, compiler, [*way, *WARNINGS], text)
    if result.returncode:
        return f'{compiler} {way}:\n{result.stderr}'
    return None


def refused(source, compiler):
    result = compiled(source, compiler, WAYS[0], PROGRAM.format('\n'.join(
        f'    node.add("name", {what});' for what, _ in REFUSED)))
    errors = [line for line in result.stderr.splitlines() if 'error: ' in line]
    wanted = [why for _, why in REFUSED]
    for why in set(wanted):
        if sum(why in line for line in errors) != wanted.count(why):
            return f'{compiler}: expected "{why}", found:\n{result.stderr}'
    return None


def main(source):
    paths = sorted(glob.glob(f'{source}/tests/cpp/*.cpp'))
    text = ''.join(f'#include "{path}"\n' for path in paths)
    here = compilers()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(accepted, source, compiler, way, text)
                for compiler in here for way in WAYS]
        jobs += [pool.submit(refused, source, compiler) for compiler in here]
        complaints = list(filter(None, (job.result() for job in jobs)))
    for complaint in complaints:
        print(complaint)
    print(f'cpp: {len(paths)} files and {len(REFUSED)} mistakes, with '
          f'{", ".join(here)}: {len(complaints)} complaints')
    return 1 if complaints or not paths else 0


sys.exit(main(*sys.argv[1:]))
