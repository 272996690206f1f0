#!/usr/bin/env python3
"""read_layers.py - Reads the data of an incremental checkpoint from its data
files, as specified in docs/format.md. Data is assembled only on request, since
a small index may refer to large amounts of data.

SPDX-License-Identifier: MIT
"""
import bisect
import itertools
import os
import struct

from read_cbor import Damage, demand
from read_pack import is_place, read_place
from xxh3 import xxh3_64

MAGIC = b'\x89VRD\r\n\x1a\n'
END_MAGIC = b'VRD\x89end\n'
ZEROS = (1 << 32) - 1


def layers_of(path):
    """Returns a function that reads the data files of the checkpoint at a
    path."""
    folder = os.path.join(os.path.dirname(path), 'layers')

    def open_layer(name):
        path = os.path.join(folder, name)
        demand(not os.path.exists(path) or os.path.isfile(path),
               f'{path} as a file')
        try:
            with open(path, 'rb') as stream:
                return stream.read()
        except FileNotFoundError:
            raise Damage('VARVE_TRUNCATED', f'the layer {path}') from None

    return open_layer


def read_layer(data, nonce, size):
    demand(len(data) >= size, 'a longer layer', 'VARVE_TRUNCATED')
    demand(len(data) == size and size >= 128, 'a layer of another size')
    header = MAGIC + struct.pack('<II', 1, 0) + nonce + bytes(24)
    demand(data[:56] == header, 'header of a layer')
    demand(data[56:64] == struct.pack('<Q', xxh3_64(header)), 'its checksum')
    is_unsynced = data[-40] == 1
    footer = nonce + struct.pack('<QI', size, is_unsynced) + bytes(20)
    demand(data[-64:-16] == footer, 'footer of a layer')
    demand(data[-16:] == struct.pack('<Q', xxh3_64(footer)) + END_MAGIC,
           'checksum and magic of it')
    return data


def packs_of(index):
    if not index[22]:
        demand(not is_inside(index), 'packed sizes')
        return [(0, 0, 0, 0)] * len(index[19])
    demand(len(index[22]) == len(index[19]) and
           (is_inside(index) or any(index[22])),
           'a packed place')
    return list(zip(index[22], index[23], index[24], index[25]))


def nonces_of(index):
    return [index[17][i:i + 16] for i in range(0, len(index[17]), 16)]


def is_inside(index):
    """Returns true if all data is in the file itself."""
    return nonces_of(index) == [bytes(16)]


def places_of(index, end):
    """Returns pairs of a range of the data, up to `end`, and data file,
    offset and compression."""
    return list(zip(zip(index[19], [*index[19][1:], end]),
                    zip(index[20], index[21], packs_of(index))))


def check_layers(index, end, file_end):
    """Checks the rules that require no data file. The data in the file ends
    at `file_end`."""
    nonces = nonces_of(index)
    demand(len(nonces) <= 256 and len(set(nonces)) == len(nonces),
           'up to 256 layers, each once')
    demand(all(128 <= size < 1 << 63 for size in index[18]) or
           is_inside(index), 'sizes of layers')
    demand(index[18][0] == file_end if is_inside(index) else file_end == 64,
           'a data file up to the index, or the index after the header')
    demand(index[19][0] == 64, 'a place from 64 on')
    seen = 0
    footer = 0 if is_inside(index) else 64
    for (begin, behind), (layer, offset, pack) in places_of(index, end):
        demand(begin < behind, 'increasing places')
        if layer == ZEROS:
            demand(offset == 0 and not any(pack), 'zeros at 0')
            continue
        demand(layer <= seen and layer < len(nonces), 'layers in order')
        demand(is_place(index[18][layer] - footer, offset, behind - begin,
                        pack), 'a place, or part of a frame, in its layer')
        seen = max(seen, layer + 1)
    demand(seen == len(nonces), 'each layer named')


def open_layers(index, open_layer, inside):
    """Returns the bytes of each data file; `inside` are those in the file."""
    if is_inside(index):
        return [inside]
    demand(open_layer, 'layers', 'VARVE_TRUNCATED')
    return [read_layer(open_layer(nonce.hex() + '.data'), nonce, size)
            for nonce, size in zip(nonces_of(index), index[18])]


class Layered:
    """Gives access to the data as if it followed the header, up to `end`, by
    slicing."""

    def __init__(self, index, open_layer, inside, end):
        self.layers = open_layers(index, open_layer, inside)
        self.places = places_of(index, end)
        self.begins = index[19]
        self.end = end
        self.unpacked = None, b''  # the range that was decompressed last

    def unpack(self, number):
        (begin, end), (layer, offset, pack) = self.places[number]
        if self.unpacked[0] != number:
            place = read_place(self.layers[layer], offset, end - begin, pack)
            demand(place is not None, 'a frame of a place')
            self.unpacked = number, place
        return self.unpacked[1]

    def part_of(self, number, begin, end):
        (first, _), (layer, offset, pack) = self.places[number]
        if layer == ZEROS:
            return bytes(end - begin)
        if any(pack):
            return self.unpack(number)[begin - first:end - first]
        return self.layers[layer][offset + begin - first:offset + end - first]

    def __getitem__(self, wanted):
        at, end = wanted.start, min(wanted.stop, self.end)
        parts = []
        for number in itertools.count(bisect.bisect_right(self.begins, at) - 1):
            if at >= end:
                return b''.join(parts)
            behind = min(end, self.places[number][0][1])
            parts.append(self.part_of(number, at, behind))
            at = behind
