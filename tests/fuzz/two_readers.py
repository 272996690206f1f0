#!/usr/bin/env python3
"""two_readers.py - Compares the library with the independent reader on hostile
files. Both must refuse a file with the same status, or both accept it with
the same content.

two_readers.py PROGRAM COUNT FILE_OR_FOLDER...

PROGRAM (two_readers.c) makes COUNT mutations of the files, ten times as many
if VARVE_PROOF is "long". Files with different results are kept in the folder
`found` beside PROGRAM.

SPDX-License-Identifier: MIT
"""
import functools
import os
import pathlib
import struct
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / 'golden')]
import describe  # noqa: E402
import read_format  # noqa: E402
import read_pack  # noqa: E402

MOST_FOUND = 20

# Mutations share most of their values.
read_format.xxh3_128 = functools.lru_cache(maxsize=4096)(read_format.xxh3_128)


def independent(data):
    """Returns the text that describe.c or two_readers.c would have written."""
    try:
        content = read_format.read(data, open_layer)
    except read_format.Damage as damage:
        return 'refused %s %s\n' % damage.args
    return ''.join(f'{line}\n' for line in describe.lines_of(content))


def open_layer(name):
    return read_format.layers_of(TESTS / 'golden' / 'any')(name)


def agree(library, own):
    """If both refuse a file, only the statuses are compared."""
    both = library.split(' ')[:2], own.split(' ')[:2]
    if both[0][0] == both[1][0] == 'refused':
        return both[0] == both[1]
    return library == own


def read_part(stream):
    head = stream.read(4)
    if not head:
        return None
    size, = struct.unpack('<I', head)
    return stream.read(size)


def tell(number, library, own):
    """Prints the first line that differs."""
    print(f'file {number}:')
    for who, lines, others in (('the library', library, own),
                               ('the other', own, library)):
        said = [line for line in lines.split('\n')
                if line not in others.split('\n')]
        print(f'  {who}: {said[0] if said else "nothing more"}')


def compare_all(stream, folder):
    """Returns the number of files, of accepted files and of differences."""
    count = good = found = 0
    while (data := read_part(stream)) is not None and found < MOST_FOUND:
        library = read_part(stream).decode(errors='surrogateescape')
        if library == 'too large\n':
            continue
        try:
            own = independent(data)
        except Exception as error:  # any exception is a finding as well
            own = f'{type(error).__name__}: {error}'
        count += 1
        good += not library.startswith('refused')
        if not agree(library, own):
            folder.mkdir(exist_ok=True)
            (folder / f'two-readers-{count}').write_bytes(data)
            tell(count, library, own)
            found += 1
    return count, good, found


def files_of(paths):
    for path in map(pathlib.Path, paths):
        yield from map(str, sorted(path.iterdir()) if path.is_dir() else [path])


def main(program, count, *paths):
    if read_pack.find_zstd() is None:
        print('without libzstd what is packed cannot be compared')
        return 77
    if os.environ.get('VARVE_PROOF') == 'long':
        count = str(10 * int(count))
    child = subprocess.Popen([program, count, *files_of(paths)],
                             stdout=subprocess.PIPE)
    folder = pathlib.Path(program).resolve().parent / 'found'
    count, good, found = compare_all(child.stdout, folder)
    child.stdout.close()
    print(f'{count} files, {good} of them good, {found} found')
    if found:
        print(f'they are in {folder}')
    return 1 if child.wait() and not found else min(found, 1)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
