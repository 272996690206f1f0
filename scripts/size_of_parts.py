#!/usr/bin/env python3
"""size_of_parts.py - Prints the size of the core and of each of its neighbours.

    scripts/size_of_parts.py [--source FOLDER] [BUILD]

Counts the lines of C with comments, and the public functions that a part
defines. With BUILD, a meson build directory, also prints the KiB of code and
constants of its libraries. A second table counts source files, public
functions that save, and branches on the communicator in lib/manage; with BUILD
also the files of lib that one operation passes through (tests/walks).
--source prints the same about another checkout, to compare two states.

SPDX-License-Identifier: MIT
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'walks'))
import walks  # noqa: E402

REDUNDANCY = 'checkpoint/redundancy'
# The folders of each part, and its libraries in a build.
PARTS = {
    'core': [f'lib/{name}' for name in (
        'base', 'os', 'tensor', 'graph', 'format', 'checkpoint', 'manage')],
    'formats': ['lib/foreign'],
    'training': ['lib/training'],
    'group': ['lib/group'],
    'redundancy': [f'lib/{REDUNDANCY}'],
    'hdf5': ['lib/hdf5'],
    'remote': ['lib/remote'],
    'mpi': ['lib/mpi'],
    'tools': ['tools'],
    'public headers': ['include'],
    'tests': ['tests'],
}
DECLARED = re.compile(r'VARVE_API\b[^;{]*?\b(varve_\w+)\s*\(')
SAVES = re.compile(r'varve_\w*(?:write|save)(?:_with)?(?:_all)?'
                   r'(?:_async|_start)?')
BRANCH = re.compile(r'vv_is_alone\(|\bcomm(?:\(\w+\))?\s*(?:\?|&&|\|\||==|!=)|'
                    r'(?:if \(|&& |\|\| )!?[\w.>-]*\bcomm(?:\(\w+\))?\)')
DEFINED = re.compile(r'^(?!static)\w[\w *]*\b(varve_\w+)\(', re.M)


def files_of(root, folder, kinds='*.[ch]'):
    found = set((root / folder).rglob(kinds))
    if folder == 'lib/checkpoint':
        found -= files_of(root, f'lib/{REDUNDANCY}')
    return found


def libraries_of(build, folder):
    """The libraries of a folder in a build: of `lib` those of its layers."""
    name = folder.removeprefix('lib/')
    if name in ('hdf5', 'remote', 'mpi'):
        return set((build / folder).glob('*.so'))
    if folder == 'tools':
        return set((build / 'tools').glob('libtool_*.a'))
    found = set((build / 'lib').glob(f'libvarve_{name.replace("/", "_")}*.a'))
    if name == 'checkpoint':
        found -= libraries_of(build, f'lib/{REDUNDANCY}')
    return found


def code_of(libraries):
    if not libraries:
        return ''
    sizes = subprocess.run(['size', *map(str, libraries)], text=True,
                           check=True, stdout=subprocess.PIPE).stdout
    total = sum(int(line.split()[0]) for line in sizes.splitlines()[1:])
    return round(total / 1024)


def print_parts(root, build, public):
    head = ['part', 'lines', 'public functions'] + ['KiB'] * bool(build)
    print('| ' + ' | '.join(head) + ' |')
    print('| --- |' + ' ---: |' * (len(head) - 1))
    for part, folders in PARTS.items():
        files = {path for folder in folders for path in files_of(root, folder)}
        texts = [path.read_text() for path in sorted(files)]
        own = {name for text in texts for name in DEFINED.findall(text)}
        own = public if part == 'public headers' else own & public
        row = [part, f'{sum(text.count(chr(10)) for text in texts):,}',
               str(len(own) or '') if part != 'tests' else '']
        if build:
            row.append(str(code_of({
                library for folder in folders
                if folder.startswith(('lib/', 'tools'))
                for library in libraries_of(build, folder)})))
        print('| ' + ' | '.join(row) + ' |')


def print_structure(root, build, public):
    manage = ''.join(path.read_text()
                     for path in files_of(root, 'lib/manage', '*.c'))
    rows = {
        'source files of lib': len(files_of(root, 'lib', '*.c')),
        'public functions that save': sum(
            1 for name in public if SAVES.fullmatch(name)),
        'branches on the communicator': len(BRANCH.findall(manage)),
    }
    program = build and build / 'tests' / 'walks' / 'walks'
    if program and program.exists():
        with tempfile.TemporaryDirectory() as place:
            for walk in walks.MOST:
                files, _, _ = walks.measure(
                    str(program), str(root), place, walk)
                rows[f'files of the walk {walk}'] = len(files)
    print('\n| structure | |\n| --- | ---: |')
    for name, value in rows.items():
        print(f'| {name} | {value} |')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--source', type=Path, default=ROOT)
    parser.add_argument('build', type=Path, nargs='?')
    options = parser.parse_args()
    root = options.source.resolve()
    public = {name for path in files_of(root, 'include', '*.h')
              for name in DECLARED.findall(path.read_text())}
    print_parts(root, options.build, public)
    print_structure(root, options.build, public)


if __name__ == '__main__':
    main()
