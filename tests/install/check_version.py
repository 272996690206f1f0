#!/usr/bin/env python3
"""check_version.py - Tests that all files contain the same version.

    tests/install/check_version.py SOURCE            compares them
    tests/install/check_version.py SOURCE VERSION    writes it to all files

The version in meson.build is authoritative.

SPDX-License-Identifier: MIT
"""
import os
import re
import sys

# Files that contain the version, and a pattern whose group is the version.
PLACES = [
    ('meson.build', r"^  version: '(.*)',$"),
    ('include/varve/version.h', r'^#define VARVE_VERSION "(.*)"$'),
    ('python/pyproject.toml', r'^version = "(.*)"$'),
    ('packaging/debian/changelog', r'\Avarve \((.*)-1\) '),
    ('CHANGELOG.md', r'^## ([0-9.]+)'),
]
PARTS = ('MAJOR', 'MINOR', 'PATCH')


def read(source, name):
    with open(os.path.join(source, name), encoding='utf-8') as stream:
        return stream.read()


def write(source, name, text):
    with open(os.path.join(source, name), 'w', encoding='utf-8') as stream:
        stream.write(text)


def found_in(text, pattern, name):
    found = re.search(pattern, text, re.M)
    if not found:
        sys.exit(f'{name}: expected a version, found none')
    return found


def parts_of(version):
    return zip(PARTS, version.split('.'))


def put(source, version):
    if not re.fullmatch(r'\d+\.\d+\.\d+', version):
        sys.exit(f'expected a version such as 0.2.0, found {version}')
    for name, pattern in PLACES:
        text = read(source, name)
        found = found_in(text, pattern, name)
        write(source, name,
              text[:found.start(1)] + version + text[found.end(1):])
    header = PLACES[1][0]
    text = read(source, header)
    for part, number in parts_of(version):
        text = re.sub(rf'(?m)^(#define VARVE_VERSION_{part}) .*$',
                      rf'\1 {number}', text)
    write(source, header, text)


def compare(source):
    versions = {name: found_in(read(source, name), pattern, name)[1]
                for name, pattern in PLACES}
    version = versions['meson.build']
    for name, other in versions.items():
        if other != version:
            sys.exit(f'{name}: expected {version}, as meson.build has it, '
                     f'found {other}')
    header = read(source, PLACES[1][0])
    for part, number in parts_of(version):
        line = f'#define VARVE_VERSION_{part} {number}\n'
        if line not in header:
            sys.exit(f'{PLACES[1][0]}: expected {line}')
    print(f'check_version: {version} in {len(versions)} files')


if __name__ == '__main__':
    if len(sys.argv) > 2:
        put(sys.argv[1], sys.argv[2])
    compare(sys.argv[1])
