"""test_hostile.py - Reads damaged and malicious files. Each access returns a
value or raises a varve.Error: never another exception, a crash or an endless
wait.

Mutations with correct checksums come from the program in VARVE_MUTATIONS
(tests/fuzz/two_readers.c), and files with one defect each from the program in
VARVE_CORRUPT (tests/corrupt). Without these only the files made here are read.

SPDX-License-Identifier: MIT
"""
import faulthandler
import itertools
import os
import pathlib
import random
import struct
import subprocess
import sys
import unittest

import numpy as np

import varve
from place import Test

TESTS = pathlib.Path(__file__).resolve().parents[2] / 'tests'
LONGEST = 300  # seconds, for a busy machine
MUTATIONS = 3000
MOST_BYTES = 1 << 16


class Model:
    """An object of a program."""

    def __init__(self):
        self.kernel = np.ones((2, 3), 'f4')
        self.late = np.zeros(0)


def tree():
    """Returns a tree with names of the files and values that may not fit."""
    return {'model': Model(), 'w': np.zeros(3), 'step': 0, 'opt': {'step': 1},
            'names': [np.array(['a', 'b']), 'text'], 'self': {'count': 2.5},
            'owner': np.zeros(2, object), 'deep': [[]], 'large': 1, 'b': b'x'}


def looks_at_reader(reader):
    """Yields all methods of a reader as calls."""
    yield reader.verify
    yield reader.digest
    yield lambda: (reader.metadata, reader.counter, len(reader), list(reader))
    for node in reader.walk():
        yield lambda node=node: (node.edges, node.slots, node.tags, repr(node))
        yield lambda node=node: reader.find(node.path)
        yield node.read
        yield lambda node=node: node[...]
        yield lambda node=node: node[:1]
        yield lambda node=node: node[0, ..., -1]
        yield lambda node=node: node.map().tobytes()
        yield lambda node=node: np.asarray(node)


def looks(path):
    """Yields all functions that read a file as calls."""
    yield lambda: varve.load(path)
    yield lambda: varve.load(path, map=True)
    for options in {}, {'any_shape': True}, {'salvage': True}:
        yield lambda: varve.restore(tree(), path, **options).pending_count
    yield lambda: str(varve.dry_run(tree(), path).report())
    yield lambda: varve.Checkpoint(model=Model()).restore(path)


class Hostile(Test):
    """Damaged and malicious files."""

    def setUp(self):
        super().setUp()
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        self.count = self.refused = 0

    def try_it(self, look, name):
        """Returns the result; None if the access was rejected."""
        try:
            return look()
        except (varve.Error, IndexError) as error:
            self.refused += 1
            # An index out of range is an IndexError, as for any array.
            if not isinstance(error, varve.Error):
                self.assertRegex(str(error), 'indices|step|range|not an array',
                                 name)
        except Exception as error:
            raise AssertionError(f'{name}: {type(error).__name__}') from error
        return None

    def look(self, path, name):
        for look in looks(path):
            self.try_it(look, name)
        for salvage in False, True:
            reader = self.try_it(
                lambda: varve.open(path, salvage=salvage), name)  # noqa: B023
            for look in looks_at_reader(reader) if reader else ():
                self.try_it(look, name)
            if reader:
                reader.close()
        self.count += 1

    def look_at_bytes(self, data, name):
        path = self.path('hostile.varve')
        pathlib.Path(path).write_bytes(data)
        self.look(path, name)

    @unittest.skipUnless(TESTS.is_dir(), 'the files are in the repository')
    def test_corpus(self):
        for folder in 'index', 'reader', 'restore', 'layers', 'gguf', 'npy', \
                'torch', 'onnx', 'flax':
            for path in sorted((TESTS / 'fuzz/corpus' / folder).iterdir()):
                self.look_at_bytes(path.read_bytes(), path)
        self.assertGreater(self.count, 300)

    @unittest.skipUnless(TESTS.is_dir(), 'the files are in the repository')
    def test_modified_files(self):
        """Files of all formats with one changed bit, or truncated."""
        chance = random.Random(7)
        files = [path for path in sorted(TESTS.glob('golden/**/*'))
                 if path.is_file() and path.stat().st_size <= MOST_BYTES and
                 path.suffix in ('.varve', '.npy', '.npz', '.gguf', '.pt',
                                 '.onnx', '.msgpack', '.safetensors')]
        for path in files:
            whole = path.read_bytes()
            for _ in range(8):
                data = bytearray(whole)
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
                self.look_at_bytes(data, path)
            self.look_at_bytes(whole[:chance.randrange(len(whole))], path)
        self.assertGreater(self.count, 300)

    @unittest.skipUnless(os.environ.get('VARVE_CORRUPT'), 'no program')
    def test_files_with_one_defect_each(self):
        """The name of each file begins with the expected status."""
        subprocess.run([os.environ['VARVE_CORRUPT']], check=True,
                       stderr=subprocess.DEVNULL,
                       env=dict(os.environ, VARVE_DEFECTS=self.folder))
        for path in sorted(pathlib.Path(self.folder).iterdir()):
            with self.assertRaises((varve.DamagedError,
                                    varve.UnsupportedError)) as refused:
                varve.open(path)
            status = varve.Status[path.name.partition('-')[0][len('VARVE_'):]]
            self.assertEqual(refused.exception.status, status, path)
            self.look(path, path)
        self.assertGreater(self.count, 30)

    @unittest.skipUnless(os.environ.get('VARVE_MUTATIONS'), 'no program')
    def test_mutations_with_correct_checksums(self):
        seeds = [str(path) for path in itertools.chain(
            TESTS.glob('golden/*.varve'), TESTS.glob('fuzz/corpus/reader/*'))]
        with subprocess.Popen(
                [os.environ['VARVE_MUTATIONS'], str(MUTATIONS), *sorted(seeds)],
                stdout=subprocess.PIPE) as program:
            for number, data in enumerate(parts(program.stdout)):
                self.look_at_bytes(data, f'file {number}')
        self.assertEqual(program.returncode, 0)
        self.assertGreater(self.count, MUTATIONS)
        self.assertGreater(self.refused, MUTATIONS)


class Bent(Test):
    """Tests the checks that only this package makes."""

    @unittest.skipUnless(TESTS.is_dir(), 'sums are in the repository')
    def test_shapes_that_numpy_does_not_support(self):
        varve.write({'z': np.zeros((0, 4))}, self.path())
        path = self.path('bent.varve')
        bend(self.path(), path, struct.pack('<2Q', 0, 4),
             struct.pack('<2Q', 0, 2**63))
        with varve.open(path) as reader:
            self.assertEqual(reader['z'].shape, (0, 2**63))
            for look in reader['z'].read, reader['z'].map, reader.load:
                with self.fails(varve.MisuseError, 'z: NumPy does not support ',
                                r'the shape of float64\[0, 9'):
                    look()
        with self.fails(varve.StoppedError, 'z: its callback that makes room',
                        'VARVE_LIMIT'):
            varve.restore({'z': np.zeros((0, 4))}, path, any_shape=True)

    @unittest.skipUnless(TESTS.is_dir(), 'sums are in the repository')
    def test_array_sizes_beyond_the_end_of_the_file(self):
        varve.write({'z': np.zeros(300), 'step': 1}, self.path())
        path = self.path('bent.varve')
        bend(self.path(), path, struct.pack('<Q', 300),
             struct.pack('<Q', 2**58))
        with self.fails(varve.DamagedError, path):
            varve.load(path)

    @unittest.skipUnless(TESTS.is_dir(), 'sums are in the repository')
    def test_invalid_string_lengths(self):
        varve.write({'s': np.array(['abc', 'd'], object)}, self.path())
        path = self.path('bent.varve')
        good = struct.pack('<2Q', 3, 1) + b'abcd'
        for lengths in (3, 2), (2, 1), (2**64 - 1, 5):
            bend(self.path(), path, good,
                 struct.pack('<2Q', *lengths) + b'abcd', is_value=True)
            for look in varve.load, lambda path: varve.open(path)['s'].read():
                with self.fails(varve.DamagedError, 's: damaged: the lengths'):
                    look(path)
            with self.fails(varve.DamagedError, 's'):
                varve.restore({'s': np.array(['', ''], object)}, path)

    def test_a_node_without_a_value(self):
        varve.write({'a': {'w': 1.0}}, self.path())
        with varve.open(self.path()) as reader:
            with self.fails(varve.NotFoundError, 'has no value'):
                reader.root.read()


class Names(Test):
    """Paths and texts with NUL or lone surrogates."""

    def test_invalid_file_paths_are_refused(self):
        varve.write({'w': 1}, self.path('a'))
        tree = {'w': 2}
        for end in '\0b', '\ud800':
            path = self.path('a') + end
            for call in (varve.open, varve.load, varve.latest,
                         lambda path: varve.write(tree, path),
                         lambda path: varve.save(tree, path),
                         lambda path: varve.read(tree, path),
                         lambda path: varve.restore(tree, path),
                         lambda path: varve.dry_run(tree, path),
                         lambda path: varve.Manager(
                             varve.Checkpoint(w=1), path),
                         lambda path: varve.write(
                             tree, self.path('c'), incremental=True,
                             base=path)):
                with self.fails(varve.MisuseError, 'invalid path .*/a.*must '
                                'not contain NUL'):
                    call(path)
        self.assertEqual(os.listdir(self.folder), ['a'])
        self.assertEqual(varve.load(self.path('a')), {'w': 1})
        self.assertEqual(tree, {'w': 2})

    def test_options_with_nul_are_refused(self):
        varve.write({'w': 1}, self.path())
        for options in {'subtree': 'w\0'}, {'only': ['w\0']}, {
                'renames': {'w': 'x\0'}}:
            with self.fails(varve.MisuseError, 'must not contain NUL'):
                varve.restore({'w': 1}, self.path(), **options)
        for metadata in {'a\0': 1}, {'a': 'b\0'}:
            with self.fails(varve.MisuseError, 'must not contain NUL'):
                varve.write({'w': 1}, self.path(), metadata=metadata)

    def test_lookups_of_invalid_names_find_nothing(self):
        varve.write({'w': 1}, self.path(), metadata={'step': 1})
        for end in '\0', '\0b', '\ud800':
            with varve.open(self.path()) as reader:
                self.assertNotIn('w' + end, reader)
                with self.fails(varve.NotFoundError, 'no node at'):
                    reader.find('w' + end)
            with varve.restore({'w': 1}, self.path()) as restoration:
                self.assertIsNone(restoration.metadata('step' + end))


def bend(path, to, old, new, is_value=False):
    """Replaces bytes that occur once, and corrects the checksums."""
    sys.path.insert(0, str(TESTS))
    try:
        from test_read_format import reseal  # pylint: disable=C0415
        from xxh3 import xxh3_128  # pylint: disable=C0415
    finally:
        sys.path.pop(0)
    data = pathlib.Path(path).read_bytes()
    assert data.count(old) == 1, data.count(old)
    data = data.replace(old, new)
    if is_value:
        data = data.replace(xxh3_128(old), xxh3_128(new))
    pathlib.Path(to).write_bytes(reseal(bytearray(data)))


def parts(stream):
    """Yields the files, without the result of the library after each."""
    while head := stream.read(4):
        data = stream.read(struct.unpack('<I', head)[0])
        stream.read(struct.unpack('<I', stream.read(4))[0])
        yield data


if __name__ == '__main__':
    unittest.main()
