#!/usr/bin/env python3
"""check_cmake.py - Tests the library as part of a CMake project.

    tests/install/check_cmake.py SOURCE BUILD

Builds a consumer with the library as part of its project and runs it. Then
compares that library with the one of the build: the same sources, exported
names and features.

SPDX-License-Identifier: MIT
"""
import glob
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# Modules that only meson builds, and the features that load them.
BESIDE = ('lib/mpi/', 'lib/hdf5/', 'lib/remote/')
BESIDE_FEATURES = '-DVV_HAVE_HDF5', '-DVV_HAVE_REMOTE'


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True,
                            check=False)
    if result.returncode:
        sys.exit(f'cmake: {shlex.join(command)}:\n'
                 f'{result.stdout}{result.stderr}')
    return result.stdout


def build_part(source, place):
    """Builds with little optimization, to save time."""
    launcher = shutil.which('ccache')
    run('cmake', '-S', f'{source}/tests/install/cmake/part', '-B', place,
        f'-DVARVE={source}', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON',
        '-DBUILD_SHARED_LIBS=ON', '-DCMAKE_C_FLAGS=-Werror',
        *([f'-DCMAKE_C_COMPILER_LAUNCHER={launcher}'] if launcher else []))
    run('cmake', '--build', place, '--parallel', str(os.cpu_count()))
    run(f'{place}/consumer', f'{place}/consumer.varve')


def library_of(place):
    found = [path for path in glob.glob(f'{place}/**/libvarve.so.?.?.?',
                                        recursive=True)
             if not os.path.islink(path)]
    if len(found) != 1:
        sys.exit(f'cmake: {place}: expected a library, found {found}')
    return found[0]


def exported(library):
    return {line.split()[-1] for line in
            run('nm', '-D', '--defined-only', library).splitlines()}


def compiled(place, source):
    """The library's sources in that build, and their macros."""
    with open(f'{place}/compile_commands.json', encoding='utf-8') as stream:
        commands = json.load(stream)
    found = {}
    for command in commands:
        path = os.path.realpath(os.path.join(command['directory'],
                                             command['file']))
        words = command['command'].split()
        name = os.path.relpath(path, source)
        if name.startswith('lib/') and not name.startswith(BESIDE):
            found[name] = {word for word in words
                           if word.startswith('-DVV_HAVE_')
                           and word not in BESIDE_FEATURES}
    return found


def main(source, build):
    source = os.path.realpath(source)
    if not shutil.which('cmake'):
        print('cmake: skipped: CMake is not installed')
        return SKIPPED
    with tempfile.TemporaryDirectory() as place:
        build_part(source, place)
        here, there = compiled(build, source), compiled(place, source)
        names = exported(library_of(f'{build}/lib')) ^ exported(
            library_of(place))
    differ = sorted(set(here) ^ set(there))
    differ += sorted(name for name in set(here) & set(there)
                     if here[name] != there[name])
    for name in differ[:5]:
        print(f'cmake: {name}: {here.get(name)} by meson, '
              f'{there.get(name)} by CMake')
    for name in sorted(names)[:5]:
        print(f'cmake: {name} is exported by only one of them')
    print(f'cmake: {len(there)} sources, a consumer that runs')
    return 1 if differ or names or not there else 0


sys.exit(main(*sys.argv[1:]))
