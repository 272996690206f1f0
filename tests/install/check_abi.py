#!/usr/bin/env python3
"""check_abi.py - Compares the public interface with that of the last release.

    tests/install/check_abi.py SOURCE
    tests/install/check_abi.py SOURCE --release

abi.txt contains the declarations of the last release: functions with their
types, structs with their fields, enumerations with their numbers. Its first
line contains the version and the soversion of that release. A declaration that
was removed or changed since is an error, unless meson.build has another
soversion.
docs/compatibility.md contains the rules. --release writes abi.txt; only
scripts/release.sh uses it.

SPDX-License-Identifier: MIT
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DUMP = os.path.join(HERE, 'abi.txt')


def version_of(source):
    """The version and the soversion in meson.build."""
    with open(os.path.join(source, 'meson.build'), encoding='utf-8') as stream:
        text = stream.read()
    return (re.search(r"^  version: '(.*)',$", text, re.M)[1],
            re.search(r"^soversion = '(.*)'", text, re.M)[1])


def compare(source, found):
    version, soversion = version_of(source)
    with open(DUMP, encoding='utf-8') as stream:
        first, *expected = stream.read().splitlines()
    released, old = re.fullmatch(
        r'# Varve (\S+), soversion (\S+)', first).groups()
    gone = [line for line in expected if line not in found]
    if old == soversion:
        for line in gone:
            print(f'check_abi: {released} has: {line}')
        if gone:
            sys.exit('check_abi: removed or changed since the release: see '
                     'docs/compatibility.md')
    elif version.split('.')[:2] == released.split('.')[:2]:
        sys.exit(f'check_abi: the soversion is {soversion}, and {old} in '
                 f'{released}: the version {version} must change too')
    print(f'check_abi: soversion {soversion}; {len(gone)} of {len(expected)} '
          f'declarations of {released} (soversion {old}) removed or changed')


def check_promised(source, found):
    """Checks that each struct with a permanent size is listed."""
    with open(os.path.join(source, 'docs', 'compatibility.md'),
              encoding='utf-8') as stream:
        document = stream.read()
    for line in found:
        struct = re.match(r'(?:typedef )?struct (varve_\w+) \{(.*)\}', line)
        if struct and not re.search(r'reserved(\[\d\])?; $', struct[2]) \
                and f'`{struct[1]}`' not in document:
            sys.exit(f'check_abi: {struct[1]}: docs/compatibility.md must '
                     'state how it may be extended, or it must end with '
                     'varve_reserved')


def main(source, *options):
    sys.path.insert(0, os.path.join(source, 'python'))
    from declarations import declarations  # the same as for cffi
    found = declarations(['-I' + os.path.join(source, 'include')])
    check_promised(source, found)
    if '--release' in options:
        with open(DUMP, 'w', encoding='utf-8') as stream:
            stream.write('# Varve {}, soversion {}\n'.format(
                *version_of(source)))
            stream.write('\n'.join(found) + '\n')
        print(f'check_abi: wrote {len(found)} declarations')
    else:
        compare(source, found)


main(*sys.argv[1:])
