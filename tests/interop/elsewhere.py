"""elsewhere.py - a real program, in the Python that runs this or in the virtual
environment that VARVE_INTEROP names.

SPDX-License-Identifier: MIT
"""
import importlib
import os
import sys

SKIP = 77


def _missing(modules):
    """What is installed may still not be fit to be imported."""
    for name in modules:
        try:
            importlib.import_module(name)
        except (ImportError, OSError) as error:
            if getattr(error, 'name', None) == name:
                return f'there is no {name}'
            return f'{name} cannot be imported: {error}'.splitlines()[0]
    return None


def need(*modules):
    """Goes on where these can be imported. Else it begins again with the Python
    of the environment, at most once, or skips the test."""
    reason = _missing(modules)
    if not reason:
        return
    directory = os.environ.pop('VARVE_INTEROP', None)
    if directory:
        python = os.path.join(directory, 'bin', 'python')
        if os.access(python, os.X_OK):
            os.execv(python, [python, '-B'] + sys.argv)
    name = os.path.basename(sys.argv[0]).removesuffix('.py').replace('_', ' ')
    print(f'{name}: skipped, {reason}')
    sys.exit(SKIP)
