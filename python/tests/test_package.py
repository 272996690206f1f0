"""test_package.py - Tests the version and the names of the package.

SPDX-License-Identifier: MIT
"""
import importlib.metadata
import os
import unittest

import varve
from varve._native import ffi
from varve.errors import FAMILY_OF, error_of
from varve.options import FEATURES

class Package(unittest.TestCase):

    def test_version_equals_that_of_the_library(self):
        self.assertEqual(varve.__version__,
                         importlib.metadata.version('varve'))

    def test_package_is_typed(self):
        folder = os.path.dirname(varve.__file__)
        self.assertTrue(os.path.exists(os.path.join(folder, 'py.typed')))

    def test_all_exported_names_exist_and_have_docstrings(self):
        for name in varve.__all__:
            self.assertTrue(getattr(varve, name).__doc__, name)

    def test_every_status_has_an_exception_class(self):
        self.assertEqual(set(FAMILY_OF), set(varve.Status) - {0})
        unknown = error_of(99, 'of a later library')
        self.assertEqual((type(unknown), unknown.status), (varve.Error, 99))

    def test_constants_equal_those_of_the_library(self):
        for enum, name in (varve.Status, 'status'), (varve.Kind, 'kind'):
            elements = ffi.typeof('varve_' + name).elements
            for member in enum:
                self.assertEqual(elements[member], 'VARVE_' + member.name)

    def test_options_equal_those_of_the_library(self):
        for struct, kind in (
                ('varve_write_options', varve.WriteOptions),
                ('varve_read_options', varve.ReadOptions),
                ('varve_manager_options', varve.ManagerOptions)):
            for name in set(kind.__annotations__) - {'any_shape'}:
                place = FEATURES.get(name, name.rstrip('_'))
                found = ffi.typeof(struct)
                for field in place.split('.'):
                    fields = dict(found.fields)
                    self.assertIn(field, fields, (struct, place))
                    found = fields[field].type


if __name__ == '__main__':
    unittest.main()
