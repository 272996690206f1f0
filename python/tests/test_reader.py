"""test_reader.py - Reads intact and damaged checkpoints.

SPDX-License-Identifier: MIT
"""
import gc
import os
import threading
import unittest

import numpy as np

import varve
from varve._native import ffi, lib
from varve.errors import call
from place import Test


class Looking(Test):

    def setUp(self):
        super().setUp()
        self.large = np.arange(60000, dtype='f4').reshape(200, 300)
        self.tree = {'model': {'layers': [{'w': self.large}, {'w': np.ones(3)}],
                               'name': 'net'}, 'step': 7}
        varve.write(self.tree, self.path(), metadata={
            'step': 7, 'loss': 0.5, 'done': False, 'note': 'hé'})

    def test_the_graph_is_traversed(self):
        with varve.open(self.path()) as file:
            self.assertEqual(file.format, 'varve')
            self.assertEqual(sorted(file), [
                'model/layers/0/w', 'model/layers/1/w', 'model/name', 'step'])
            self.assertEqual(len(file), 4)
            self.assertIn('model/layers', file)
            self.assertNotIn('model/heads', file)
            model = file.root['model']
            self.assertEqual(list(model.edges), ['layers', 'name'])
            self.assertEqual(model['layers'].kind, varve.Kind.LIST)
            self.assertEqual(model['layers']['1']['w'].shape, (3,))
            self.assertEqual(file.metadata, {
                'step': 7, 'loss': 0.5, 'done': False, 'note': 'hé'})
            self.assertEqual(file.size, os.path.getsize(self.path()))
            self.assertTrue(file.has_checksums)
            self.assertEqual(file.left_out, [])
            self.assertEqual(file['step'].read(), 7)
            file.verify()
        with self.assertRaises(ValueError):
            file.digest()

    def test_a_value_that_a_repair_lost_is_an_error(self):
        with varve.open(self.path()) as file:
            node = file['model/layers/1/w']
            node.has_value = False
            with self.fails(varve.NotFoundError,
                            'a.varve: model/layers/1/w: the file has no value'):
                node.read()
            loading = varve.reader.Loading(file, False)
            with self.fails(varve.NotFoundError, 'model/layers/1/w'):
                loading.load(node)

    def test_a_part_is_read(self):
        with varve.open(self.path()) as file:
            node = file['model/layers/0/w']
            for index in (np.s_[3], np.s_[-1, 5], np.s_[10:20, 7:9],
                          np.s_[..., 4], np.s_[:, -3:], np.s_[5:5], np.s_[...],
                          np.s_[1, ..., 2]):
                np.testing.assert_array_equal(node[index], self.large[index])
            for index in np.s_[::2], np.s_[0, 0, 0], np.s_[200]:
                with self.assertRaises(IndexError):
                    node[index]
            for index in np.zeros(200, bool), [0, 1], 1.5:
                with self.fails(IndexError, 'an index must be an integer or'):
                    _ = file['model/layers/0/w'][index]

    def test_mapped_arrays_outlive_the_reader_and_the_file_name(self):
        file = varve.open(self.path())
        array = file['model/layers/0/w'].map()
        row = array[7]
        self.assertFalse(array.flags.writeable)
        self.assertFalse(array.flags.owndata)
        file.close()
        del file, array
        os.remove(self.path())
        gc.collect()
        np.testing.assert_array_equal(row, self.large[7])
        with self.assertRaises(ValueError):
            row[0] = 1

    def test_a_file_replaced_after_open_is_not_mapped(self):
        with varve.open(self.path()) as file:
            varve.write({'other': np.zeros(9)}, self.path())
            with self.fails(varve.MisuseError, 'the file was replaced'):
                file['model/layers/0/w'].map()
            np.testing.assert_array_equal(file['model/layers/0/w'].read(),
                                          self.large)

    def test_compressed_values_are_read_and_not_mapped(self):
        try:
            varve.write({'w': np.zeros(100000)}, self.path(), compress=3)
        except varve.DamagedError:
            self.skipTest('the library was built without libzstd')
        with varve.open(self.path()) as file:
            with self.fails(varve.MisuseError, 'w: ', 'cannot be mapped'):
                file['w'].map()
        self.assertEqual(varve.load(self.path(), map=True)['w'].sum(), 0)

    def test_shared_objects_are_loaded_as_shared(self):
        shared = {'w': np.ones(2)}
        shared['self'] = shared
        varve.write({'a': shared, 'b': shared}, self.path())
        found = varve.load(self.path())
        self.assertIs(found['a'], found['b'])
        self.assertIs(found['a']['self'], found['a'])

    def test_slots_tags_and_global_names(self):
        """Makes them by the functions of C."""
        graph = ffi.gc(lib.varve_graph_new(ffi.NULL), lib.varve_graph_free)
        root = lib.varve_graph_root(graph)
        w = lib.varve_add_allocated_variable(
            root, b'w', lib.VARVE_FLOAT32, lib.varve_shape_of(1, [2]),
            ffi.NULL, ffi.NULL)
        lib.varve_tag(w, b'trainable')
        lib.varve_set_global_name(w, b'net/w')
        adam = lib.varve_add_object(root, b'adam')
        lib.varve_add_slot_like(adam, w, b'm', ffi.NULL, ffi.NULL)
        call(lib.varve_write, root, os.fsencode(self.path()), ffi.NULL)
        with varve.open(self.path()) as file:
            self.assertEqual(file['w'].tags, ['trainable'])
            self.assertEqual(file['w'].global_name, 'net/w')
            slot, = file['adam'].slots
            self.assertEqual((slot.name, slot.variable.path, slot.node.path),
                             ('m', 'w', 'adam/m(w)'))
            self.assertEqual(file['adam/m(w)'].read().tolist(), [0, 0])
        self.assertEqual(list(varve.load(self.path())['adam']), ['m(w)'])

    def test_other_formats(self):
        flat = {'a': {'w': self.large}, 'n': np.arange(3)}
        for name in 'safetensors', 'npz', 'tensorflow', 'tensorflow-names':
            path = self.path('file-' + name)
            varve.write(flat, path, format=name)
            with varve.open(path) as file:
                self.assertEqual(file.format, name)
                np.testing.assert_array_equal(file['a/w'].read(), self.large)
                if file['a/w'].is_mappable:
                    np.testing.assert_array_equal(file['a/w'].map(),
                                                  self.large)
        losses = varve.write({'text': np.array(['abc', 'd'])},
                             self.path('t.safetensors'), format='safetensors')
        self.assertIn('text', dict(losses))

    def test_arrays_of_numpy_are_mapped(self):
        np.save(self.path('a.npy'), self.large)
        with varve.open(self.path('a.npy')) as file:
            self.assertEqual(file.format, 'npy')
            np.testing.assert_array_equal(file['arr_0'].map(), self.large)

    def test_bools_are_read_and_checked_and_not_mapped(self):
        varve.write({'a': np.arange(4) % 2 == 1}, self.path('a.safetensors'),
                    format='safetensors')
        with open(self.path('a.safetensors'), 'r+b') as stream:
            stream.seek(-1, os.SEEK_END)
            stream.write(b'\2')
        with varve.open(self.path('a.safetensors')) as file:
            self.assertFalse(file['a'].is_mappable)
            with self.fails(varve.MisuseError, 'cannot be mapped'):
                file['a'].map()
            for read in file['a'].read, file.verify:
                with self.fails(varve.DamagedError, 'a: ', 'found the byte 2'):
                    read()
        for options in {}, {'map': True}:
            with self.fails(varve.DamagedError, 'a: ', 'found the byte 2'):
                varve.load(self.path('a.safetensors'), **options)

    def test_threads_read_concurrently_while_it_is_closed(self):
        file = varve.open(self.path())
        nodes = [file['model/layers/0/w']] * 4
        sums = []

        def work(node):
            for _ in range(20):
                try:
                    sums.append(node.read().sum())
                except ValueError:
                    return
        threads = [threading.Thread(target=work, args=[n]) for n in nodes]
        for thread in threads:
            thread.start()
        file.close()
        for thread in threads:
            thread.join()
        self.assertTrue(all(s == self.large.sum() for s in sums))


class Damage(Test):

    def damaged(self, offset):
        varve.write({'w': np.arange(50000.0), 'b': np.ones(3)}, self.path())
        with open(self.path(), 'r+b') as stream:
            stream.seek(offset)
            byte = stream.read(1)
            stream.seek(offset)
            stream.write(bytes([byte[0] ^ 1]))

    def test_of_a_value_is_reported_when_it_is_read(self):
        self.damaged(200000)
        with varve.open(self.path()) as file:
            with self.fails(varve.DamagedError, 'w'):
                file['w'].read()
            with self.assertRaises(varve.DamagedError):
                file.verify()
            file['b'].read()
        tree = {'w': np.zeros(50000), 'b': np.zeros(3)}
        with self.assertRaises(varve.DamagedError) as caught:
            varve.restore(tree, self.path())
        self.assertEqual(caught.exception.status, varve.Status.CORRUPT)
        self.assertIn(self.path(), caught.exception.message)
        self.assertEqual(tree['b'].sum() + tree['w'].sum(), 0)
        report = varve.restore(tree, self.path(), salvage=True).report()
        self.assertEqual([f.file_path for f in report.damaged], ['w'])
        self.assertEqual(tree['b'].sum(), 3)

    def test_of_the_header_is_reported(self):
        self.damaged(0)
        with self.assertRaises(varve.DamagedError):
            varve.open(self.path())
        with varve.open(self.path(), salvage=True) as file:
            self.assertEqual(file['b'].read().sum(), 3)

    def test_files_that_are_not_checkpoints(self):
        with open(self.path('empty'), 'wb'):
            pass
        with open(self.path('text'), 'wb') as stream:
            stream.write(b'some words' * 100)
        for name, kind, status in (
                ('gone', varve.NotFoundError, 'NOT_FOUND'),
                ('empty', varve.DamagedError, 'EMPTY_FILE'),
                ('text', varve.DamagedError, 'NOT_A_CHECKPOINT'),
                ('', varve.SystemError, 'IS_DIRECTORY')):
            with self.assertRaises(kind) as caught:
                varve.open(self.path(name))
            self.assertEqual(caught.exception.status.name, status)

    def test_every_truncation_is_reported(self):
        varve.write({'w': np.arange(9.0), 's': 'text'}, self.path())
        with open(self.path(), 'rb') as stream:
            data = stream.read()
        for size in range(0, len(data), 7):
            with open(self.path('cut'), 'wb') as stream:
                stream.write(data[:size])
            with self.assertRaises(varve.Error):
                varve.load(self.path('cut'))


if __name__ == '__main__':
    unittest.main()
