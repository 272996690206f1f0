"""strings.py - tensors of byte strings, as files and as the library have them.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, List, Optional, Tuple, Union

import numpy as np

from ._native import ffi


def from_file(data: bytes, array: np.ndarray) -> bool:
    """Strings as they lie in a file: all lengths, then all bytes. False where
    these do not fit together.

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
    """A path that is looked up. What UTF-8 has not is in no file, and neither
    is a NUL."""
    return path.encode('utf-8', 'surrogatepass').replace(b'\0', b'\xff')


def is_valid(value: str) -> bool:
    """Whether UTF-8 has it: it has no half of a pair."""
    try:
        value.encode('utf-8')
    except UnicodeEncodeError:
        return False
    return True


def check_text(value: Union[str, bytes], where: str = '') -> None:
    """Raises TypeError, in words that follow a path."""
    if isinstance(value, str) and not is_valid(value):
        raise TypeError(f'cannot save the string {value[:40]!r}{where}, which '
                        'has a lone surrogate; save bytes, for example '
                        "encode('utf-8', 'surrogatepass')")


def check_characters(array: np.ndarray) -> None:
    """The same for an array of characters of 4 bytes each."""
    codes = np.ascontiguousarray(array, array.dtype.newbyteorder('='))
    codes = codes.reshape(-1).view(np.uint32)
    is_bad = (codes >> 11 == 0xd800 >> 11) | (codes > 0x10ffff)
    if is_bad.any():
        at = int(is_bad.argmax())
        raise TypeError(f'cannot save the character {codes[at]:#x} in element '
                        f'{at * 4 // array.itemsize}, which UTF-8 cannot '
                        'encode')


def obstacle(value: Union[str, bytes], of: np.dtype) -> Optional[str]:
    """What an array of strings of a width expects, where this does not fit."""
    if of.kind == 'U' and isinstance(value, bytes):
        return 'strings of UTF-8'
    width = of.itemsize // (4 if of.kind == 'U' else 1)
    if len(value) > width:
        unit = 'characters' if of.kind == 'U' else 'bytes'
        return f'strings of up to {width} {unit}'
    is_cut = value[-1:] in ('\0', b'\0')  # which NumPy takes for the end
    return 'strings with no NUL at their end' if is_cut else None


def encoded(value: Union[str, bytes]) -> bytes:
    return value.encode('utf-8') if isinstance(value, str) else bytes(value)


def to_library(values: List[Union[str, bytes]]) -> Tuple[Any, List[Any]]:
    """An array of varve_string, and what has to be kept beside it."""
    array = ffi.new('varve_string[]', max(len(values), 1))
    kept = [ffi.from_buffer('char[]', encoded(value)) for value in values]
    for item, chars in zip(array, kept):
        item.data, item.size = chars, len(chars)
    return array, kept


def decoded(data: bytes, is_text: bool) -> Union[str, bytes]:
    """As str, if it is UTF-8."""
    try:
        return data.decode('utf-8') if is_text else data
    except UnicodeDecodeError:
        return data


def like(strings: np.ndarray, array: np.ndarray) -> List[Union[str, bytes]]:
    """Bytes as an array of strings of a width would have them."""
    return [decoded(data, array.dtype.kind == 'U')
            for data in strings.reshape(-1)]


def from_library(item: Any, is_text: bool) -> Union[str, bytes]:
    """A varve_string; as str where that is meant and it is UTF-8."""
    data = bytes(ffi.buffer(item.data, item.size)) if item.size else b''
    return decoded(data, is_text)
