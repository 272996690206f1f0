"""setup.py - adds to pyproject.toml that there is something to compile.

SPDX-License-Identifier: MIT
"""
from setuptools import setup

setup(cffi_modules=['build_native.py:ffi'])
