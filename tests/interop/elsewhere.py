"""elsewhere.py - Finds other programs in the running Python or in the virtual
environment in VARVE_INTEROP.

SPDX-License-Identifier: MIT
"""
import importlib
import os
import sys

SKIP = 77


def _missing(modules):
    """An installed package may still fail to import."""
    for name in modules:
        try:
            importlib.import_module(name)
        except (ImportError, OSError) as error:
            if getattr(error, 'name', None) == name:
                return f'{name} is not installed'
            return f'{name} cannot be imported: {error}'.splitlines()[0]
    return None


def need(*modules):
    """Returns if the modules can be imported. Otherwise restarts with the
    Python of the environment, at most once, or skips the test."""
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
