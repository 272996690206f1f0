"""dtypes.py - Maps the element types of the library to those of NumPy.

NumPy has no bfloat16 and no float8. If the package ml_dtypes is installed, its
types are used. Otherwise these are unsigned integers of the same size, whose
dtype has the name in its metadata.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import functools
import sys
from typing import Dict, Optional

import numpy as np

from ._native import ffi, lib

try:
    import ml_dtypes  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    ml_dtypes = None  # type: ignore[assignment,unused-ignore]

__all__ = ['dtype', 'dtype_name']

BOOL = lib.VARVE_BOOL
STRING = lib.VARVE_STRING
CODES: Dict[str, int] = {
    ffi.string(lib.varve_dtype_name(code)).decode(): code
    for code in ffi.typeof('varve_dtype').elements}
NAMES = {code: name for name, code in CODES.items()}
LABEL = 'varve'


def dtype(name: str) -> np.dtype:
    """Returns the NumPy dtype of an element type of the library.

    >>> dtype('float32')
    dtype('float32')
    >>> dtype('bfloat16').itemsize
    2
    >>> dtype('string')
    dtype('O')
    """
    if name not in CODES:
        raise ValueError(f'{name!r} is not the name of an element type')
    if CODES[name] == STRING:
        return np.dtype(object)
    try:
        return np.dtype(name)
    except TypeError:
        pass
    if ml_dtypes:
        made: np.dtype = np.dtype(getattr(ml_dtypes, name))
        return made
    size = lib.varve_dtype_size(CODES[name])
    return np.dtype(f'u{size}', metadata={LABEL: name})


def dtype_name(of: np.dtype) -> Optional[str]:
    """Returns the library's name of a NumPy dtype, or None.

    >>> dtype_name(np.dtype('>f4'))
    'float32'
    >>> dtype_name(dtype('bfloat16'))
    'bfloat16'
    >>> dtype_name(np.dtype('M8[s]')) is None
    True
    """
    if of.kind in 'OSU':
        return 'string'
    if of.metadata and LABEL in of.metadata:
        name = of.metadata[LABEL]
        return name if name in CODES else None
    return known_name(of)


@functools.lru_cache(maxsize=256)
def known_name(of: np.dtype) -> Optional[str]:
    """The same for a dtype without metadata."""
    return of.name if of.name in CODES else None


def number_code(of: np.dtype) -> int:
    """Returns the library's code of a dtype of numbers of NumPy, or 0."""
    return 0 if of.metadata else known_code(of)


@functools.lru_cache(maxsize=256)
def known_code(of: np.dtype) -> int:
    """The same for a dtype without metadata."""
    return CODES.get(of.name, 0) if of.kind in 'biufc' else 0


@functools.lru_cache(maxsize=None)
def saved_dtype(code: int) -> np.dtype:
    """The little-endian dtype of a value in a file."""
    native = dtype(NAMES[code])
    return native if sys.byteorder == 'little' else native.newbyteorder('<')
