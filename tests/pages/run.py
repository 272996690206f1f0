#!/usr/bin/env python3
"""run.py - Executes the commands in the documentation and compares their
output.

    tests/pages/run.py SOURCE BUILD MESON COMPILER [DOCUMENT...]
    tests/pages/run.py SOURCE --prefix PREFIX COMPILER [DOCUMENT...]

Every document with commands (blocks of `console`) is executed in an empty
folder with this environment: `cc` is COMPILER with its flags, and `c++` has the
same sanitizers; pkg-config, CMake, the linker and the shell find the files that
BUILD installs, or those in PREFIX; `$VARVE` is SOURCE, from which some
documents copy files. After an intended change UPDATE=1 writes the actual output
to the documents.

SPDX-License-Identifier: MIT
"""
import concurrent.futures
import glob
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

import pages


def documents(source):
    found = [os.path.join(source, 'README.md')]
    found += sorted(glob.glob(f'{source}/docs/**/*.md', recursive=True))
    return [os.path.relpath(path, source) for path in found]


def install(build, meson, place):
    subprocess.run(
        [*shlex.split(meson), 'install', '-C', build, '--no-rebuild',
         '--tags', 'runtime,devel', '--destdir', place],
        check=True, stdout=subprocess.DEVNULL)
    return place


def environment_of(source, installed, sysroot, compiler, place):
    """Returns the environment of a user who has installed the library."""
    folder = os.path.join(place, 'bin')
    os.mkdir(folder)
    # The compiler may be named cc, or be a ccache link of that name.
    compiler = [shutil.which(word) or word for word in compiler]
    wrap(folder, 'cc', shlex.join(compiler))
    # A program without the library's sanitizers cannot be linked with it.
    sanitizers = [word for word in compiler if 'sanitize' in word]
    if sanitizers and shutil.which('c++'):
        wrap(folder, 'c++', shlex.join([shutil.which('c++'), *sanitizers]))
    if shutil.which('mpirun'):
        # Leaks of MPI are not reported. Other tests run mpirun at the same
        # time, so its session directory is not in the common TMPDIR.
        wrap(folder, 'mpirun', 'env ASAN_OPTIONS=detect_leaks=0 TMPDIR='
             + shlex.join([place, shutil.which('mpirun')]))
    packages = os.path.dirname(next(
        path for start in ('lib/**', '**') for path in glob.iglob(
            f'{installed}/{start}/pkgconfig/varve.pc', recursive=True)))
    libraries = os.path.dirname(packages)
    if sysroot:
        packages = relocate(packages, sysroot, os.path.join(place, 'packages'))
    tools = os.path.join(libraries[:libraries.rindex('/lib')], 'bin')
    path = os.pathsep.join([folder, tools, os.environ['PATH']])
    environment = dict(
        os.environ, PATH=path, LD_LIBRARY_PATH=libraries, CC='cc',
        PKG_CONFIG_PATH=packages, VARVE=source, LC_ALL='C.UTF-8', TERM='dumb',
        OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1',
        CMAKE_PREFIX_PATH=os.path.dirname(tools))
    # A failed Criterion test leaks its allocations.
    leaks = os.path.join(place, 'leaks')
    with open(leaks, 'w', encoding='utf-8') as stream:
        stream.write('leak:criterion_internal_test_main\n')
    environment['LSAN_OPTIONS'] = f'suppressions={leaks}:print_suppressions=0'
    return environment


def wrap(folder, name, command):
    """Creates a command of that name which calls another."""
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write(f'#!/bin/sh\nexec {command} "$@"\n')
    os.chmod(path, 0o755)


def relocate(packages, sysroot, place):
    """Writes pkg-config files for libraries outside the standard
    directories."""
    os.mkdir(place)
    for path in glob.glob(f'{packages}/*.pc'):
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
        with open(os.path.join(place, os.path.basename(path)), 'w',
                  encoding='utf-8') as stream:
            stream.write(text.replace('prefix=', f'prefix={sysroot}', 1))
    return place


def look(source, path, environment):
    with open(os.path.join(source, path), encoding='utf-8') as stream:
        document = stream.read()
    with tempfile.TemporaryDirectory() as place:
        wrong, asked = pages.follow(document, place, environment)
    if wrong and os.environ.get('UPDATE'):
        with open(os.path.join(source, path), 'w', encoding='utf-8') as stream:
            stream.write(pages.renew(document, asked))
    return path, wrong, len(asked)


def main(source, build, *arguments):
    arguments = list(arguments)
    source = os.path.realpath(source)
    with tempfile.TemporaryDirectory() as place:
        sysroot = None
        if build == '--prefix':
            installed = os.path.realpath(arguments.pop(0))
        else:
            sysroot = installed = install(
                build, arguments.pop(0), os.path.join(place, 'installed'))
        compiler = shlex.split(arguments.pop(0))
        environment = environment_of(source, installed, sysroot, compiler,
                                     place)
        return compare(source, environment, arguments or documents(source))


def compare(source, environment, paths):
    count = failures = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, wrong, commands in pool.map(
                lambda path: look(source, path, environment), paths):
            for what in wrong:
                print(f'{path}:{what}')
            if commands and not wrong:
                print(f'{path}: {commands} commands, as shown')
            count += commands
            failures += len(wrong)
    print(f'pages: {count} commands, {failures} failures')
    return 1 if failures or not count else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
