#!/usr/bin/env python3
"""test_read_format.py - Tests that the independent reader reads the files of
tests/golden, detects damage in them, and prints what golden/README.md shows.

SPDX-License-Identifier: MIT
"""
import hashlib
import pathlib
import re
import struct
import tempfile
import unittest

import read_cbor
import read_format
import read_pack
import xxh3

TESTS = pathlib.Path(__file__).resolve().parent
GOLDEN = TESTS / 'golden'
DOCUMENT = TESTS.parent / 'docs' / 'format.md'
HEADER = TESTS.parent / 'include' / 'varve' / 'tensor.h'


def golden(name):
    return (GOLDEN / name).read_bytes()


def reseal(data):
    """Returns the file with recomputed digests of its index."""
    offset, = struct.unpack_from('<Q', data, len(data) - 64)
    digest = xxh3.xxh3_128(bytes(data[offset:-64]))
    header = bytes(data[:16]) + digest + bytes(24)
    footer = bytes(data[-64:-48]) + digest + bytes(data[-32:-24]) + digest[:8]
    return (header + struct.pack('<Q', xxh3.xxh3_64(header)) +
            bytes(data[64:-64]) + footer +
            struct.pack('<Q', xxh3.xxh3_64(footer)) + bytes(data[-8:]))


class Reader(unittest.TestCase):
    def refuse(self, data, what):
        with self.assertRaises(read_format.Damage, msg=what):
            read_format.read(bytes(data))

    def test_reads_the_smallest_file(self):
        content = read_format.read(golden('version-1-smallest.varve'))
        self.assertEqual(content['items'], [])
        self.assertEqual([o['kind'] for o in content['objects']], ['object'])

    def test_reads_incremental_checkpoints(self):
        def open_layer(name):
            return golden('layers/' + name)

        data = golden('version-1-layers.varve')
        large, step = read_format.read(data, open_layer)['items']
        self.assertEqual(large['path'], 'large')
        self.assertEqual(large['bytes'], 4 * 16400)
        self.assertEqual(step['bytes'], 8)
        for end in 63, -1:
            def open_shorter(name, end=end):
                return open_layer(name)[:end]
            with self.assertRaises(read_format.Damage):
                read_format.read(data, open_shorter)

    def test_reports_the_missing_data_file(self):
        for arguments in [str(GOLDEN / 'none' / 'file')], []:
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, 'copy.varve')
                path.write_bytes(golden('version-1-layers.varve'))
                arguments = arguments or [str(path)]
                with self.assertRaises(SystemExit) as ended:
                    read_format.main(arguments)
            self.assertIn(arguments[0], ended.exception.code)
        self.assertIn('VARVE_TRUNCATED: expected: the layer',
                      ended.exception.code)

    def test_checks_every_size(self):
        data = bytearray(golden('version-1-layers.varve'))
        for old, new in ((65600, 8), (2**50, 8)), ((16400, ), (2**48, )):
            at = data.index(struct.pack(f'<{len(old)}Q', *old))
            struct.pack_into(f'<{len(old)}Q', data, at, *new)
        self.refuse(reseal(data), '1 PiB')

    @unittest.skipUnless(read_pack.find_zstd(), 'libzstd is not installed')
    def test_reads_compressed_values(self):
        data = golden('version-1-packed.varve')
        items = {item['path']: item
                 for item in read_format.read(data)['items']}
        weights = b''.join(struct.pack('<f', i / 1024) for i in range(1500))
        self.assertEqual(items['weights']['sha256'],
                         hashlib.sha256(weights).hexdigest())
        self.assertLess(len(data), len(weights) + 5000 - 3000)
        at = data.index(b'\x28\xb5\x2f\xfd')
        self.refuse(data[:at] + b'x' + data[at + 1:], 'another magic')

    def test_assembles_values_stored_in_pieces(self):
        grid, row, _ = read_format.read(
            golden('version-1-pieces.varve'))['items']
        numbers = struct.pack('<49f', *range(49))
        squares = struct.pack(
            '<1000H', *(i * i % 65536 for i in range(1000)))
        self.assertEqual(grid['sha256'], hashlib.sha256(numbers).hexdigest())
        self.assertEqual(row['sha256'], hashlib.sha256(squares).hexdigest())

    def test_refuses_invalid_pieces(self):
        data = golden('version-1-pieces.varve')
        boxes = struct.pack('<20Q', 0, 0, 3, 4, 0, 4, 4, 3, 3, 0, 4, 3,
                            3, 3, 1, 1, 4, 3, 3, 4)
        begin = data.index(boxes)
        self.assertEqual(read_format.read(reseal(data))['items'][0]['bytes'],
                         196)
        for place, number, what in (
                (2, 2, 'elements in no box'), (3, 5, 'elements in two'),
                (10, 5, 'a box beyond the shape'), (14, 0, 'no elements'),
                (8, 4, 'boxes that are not sorted')):
            changed = bytearray(data)
            struct.pack_into('<Q', changed, begin + 8 * place, number)
            self.refuse(reseal(changed), what)
        at = data.index(struct.pack('<2I', 5, 7))
        for end in 1, 6, 8:
            changed = bytearray(data)
            struct.pack_into('<I', changed, at, end)
            self.refuse(reseal(changed), f'{end} pieces')

    def test_reads_every_feature_of_the_format(self):
        wide = read_format.read(golden('version-1-wide.varve'))
        content = read_format.read(golden('version-1.varve'))
        for item, early in zip(content['items'], wide['items']):
            self.assertEqual({**early, 'offset': item['offset']}, item)
        self.assertEqual(content['counter'], 12000)
        self.assertEqual(content['metadata']['loss'], -2**63)
        self.assertEqual(content['metadata']['lr'], 0.125)
        items = {item['path']: item for item in content['items']}
        self.assertEqual(len(items), 9)
        self.assertEqual(items['model/layers/1']['shape'], [180, 186])
        self.assertEqual(items['model/layers/1']['bytes'], 66960)
        self.assertEqual(items['names/ke%2Fy ü']['dtype'], 'string')
        self.assertFalse(items['opt/m(model/layers/1)']['saved'])
        slots = content['objects'][3]['slots']
        self.assertEqual(
            slots[1], {'name': 'slots', 'variable': 9, 'node': 12})
        self.assertEqual(content['objects'][9]['tags'], ['trainable'])

    def test_has_the_element_types_of_the_header_and_the_document(self):
        header = {int(number): name.lower() for name, number in re.findall(
            r'^    VARVE_(\w+) = (\d+)', HEADER.read_text(), re.M)}
        table = DOCUMENT.read_text().split('| number | type | bytes |')[1]
        document = {}
        for row in table.split('\n\n')[0].split('\n')[2:]:
            columns = [cell.strip().split(', ') for cell in row.split('|')]
            for number, name, size in zip(*columns[1:4]):
                document[int(number)] = name, size
        own = {number: (name, 'varies' if name == 'string' else str(size))
               for number, (name, size) in enumerate(read_format.TYPES[1:], 1)}
        self.assertEqual({n: name for n, (name, _) in own.items()}, header)
        self.assertEqual(own, document)

    def test_refuses_every_flipped_bit_of_the_smallest_file(self):
        data = bytearray(golden('version-1-smallest.varve'))
        for bit in range(8 * len(data)):
            data[bit // 8] ^= 1 << bit % 8
            self.refuse(data, f'bit {bit}')
            data[bit // 8] ^= 1 << bit % 8

    def test_refuses_a_flipped_bit_in_every_part(self):
        data = bytearray(golden('version-1.varve'))
        for byte in [*range(0, 300, 7), *range(2000, len(data), 997)]:
            data[byte] ^= 16
            self.refuse(data, f'byte {byte}')
            data[byte] ^= 16

    def test_refuses_every_truncation(self):
        data = golden('version-1-smallest.varve')
        for size in range(len(data)):
            self.refuse(data[:size], f'{size} bytes')


class Skipped(unittest.TestCase):
    def test_checks_the_cbor_rules(self):
        good = (b'\xa2\x01\x00\x02\x00', b'\xa2\x0a\x00\x19\x01\x00\x00',
                b'\xa2\x81\x01\x00\x82\x00\x00\x00', b'\x82\xa0\xa0',
                64 * b'\xa1\x00' + b'\xa0', 100000 * b'\x81' + b'\x00')
        bad = (b'\xa2\x02\x00\x01\x00', b'\xa2\x01\x00\x01\x00',
               b'\xa1\xa2\x02\x00\x01\x00\x00', 65 * b'\xa1\x00' + b'\x00',
               b'\xa2\xa1\x02\x00\x00\xa1\x01\x00\x00', b'\x82\x00')
        for data in good:
            cbor = read_cbor.Cbor(data)
            cbor.skip()
            self.assertEqual(cbor.at, len(data))
        for data in bad:
            with self.assertRaises(read_cbor.Damage, msg=data):
                read_cbor.Cbor(data).skip()


class Document(unittest.TestCase):
    def test_shows_the_bytes_of_the_smallest_file(self):
        document = (GOLDEN / 'README.md').read_text(encoding='utf-8')
        dump = '\n'.join(
            read_format.dump(golden('version-1-smallest.varve')))
        self.assertIn(f'```\n{dump}\n```\n', document)


class Xxh3(unittest.TestCase):
    # Digests of 0, 1, ... size - 1, modulo 256, by the reference
    # implementation.
    VECTORS = {
        0: ('2d06800538d394c2',
            '99aa06d3014798d86001c324468d497f'),
        1: ('c44bdff4074eecdb',
            'a6cd5e9392000f6ac44bdff4074eecdb'),
        3: ('5f4299fc161c9cbb',
            'e3b55f57945a17cf5f4299fc161c9cbb'),
        4: ('60dab036a58211f2',
            'eb70bf5fc779e9e6a6111d53e80a3db5'),
        8: ('3a1c2d7c85af88f8',
            'e1e4432a62217fe4cfd50c61c8bb98c1'),
        9: ('e9612598145bb9dc',
            '16c769d83e4aebce907931979dca3746'),
        16: ('8355e3a6f61770db',
            '72950631827607e2842812cc870dcae2'),
        17: ('9ef341a99de37328',
            '685bc458b37d057fc06e233df7729217'),
        128: ('85c6174c7ff4c46b',
            '14792fc3af88dc6c05321a0b64d67b41'),
        129: ('ec7642b431ba3e5a',
            'dd5e74ac6b45f54ebc30b63382b09a3b'),
        240: ('375a384d957fe865',
            '65b5be86da5540e7c92b68e16f83bbb6'),
        241: ('02e8cd95421c6d02',
            '1da1cb61bcb8a2a102e8cd95421c6d02'),
        1024: ('a870f92984398d22',
            '83885e853bb6640ca870f92984398d22'),
        1025: ('78c86e91ee939852',
            'e1e508f110763b4678c86e91ee939852'),
        4999: ('9b18f31869b4719a',
            '627ca3eb848f66a29b18f31869b4719a'),
    }

    def test_agrees_with_the_reference(self):
        for size, (short, long) in self.VECTORS.items():
            data = bytes(i & 255 for i in range(size))
            self.assertEqual(f'{xxh3.own_xxh3_64(data):016x}', short, size)
            self.assertEqual(xxh3.own_xxh3_128(data).hex(), long, size)


if __name__ == '__main__':
    unittest.main()
