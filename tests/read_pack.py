#!/usr/bin/env python3
"""read_pack.py - Decompresses chunks as specified in docs/format.md, with
libzstd.

SPDX-License-Identifier: MIT
"""
import ctypes
import ctypes.util
import functools

CHUNK = 1 << 20


@functools.lru_cache(maxsize=None)
def find_zstd():
    """Returns the library; None if it is not installed."""
    try:
        zstd = ctypes.CDLL(ctypes.util.find_library('zstd') or 'libzstd.so.1')
    except OSError:
        return None
    for function in zstd.ZSTD_decompress, zstd.ZSTD_findFrameCompressedSize:
        function.restype = ctypes.c_size_t
    zstd.ZSTD_getFrameContentSize.restype = ctypes.c_uint64
    return zstd


def unzstd(frame, size):
    """Returns the content of a Zstandard frame that contains its size; None if
    it is not a valid frame."""
    zstd = find_zstd()
    if zstd is None:
        raise NotImplementedError('decompression requires libzstd')
    length = ctypes.c_size_t(len(frame))
    if (frame[:4] != b'\x28\xb5\x2f\xfd' or
            zstd.ZSTD_getFrameContentSize(frame, length) != size or
            zstd.ZSTD_getDictID_fromFrame(frame, length) != 0 or
            zstd.ZSTD_findFrameCompressedSize(frame, length) != len(frame)):
        return None
    out = ctypes.create_string_buffer(size)
    found = zstd.ZSTD_decompress(out, ctypes.c_size_t(size), frame, length)
    return out.raw if found == size else None


def unpack(frame, size, planes):
    packed = unzstd(frame, size)
    if packed is None:
        return None
    count = size // planes
    plain = bytearray(packed)
    for i in range(planes):
        plain[i:count * planes:planes] = packed[i * count:(i + 1) * count]
    return plain


def is_place(layer_size, offset, length, pack):
    """Returns true if the place of a chunk of this size is valid."""
    size, plain, skip, planes = pack
    if size == 0:
        return (plain == skip == planes == 0 and
                64 <= offset <= offset + length <= layer_size)
    end = skip + length
    return (64 <= offset <= offset + size <= layer_size and
            4096 <= plain <= CHUNK and size <= plain - plain // 16 and
            planes in (1, 2, 4, 8) and end <= plain and skip % 4096 == 0 and
            (end % 4096 == 0 or end == plain))


def read_place(layer, offset, length, pack):
    """Returns the bytes of a compressed chunk; None if its frame is not
    valid."""
    size, plain, skip, planes = pack
    out = unpack(layer[offset:offset + size], plain, planes)
    return out and out[skip:skip + length]
