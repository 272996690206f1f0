"""kinds.py - Stores Python's types as tags of nodes, so that `load` can return
them.

The root of a checkpoint of Python has the tag `python`. Below it a number, a
bool or a text without a shape has a type of Python unless a tag names another
one. Files of other programs have none of these tags.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import collections
import sys
from typing import Any, Collection, Dict, List

import numpy as np

from .dtypes import dtype_name
from .outside import is_tensor
from .strings import decoded

__all__ = ['made_dict', 'made_list', 'made_value', 'names_of',
           'tags_of']

PYTHON_TAG = 'python'
NATIVE = [np.dtype(name) for name in ('?', 'i8', 'f8', 'c16')]
# Not OrderedDict, because a file contains names in sorted order.
DICTS: Dict[str, Any] = {'Counter': collections.Counter}
INT_KEYS = 'int keys'


def tags_of(source: Any, value: Any) -> List[str]:
    """Returns the tags of a node for `source`: `value` is the array of a
    tensor `source`, otherwise the same object."""
    kind = type(value)
    if is_tensor(source):
        return ['tensor']
    if kind is bytes:
        return ['bytes']
    if kind in (list, tuple) and value or isinstance(value, tuple):
        return [] if kind is list else ['tuple']
    if isinstance(value, np.generic):
        return ['numpy']
    if isinstance(value, int) and not -2**63 <= value < 2**63:
        return ['int']
    if isinstance(value, dict):
        found = [INT_KEYS] if any(type(key) is int for key in value) else []
        return found + [kind.__name__] * (kind.__name__ in DICTS)
    if isinstance(value, np.ndarray) and value.dtype.kind in 'OSU':
        return tags_of_strings(value) + ['array'] * (not value.shape)
    return ['array'] if isinstance(value, np.ndarray) and not value.shape \
        else []


def tags_of_strings(array: np.ndarray) -> List[str]:
    if array.dtype.kind in 'SU':
        return [array.dtype.kind]
    is_text = all(isinstance(item, str) for item in array.reshape(-1))
    return ['str'] if is_text and array.size else []


def is_number_name(name: str) -> bool:
    """True if the name is the decimal form of an int."""
    digits = name[1:] if name[:1] == '-' else name
    return digits.isascii() and digits.isdigit() and str(int(name)) == name


def names_of(names: List[str], tags: Collection[str]) -> List[Any]:
    """Returns the keys of a dict."""
    if INT_KEYS not in tags:
        return list(names)
    return [int(name) if is_number_name(name) else name for name in names]


def made_dict(tags: Collection[str]) -> Any:
    """Returns an empty dict of the tagged type."""
    for name, kind in DICTS.items():
        if name in tags:
            return kind()
    return {}


def made_list(value: np.ndarray, tags: Collection[str]) -> Any:
    """Returns a list or tuple of numbers that is saved as an array."""
    return tuple(value.tolist()) if 'tuple' in tags else value.tolist()


def made_value(value: Any, tags: Collection[str]) -> Any:
    """Returns the Python value: an array, or a scalar."""
    if 'list' in tags or 'tuple' in tags:
        return made_list(value, tags)
    if 'tensor' in tags:
        return as_tensor(np.asarray(value))
    if 'array' in tags and not isinstance(value, np.ndarray):
        value = as_array(value)
    if isinstance(value, np.ndarray):
        return made_strings(value, tags)
    if isinstance(value, bytes):
        return value if 'bytes' in tags else int(value) if 'int' in tags \
            else decoded(value, True)
    return value.item() if value.dtype in NATIVE and 'numpy' not in tags \
        else value


def as_array(value: Any) -> np.ndarray:
    """Returns a scalar as an array without dimensions."""
    array = np.empty((), getattr(value, 'dtype', object))
    array[()] = value
    return array


def made_strings(array: np.ndarray, tags: Collection[str]) -> np.ndarray:
    if array.dtype.kind != 'O' or not {'str', 'U', 'S'} & set(tags):
        return array
    flat = array.reshape(-1)
    if 'S' not in tags:
        texts = np.empty(flat.shape, object)
        texts[:] = [decoded(item, True) for item in flat]
        flat = texts
    made = flat if 'str' in tags else np.array(
        flat.tolist(), 'U' if 'U' in tags else 'S')
    return made.reshape(array.shape)


def as_tensor(array: np.ndarray) -> Any:
    """Returns a tensor of torch, or the array if torch is not installed."""
    try:
        torch: Any = sys.modules.get('torch') or __import__('torch')
    except ImportError:
        return array
    label = dtype_name(array.dtype)
    if label in ('bfloat16', 'float8_e4m3fn', 'float8_e5m2'):
        bits = array.view(f'i{array.itemsize}' if array.itemsize > 1 else 'u1')
        return torch.from_numpy(np.array(bits)).view(getattr(torch, str(label)))
    return torch.from_numpy(np.array(array))
