#!/usr/bin/env python3
"""make_compressed.py - Writes the files in compressed/: TFRecord files
uncompressed and with both compressions of TensorFlow, by Python's gzip and
zlib, and a gzip file with several members, as from `cat a.gz b.gz`.

SPDX-License-Identifier: MIT
"""
import gzip
import pathlib
import struct
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent / 'compressed'


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def masked(data):
    crc = crc32c(data)
    crc = (crc >> 15 | crc << 17) + 0xa282ead8
    return struct.pack('<I', crc & 0xffffffff)


def framed(record):
    length = struct.pack('<Q', len(record))
    return length + masked(length) + record + masked(record)


def main():
    frames = [framed(b'record %d.' % number * (number % 40))
              for number in range(200)]
    plain = b''.join(frames)
    half = len(b''.join(frames[:77])) + 5  # within a record
    FOLDER.mkdir(exist_ok=True)
    for name, data in (
            ('plain', plain),
            ('gzip', gzip.compress(plain, mtime=0)),
            ('zlib', zlib.compress(plain)),
            ('members', gzip.compress(plain[:half], mtime=0) +
             gzip.compress(b'', mtime=0) +
             gzip.compress(plain[half:], 1, mtime=0)),
            ('small', gzip.compress(b''.join(
                map(framed, (b'one', b'', b'three'))), mtime=0)),
            ('empty', gzip.compress(b'', mtime=0))):
        (FOLDER / f'{name}.tfrecord').write_bytes(data)
    # Writes a record of a million bytes several times.
    block = bytes(number * number >> 7 & 255 for number in range(1000)) * 1000
    (FOLDER / 'million.gz').write_bytes(gzip.compress(block, mtime=0))


if __name__ == '__main__':
    main()
