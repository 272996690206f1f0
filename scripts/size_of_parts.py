#!/usr/bin/env python3
"""size_of_parts.py - Prints the size of the core and of each of its neighbours.

    scripts/size_of_parts.py [BUILD]

Counts the lines of C with comments, and the public functions that a part
defines. With BUILD, a meson build directory, also prints the KiB of code and
constants of its libraries.

SPDX-License-Identifier: MIT
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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
DEFINED = re.compile(r'^(?!static)\w[\w *]*\b(varve_\w+)\(', re.M)


def files_of(folder, kinds='*.[ch]'):
    found = set((ROOT / folder).rglob(kinds))
    if folder == 'lib/checkpoint':
        found -= files_of(f'lib/{REDUNDANCY}')
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


def main():
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    public = {name for path in files_of('include', '*.h')
              for name in DECLARED.findall(path.read_text())}
    head = ['part', 'lines', 'public functions'] + ['KiB'] * bool(build)
    print('| ' + ' | '.join(head) + ' |')
    print('| --- |' + ' ---: |' * (len(head) - 1))
    for part, folders in PARTS.items():
        files = {path for folder in folders for path in files_of(folder)}
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


if __name__ == '__main__':
    main()
