#!/usr/bin/env python3
"""check_subproject.py - Tests the library as a subproject of a meson project.

    tests/install/check_subproject.py MESON SOURCE

meson fetches the sources with the wrap of docs/howto/embed.md from a temporary
repository. Builds consumers in C and C++, static and shared, and runs them.
Then configures a static subproject: it contains the library alone, and none of
its files are merged into one unit.

SPDX-License-Identifier: MIT
"""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

PAGE = 'docs/howto/embed.md'
WRAP = re.compile(r'^ {4}\[wrap-git\]\n(?: {4}.*\n|\n)*', re.M)
NEEDED = ('lib', 'include')
KINDS = ('any', 'shared', 'static')


class Trouble(Exception):
    """A failed check."""


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True,
                            check=False, **options)
    if result.returncode:
        raise Trouble(f'{shlex.join(command)}:\n{result.stdout}{result.stderr}')
    return result.stdout


def make_repository(source, place):
    """Copies the current sources to a new repository. Folders that a
    subproject does not build contain only the files that test this."""
    for name in NEEDED:
        shutil.copytree(os.path.join(source, name), os.path.join(place, name))
    for path in glob.glob(f'{source}/meson*') + glob.glob(
            f'{source}/*/meson.build'):
        there = os.path.join(place, os.path.relpath(path, source))
        os.makedirs(os.path.dirname(there), exist_ok=True)
        shutil.copy(path, there)
    run('git', 'init', '-q', place)
    run('git', '-C', place, 'add', '.')
    run('git', '-C', place, '-c', 'user.name=test', '-c', 'user.email=test',
        '-c', 'commit.gpgsign=false', 'commit', '-q', '-m', 'All of it')


def make_whole(source, place, repository):
    """Creates a project with the wrap of the documentation."""
    with open(f'{source}/{PAGE}', encoding='utf-8') as stream:
        wrap = WRAP.search(stream.read())
    if not wrap:
        raise Trouble(f'{PAGE}: expected a wrap, found none')
    text = re.sub('^ {4}', '', wrap[0], flags=re.M)
    text = text.replace('REPOSITORY', f'file://{repository}')
    os.makedirs(f'{place}/subprojects')
    with open(f'{place}/subprojects/varve.wrap', 'w',
              encoding='utf-8') as stream:
        stream.write(text)
    tests = f'{source}/tests/install'
    for path in (f'{tests}/meson/meson.build', f'{tests}/consumer.c',
                 f'{tests}/consumer.cpp'):
        shutil.copy(path, place)


def setup(meson, place, build, *options):
    run(*meson, 'setup', '--wrap-mode=forcefallback', '--buildtype=plain',
        *options, build, place, env=dict(os.environ, PKG_CONFIG_PATH=''))


def links_library(program):
    return 'libvarve' in run('readelf', '-d', program)


def check_consumers(meson, place):
    """Tests that consumers use the shared library by default if both exist."""
    build = f'{place}/build'
    setup(meson, place, build, '-Ddefault_library=both')
    run('ninja', '-C', build)
    languages = ['c', 'cpp'] if shutil.which('c++') else ['c']
    for language in languages:
        for kind in KINDS:
            program = f'{build}/{language}_{kind}'
            run(program, f'{place}/{language}_{kind}.varve')
            if links_library(program) != (kind != 'static'):
                raise Trouble(f'{program}: expected a {kind} library in it, '
                              'found the other')
    return len(languages) * len(KINDS)


def check_part(meson, place):
    """Tests that a subproject builds only the library, of the kind the
    project uses."""
    build = f'{place}/static'
    setup(meson, place, build, '-Ddefault_library=static', '-Dunity=on')
    targets = [target for target in json.loads(
        run(*meson, 'introspect', '--targets', build))
               if target['subproject'] == 'varve']
    extra = [t['name'] for t in targets if t['type'] not in
             ('static library', 'shared library')]
    if extra:
        raise Trouble(f'more than the library: {extra}')
    kinds = [t['type'] for t in targets if t['name'] == 'varve']
    if kinds != ['static library']:
        raise Trouble(f'default_library=static: {kinds}')
    united = [t['name'] for t in targets for s in t['target_sources']
              if s.get('generated_sources') or s.get('unity_sources')]
    if united:
        raise Trouble(f'several files in one unit: {united}')


def main(meson, source):
    if not shutil.which('git'):
        print('subproject: skipped: git is not installed')
        return 77
    source = os.path.realpath(source)
    meson = shlex.split(meson)
    with tempfile.TemporaryDirectory() as place:
        try:
            make_repository(source, f'{place}/repository')
            make_whole(source, f'{place}/whole', f'{place}/repository')
            count = check_consumers(meson, f'{place}/whole')
            check_part(meson, f'{place}/whole')
        except Trouble as trouble:
            print(f'subproject: {trouble}')
            return 1
    print(f'subproject: {count} consumers ran')
    return 0


sys.exit(main(*sys.argv[1:]))
