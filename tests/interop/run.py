#!/usr/bin/env python3
"""run.py - Tests files in both directions with TensorFlow, Keras, safetensors
and NumPy, bit for bit.

    run.py --install [DIRECTORY] [--torch PACKAGE]
    run.py CHECK WRITE REWRITE [VARVE] [--only WORD]

CHECK, WRITE and REWRITE are the programs check.c, write.c and rewrite.c, VARVE
is the command line tool. The other programs are imported from the virtual
environment in VARVE_INTEROP, or else from the running Python; skipped if they
are missing. --install creates such an environment from PyPI, by default in
build/interop-venv, with PyTorch and all other packages that the tests of this
folder use, as far as available. --only runs the cases with WORD in their
names.

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
# Installed one by one.
FURTHER = ['onnx', 'h5py', 'flax', 'gguf', 'keras', 'transformers']
MODULES = ['tensorflow', 'tf_keras', 'safetensors', 'numpy', 'ml_dtypes']


def install_further(python, package):
    """A package that cannot be installed or imported is skipped by its
    test."""
    name = package.split('=')[0]
    done = (subprocess.run([python, '-m', 'pip', 'install', '--quiet', package])
            .returncode == 0 and
            subprocess.run([python, '-c', f'import {name}'],
                           stderr=subprocess.DEVNULL).returncode == 0)
    if not done:
        print(f'{NAME}: continuing without {name}')


def install(directory, torch):
    python = os.path.join(directory, 'bin', 'python')
    try:
        subprocess.run([sys.executable, '-m', 'venv', directory], check=True)
        subprocess.run([python, '-m', 'pip', 'install', '--quiet', *PACKAGES],
                       check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f'{NAME}: skipped, PyPI cannot be reached: {error}')
        return SKIP
    for package in FURTHER + [torch]:
        install_further(python, package)
    # This dependency of torch on x86 takes 1 GB and is imported only when used.
    subprocess.run([python, '-m', 'pip', 'uninstall', '--quiet', '--yes',
                    'triton'])
    print(f'{NAME}: now set VARVE_INTEROP={directory}')
    return 0


def skip_or_try_elsewhere(reason):
    """Restarts with the Python of the environment, at most once."""
    directory = os.environ.pop('VARVE_INTEROP', None)
    if directory:
        python = os.path.join(directory, 'bin', 'python')
        if os.access(python, os.X_OK):
            os.execv(python, [python, '-B'] + sys.argv)
        reason = f'{python} does not exist'
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
        return skip_or_try_elsewhere(f'{missing[0]} is not installed')
    import suite  # only now: imports all packages
    return suite.run(*given.programs, only=given.only)


sys.exit(main())
