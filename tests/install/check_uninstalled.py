#!/usr/bin/env python3
"""check_uninstalled.py - Tests a program with the library of a build
directory, using the pkg-config files of the build without an installation.

    tests/install/check_uninstalled.py BUILD

SPDX-License-Identifier: MIT
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
PROGRAM = '''
#include <stdio.h>
#include <varve/varve.h>
int main(void)
{
    puts(varve_version());
    return 0;
}
'''


def main(build):
    if not shutil.which('pkg-config') or not shutil.which('cc'):
        print('uninstalled: skipped: pkg-config or cc is not installed')
        return SKIP
    environment = dict(
        os.environ, PKG_CONFIG_PATH=os.path.join(build, 'meson-uninstalled'),
        LD_LIBRARY_PATH=os.path.join(build, 'lib'))
    flags = subprocess.run(['pkg-config', '--cflags', '--libs', 'varve'],
                           env=environment, stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    with tempfile.TemporaryDirectory() as place:
        program = os.path.join(place, 'program')
        subprocess.run(['cc', '-x', 'c', '-', '-o', program, '-x', 'none',
                        *shlex.split(flags)], input=PROGRAM, text=True,
                       check=True)
        subprocess.run([program], env=environment, check=True)
    return 0


sys.exit(main(*sys.argv[1:]))
