"""strings.py - Converts tensors of byte strings between files, the library and
Python.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, List, Optional, Tuple, Union

import numpy as np

from ._native import ffi


def from_file(data: bytes, array: np.ndarray) -> bool:
    """Converts strings in the layout of a file: all lengths, then all bytes.
    Returns False if these do not fit together.

    >>> array = np.empty((), object)
    >>> from_file(bytes([2] + 7 * [0]) + b'ab', array), array.item()
    (True, b'ab')
    """
    sizes = np.frombuffer(data, '<u8', count=array.size)
    begin, flat = 8 * array.size, array.reshape(-1)
    for i, size in enumerate(sizes.tolist()):
        flat[i] = data[begin:begin + size]
        begin += size
    return begin == len(data)


def path_bytes(path: str) -> bytes:
    """Encodes a path that is looked up. A path that UTF-8 cannot encode, or
    with a NUL, is in no file."""
    return path.encode('utf-8', 'surrogatepass').replace(b'\0', b'\xff')


def is_valid(value: str) -> bool:
    """True if UTF-8 can encode the string: it has no lone surrogate."""
    try:
        value.encode('utf-8')
    except UnicodeEncodeError:
        return False
    return True


def check_text(value: Union[str, bytes], where: str = '') -> None:
    """Raises a TypeError whose message follows a path."""
    if isinstance(value, str) and not is_valid(value):
        raise TypeError(f'cannot save the string {value[:40]!r}{where}, which '
                        'has a lone surrogate; save bytes, for example '
                        "encode('utf-8', 'surrogatepass')")


def check_characters(array: np.ndarray) -> None:
    """The same for an array of 4-byte characters."""
    codes = np.ascontiguousarray(array, array.dtype.newbyteorder('='))
    codes = codes.reshape(-1).view(np.uint32)
    is_bad = (codes >> 11 == 0xd800 >> 11) | (codes > 0x10ffff)
    if is_bad.any():
        at = int(is_bad.argmax())
        raise TypeError(f'cannot save the character {codes[at]:#x} in element '
                        f'{at * 4 // array.itemsize}, which UTF-8 cannot '
                        'encode')


def obstacle(value: Union[str, bytes], of: np.dtype) -> Optional[str]:
    """Describes the strings that a fixed-width array can contain, if this one
    does not fit."""
    if of.kind == 'U' and isinstance(value, bytes):
        return 'strings of UTF-8'
    width = of.itemsize // (4 if of.kind == 'U' else 1)
    if len(value) > width:
        unit = 'characters' if of.kind == 'U' else 'bytes'
        return f'strings of up to {width} {unit}'
    is_cut = value[-1:] in ('\0', b'\0')  # NumPy removes trailing NULs
    return 'strings with no NUL at their end' if is_cut else None


def encoded(value: Union[str, bytes]) -> bytes:
    return value.encode('utf-8') if isinstance(value, str) else bytes(value)


def to_library(values: List[Union[str, bytes]]) -> Tuple[Any, List[Any]]:
    """Returns an array of varve_string, and objects that must be kept with
    it."""
    array = ffi.new('varve_string[]', max(len(values), 1))
    kept = [ffi.from_buffer('char[]', encoded(value)) for value in values]
    for item, chars in zip(array, kept):
        item.data, item.size = chars, len(chars)
    return array, kept


def decoded(data: bytes, is_text: bool) -> Union[str, bytes]:
    """Returns str if the bytes are valid UTF-8 and text is wanted."""
    try:
        return data.decode('utf-8') if is_text else data
    except UnicodeDecodeError:
        return data


def like(strings: np.ndarray, array: np.ndarray) -> List[Union[str, bytes]]:
    """Returns bytes as elements of a fixed-width array."""
    return [decoded(data, array.dtype.kind == 'U')
            for data in strings.reshape(-1)]


def from_library(item: Any, is_text: bool) -> Union[str, bytes]:
    """Converts a varve_string; to str if text is wanted and it is valid
    UTF-8."""
    data = bytes(ffi.buffer(item.data, item.size)) if item.size else b''
    return decoded(data, is_text)
