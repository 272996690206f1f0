#!/usr/bin/env python3
"""reference.py - makes the reference from the public headers.

    docs/site/reference.py check SOURCE
    docs/site/reference.py man SOURCE FOLDER DEPFILE [HEADER...]

Both fail, with file and line, where a public name has no comment;
headers.py says what a name is and what its comment. `man` writes the manual
pages of the library, but of HEADERs that it is built without. The pages of the
site are site.py's.

SPDX-License-Identifier: MIT
"""
import glob
import os
import sys

import headers
import man_pages


def documented(source):
    """The headers, each name in them with its comment."""
    found = headers.read_all(os.path.join(source, 'include'))
    missing = headers.undocumented(found)
    for line in missing:
        print(f'include/varve/{line}', file=sys.stderr)
    if missing:
        sys.exit(f'reference: {len(missing)} public names without a comment '
                 'right above them')
    return found


def write_depfile(source, output, depfile):
    here = os.path.dirname(os.path.abspath(__file__))
    needed = sorted(glob.glob(os.path.join(source, 'include', 'varve', '*.h'))
                    + glob.glob(os.path.join(here, '*.py')))
    with open(depfile, 'w', encoding='utf-8') as stream:
        print(f'{output}:', *needed, file=stream)


def main(action, source, folder='', depfile='', *without):
    found = documented(source)
    if action == 'man':
        count = man_pages.write(source, [
            header for header in found if header.name not in without], folder)
        write_depfile(source, folder, depfile)
        print(f'reference: {count} manual pages')
    else:
        names = sum(len(header.declared()) for header in found)
        print(f'reference: {names} public names, each with its comment')


if __name__ == '__main__':
    main(*sys.argv[1:])
