"""place.py - a test with a folder of its own.

SPDX-License-Identifier: MIT
"""
import os
import tempfile
import unittest


class Test(unittest.TestCase):
    """Has a folder, and paths in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name='a.varve'):
        return os.path.join(self.folder, name)

    def fails(self, kind, *words):
        """A context in which an exception of that kind has these words."""
        return self.assertRaisesRegex(kind, '.*'.join(words))
