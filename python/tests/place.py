"""place.py - Defines a test that has a temporary folder.

SPDX-License-Identifier: MIT
"""
import os
import tempfile
import unittest


class Test(unittest.TestCase):
    """A test with a temporary folder and paths in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name='a.varve'):
        return os.path.join(self.folder, name)

    def fails(self, kind, *words):
        """Asserts that the block raises an exception of that kind with these
        words."""
        return self.assertRaisesRegex(kind, '.*'.join(words))
