"""test_doctests.py - Runs the examples in the docstrings.

SPDX-License-Identifier: MIT
"""
import doctest
import importlib
import pkgutil
import unittest

import varve


def load_tests(_loader, tests, _pattern):
    for found in pkgutil.iter_modules(varve.__path__):
        module = importlib.import_module('varve.' + found.name)
        if found.name != '_native':
            tests.addTests(doctest.DocTestSuite(module))
    return tests


if __name__ == '__main__':
    unittest.main()
