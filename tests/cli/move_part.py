#!/usr/bin/env python3
"""move_part.py - Changes the first value of a checkpoint to the next part of
its whole value.

    move_part.py FROM TO

SPDX-License-Identifier: MIT
"""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from read_format import read_ends, read_index  # noqa: E402
from xxh3 import xxh3_64, xxh3_128  # noqa: E402


def main(source, target):
    data = bytearray(pathlib.Path(source).read_bytes())
    offset, size = read_ends(bytes(data))
    index, pairs = read_index(bytes(data[offset:offset + size]))
    end = offset + next(pair[3] for pair in pairs if pair[0] == 32)
    struct.pack_into('<Q', data, end - 8 * len(index[32]), index[32][0] + 1)
    digest = xxh3_128(bytes(data[offset:offset + size]))
    footer = len(data) - 64
    data[16:32] = data[footer + 16:footer + 32] = digest
    data[footer + 40:footer + 48] = digest[:8]
    struct.pack_into('<Q', data, 56, xxh3_64(bytes(data[:56])))
    struct.pack_into('<Q', data, footer + 48,
                     xxh3_64(bytes(data[footer:footer + 48])))
    pathlib.Path(target).write_bytes(data)


if __name__ == '__main__':
    main(*sys.argv[1:])
