"""strings.py - tensors of byte strings, as files and as the library have them.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, List, Tuple, Union

import numpy as np

from ._native import ffi


def from_file(data: bytes, shape: Tuple[int, ...]) -> np.ndarray:
    """Strings as they lie in a file: all lengths, then all bytes.

    >>> from_file(bytes([2] + 7 * [0]) + b'ab', ()).item()
    b'ab'
    """
    array = np.empty(shape, object)
    sizes = np.frombuffer(data, '<u8', count=array.size)
    begin, flat = 8 * array.size, array.reshape(-1)
    for i, size in enumerate(sizes.tolist()):
        flat[i] = data[begin:begin + size]
        begin += size
    return array


def encoded(value: Union[str, bytes]) -> bytes:
    return value.encode('utf-8') if isinstance(value, str) else bytes(value)


def to_library(values: List[Union[str, bytes]]) -> Tuple[Any, List[Any]]:
    """An array of varve_string, and what has to be kept beside it."""
    array = ffi.new('varve_string[]', max(len(values), 1))
    kept = [ffi.from_buffer('char[]', encoded(value)) for value in values]
    for item, chars in zip(array, kept):
        item.data, item.size = chars, len(chars)
    return array, kept


def from_library(item: Any, like: Any) -> Union[str, bytes]:
    """A varve_string, as str in the place of a str, if it is UTF-8."""
    data = bytes(ffi.buffer(item.data, item.size)) if item.size else b''
    if not isinstance(like, str):
        return data
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError:
        return data
