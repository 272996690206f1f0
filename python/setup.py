"""setup.py - Compiles the extension module, and adds the sources of the library
to source distributions. All settings but the license are in pyproject.toml.

SPDX-License-Identifier: MIT
"""
import os
import shutil
import sys

from setuptools import setup
from setuptools.command.sdist import sdist

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, 'library')  # in a source distribution
FOLDERS = ('include', 'lib')
FILES = ('LICENSE', 'README.md', 'meson.build', 'meson_options.txt',
         *(os.path.join(folder, 'meson.build')
           for folder in ('bench', 'docs', 'examples', 'tools')))


class SdistWithLibrary(sdist):
    """A source distribution that contains the sources of the library."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        source = LIBRARY if os.path.isdir(LIBRARY) else os.path.dirname(HERE)
        for name in FOLDERS:
            shutil.copytree(os.path.join(source, name),
                            os.path.join(base_dir, 'library', name))
        for name in FILES:
            target = os.path.join(base_dir, 'library', name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(os.path.join(source, name), target)


# These commands compile nothing, so they do not need cffi.
COMPILES = not {'sdist', 'egg_info', 'dist_info'} & set(sys.argv)
MODULES = {'cffi_modules': ['build_native.py:ffi']} if COMPILES else {}

setup(license='MIT', license_files=['LICENSE'],
      cmdclass={'sdist': SdistWithLibrary},
      # The module depends on the library that pkg-config finds, not only on
      # its sources.
      options={'bdist_wheel': {'py_limited_api': 'cp39'},
               'build_ext': {'force': True}}, **MODULES)
