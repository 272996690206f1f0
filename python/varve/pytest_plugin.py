"""pytest_plugin.py - Compares golden files in tests that pytest runs.

    def test_training(varve_golden):
        varve_golden(state, 'golden/training.varve', relative=1e-6)

`pytest --varve-update-golden` writes the files instead.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
from typing import Any, Callable

import pytest  # type: ignore[import-not-found,unused-ignore]

from . import compare_golden, write


def pytest_addoption(parser: Any) -> None:
    parser.addoption('--varve-update-golden', action='store_true',
                     help='write the golden files of varve_golden instead of '
                     'comparing them')


@pytest.fixture  # type: ignore[misc,untyped-decorator,unused-ignore]
def varve_golden(request: Any) -> Callable[..., None]:
    """Compares a tree with a golden file. The path is relative to the folder
    of the test. The options are those of varve.compare_golden."""

    def check(tree: Any, path: Any, **options: Any) -> None:
        path = os.path.join(os.path.dirname(str(request.path)),
                            os.fspath(path))
        if request.config.getoption('--varve-update-golden'):
            write(tree, path)
        else:
            compare_golden(tree, path, **options)
    return check
