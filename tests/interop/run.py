#!/usr/bin/env python3
"""run.py - TensorFlow, Keras, safetensors and NumPy, alive: what they write we
read, what we write they read, bit for bit.

    run.py --install [DIRECTORY] [--torch PACKAGE]
    run.py CHECK WRITE REWRITE [VARVE] [--only WORD]

CHECK, WRITE and REWRITE are the programs check.c, write.c and rewrite.c, VARVE
is the command line tool. The real programs are taken from the virtual
environment that VARVE_INTEROP names, or else from the Python that runs this;
where they are not, the test is skipped. --install makes such an environment
from PyPI, in build/interop-venv where nothing else is said, with PyTorch and
what else the programs of this folder test, where they can be had. --only runs
the cases with WORD in their names.

SPDX-License-Identifier: MIT
"""
import argparse
import importlib.util
import os
import subprocess
import sys

SKIP = 77
NAME = 'interop'
PACKAGES = ['tensorflow-cpu', 'tf_keras', 'safetensors', 'numpy', 'ml_dtypes']
# One by one.
FURTHER = ['onnx', 'h5py', 'flax', 'gguf', 'keras', 'transformers']
MODULES = ['tensorflow', 'tf_keras', 'safetensors', 'numpy', 'ml_dtypes']


def install_further(python, package):
    """Whoever cannot be had, or not be imported, is skipped by its test."""
    name = package.split('=')[0]
    done = (subprocess.run([python, '-m', 'pip', 'install', '--quiet', package])
            .returncode == 0 and
            subprocess.run([python, '-c', f'import {name}'],
                           stderr=subprocess.DEVNULL).returncode == 0)
    if not done:
        print(f'{NAME}: going on without {name}')


def install(directory, torch):
    python = os.path.join(directory, 'bin', 'python')
    try:
        subprocess.run([sys.executable, '-m', 'venv', directory], check=True)
        subprocess.run([python, '-m', 'pip', 'install', '--quiet', *PACKAGES],
                       check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f'{NAME}: skipped, PyPI is not within reach: {error}')
        return SKIP
    for package in FURTHER + [torch]:
        install_further(python, package)
    # It comes with torch on x86, takes 1 GB, and is only imported when used.
    subprocess.run([python, '-m', 'pip', 'uninstall', '--quiet', '--yes',
                    'triton'])
    print(f'{NAME}: now set VARVE_INTEROP={directory}')
    return 0


def skip_or_try_elsewhere(reason):
    """Starts again with the Python of the environment, at most once."""
    directory = os.environ.pop('VARVE_INTEROP', None)
    if directory:
        python = os.path.join(directory, 'bin', 'python')
        if os.access(python, os.X_OK):
            os.execv(python, [python, '-B'] + sys.argv)
        reason = f'{python} is not there'
    print(f'{NAME}: skipped, {reason}; --install makes an environment for '
          'VARVE_INTEROP')
    return SKIP


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('--install', metavar='DIRECTORY', nargs='?',
                        const='build/interop-venv')
    parser.add_argument('--torch', metavar='PACKAGE', default='torch')
    parser.add_argument('--only', metavar='WORD', default='')
    parser.add_argument('programs', nargs='*')
    return parser.parse_args()


def main():
    given = arguments()
    if given.install:
        return install(given.install, given.torch)
    if len(given.programs) < 3:
        sys.exit('usage: run.py CHECK WRITE REWRITE [VARVE]')
    missing = [m for m in MODULES if not importlib.util.find_spec(m)]
    if missing:
        return skip_or_try_elsewhere(f'there is no {missing[0]}')
    import suite  # only now: it needs all of them
    return suite.run(*given.programs, only=given.only)


sys.exit(main())
