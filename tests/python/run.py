#!/usr/bin/env python3
"""run.py - Builds, installs and tests the Python package.

    tests/python/run.py SOURCE BUILD [--checkout]

Builds a wheel against the library of the build, without a network, installs it
into a virtual environment of its own, and runs its tests there. Skipped if this
machine lacks a package that is needed. With --checkout the wheel is built as on
a machine without the library, so it contains the library.

SPDX-License-Identifier: MIT
"""
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

SKIPPED = 77
NEEDED = ('venv', 'ensurepip', 'setuptools', 'wheel', 'cffi', 'numpy')
LOOK = f'''
import importlib.util, os, sysconfig
lacks = [name for name in {NEEDED} if not importlib.util.find_spec(name)]
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
print(", ".join(lacks + ([] if os.path.exists(header) else ["Python.h"])))
'''
DESCRIPTION = '''Name: varve
Description: the library of a build
Version: 0
Cflags: -I{source}/include
Libs: -L{build}/lib -lvarve
'''


def run(*command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.STDOUT, check=False, **options)
    if result.returncode:
        sys.exit(f'python: {" ".join(command)}:\n{result.stdout}')
    return result.stdout


def find_python():
    """Returns a Python that has all packages, and the missing packages of
    the others."""
    lacks = []
    for python in dict.fromkeys([sys.executable, '/usr/bin/python3']):
        if os.path.exists(python):
            missing = run(python, '-c', LOOK).strip()
            if not missing:
                return python, lacks
            lacks.append(f'{python} lacks {missing}')
    return None, lacks


def describe(source, build, place):
    """Describes the library of the build for pkg-config."""
    with open(os.path.join(place, 'varve.pc'), 'w', encoding='utf-8') as stream:
        stream.write(DESCRIPTION.format(source=source, build=build))
    return dict(os.environ, PKG_CONFIG_PATH=place)


def sources(source, place, is_checkout):
    """Returns the folder to build from: a copy outside of a checkout."""
    if is_checkout:
        return os.path.join(source, 'python')
    copy = os.path.join(place, 'python')
    shutil.copytree(os.path.join(source, 'python'), copy,
                    ignore=shutil.ignore_patterns('build', '*.egg-info'))
    return copy


def check_wheel(path, folder):
    """Checks that a wheel is for all versions of Python, has the license and
    the README, and does not contain the path of the build folder."""
    if not path.endswith('.whl') or '-cp39-abi3-' not in path:
        sys.exit(f'python: {path} is not a wheel for cp39-abi3')
    with zipfile.ZipFile(path) as wheel:
        names = ' '.join(wheel.namelist())
        about = next(name for name in wheel.namelist()
                     if name.endswith('METADATA'))
        metadata = wheel.read(about).decode()
        if any(folder.encode() in wheel.read(name)
               for name in wheel.namelist()):
            sys.exit(f'python: the wheel contains the path {folder}')
    for needed in ('LICENSE', 'py.typed', '_native.pyi'):
        if needed not in names:
            sys.exit(f'python: the wheel lacks {needed}; it has {names}')
    if '# Varve for Python' not in metadata:
        sys.exit(f'python: README.md is not in the metadata: {metadata}')


def check_sources(own, source, place, environment):
    """Checks that a source distribution contains the library."""
    folder, tree = (os.path.join(place, name) for name in ('packed', 'tree'))
    os.mkdir(tree)
    for name in os.listdir(source):
        if name != 'python':
            os.symlink(os.path.join(source, name), os.path.join(tree, name))
    sources(source, tree, False)
    run(own, '-c', 'import setuptools.build_meta as made, sys; '
        'made.build_sdist(sys.argv[1])', folder,
        cwd=os.path.join(tree, 'python'), env=environment)
    with tarfile.open(os.path.join(folder, os.listdir(folder)[0])) as archive:
        names = {name.partition('/')[2] for name in archive.getnames()}
    for needed in ('build_native.py', 'declarations.py', 'native.c', 'LICENSE',
                   'library/meson.build', 'library/include/varve/varve.h',
                   'library/lib/meson.build', 'varve/_native.pyi'):
        if needed not in names:
            sys.exit(f'python: the source distribution lacks {needed}')


def check(python, source, build, place, is_checkout):
    environment = dict(os.environ) if is_checkout else describe(
        source, build, place)
    environment.update(CFLAGS='-O1', PIP_DISABLE_PIP_VERSION_CHECK='1',
                       PYTHONDONTWRITEBYTECODE='1')
    program = os.path.join(build, 'examples', 'readme')
    if os.path.exists(program):
        environment['VARVE_README_PROGRAM'] = program
    for name, program in (('VARVE_MUTATIONS', 'fuzz/two_readers'),
                          ('VARVE_CORRUPT', 'corrupt/corrupt')):
        if os.path.exists(os.path.join(build, 'tests', program)):
            environment[name] = os.path.join(build, 'tests', program)
    folder = sources(source, place, is_checkout)
    home = os.path.join(place, 'venv')
    run(python, '-m', 'venv', '--system-site-packages', home)
    own = os.path.join(home, 'bin', 'python')
    wheels = os.path.join(place, 'wheels')
    run(own, '-m', 'pip', 'wheel', '--no-build-isolation', '--no-deps',
        '--no-index', '--no-cache-dir', '-w', wheels, folder, env=environment)
    wheel, = os.listdir(wheels)
    check_wheel(os.path.join(wheels, wheel), folder)
    if not is_checkout:
        check_sources(own, source, place, environment)
    run(own, '-m', 'pip', 'install', '--no-deps', '--no-index',
        '--no-cache-dir', os.path.join(wheels, wheel), env=environment)
    return run(own, '-B', '-W', 'error', '-m', 'unittest', 'discover', '-s',
               os.path.join(source, 'python', 'tests'), cwd=place,
               env=environment)


def main(source, build, *options):
    python, lacks = find_python()
    if not python or not shutil.which('pkg-config'):
        print(f'python: {"; ".join(lacks) or "no pkg-config"}: skipped')
        return SKIPPED
    with tempfile.TemporaryDirectory() as place:
        print(check(python, os.path.realpath(source), os.path.realpath(build),
                    place, '--checkout' in options))
    return 0


sys.exit(main(*sys.argv[1:]))
