"""scalars.py - Keeps the numbers of a dict or an object together in one
buffer.

Each number is a variable of its own. The numbers of one dict or object are
nevertheless copied, added and restored together. Doing this one by one would
take most of the time of a save.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import functools
import struct
from typing import Any, Dict, List, Mapping, Tuple

from ._native import ffi, lib
from .dtypes import CODES

__all__ = ['Scalars', 'is_scalar']

# The format of struct, and the element type: 8 bytes for each.
KINDS = {bool: ('?7x', CODES['bool']), int: ('q', CODES['int64']),
         float: ('d', CODES['float64'])}


def is_scalar(value: Any) -> bool:
    """True for a bool, a 64-bit int or a float, but not for derived types."""
    kind = type(value)
    return kind is float or kind is bool or (
        kind is int and -2**63 <= value < 2**63)


class Layout:
    """The layout of numbers with these keys and types, and their description
    for the library."""

    def __init__(self, keys: Tuple[Any, ...], types: Tuple[type, ...]):
        self.keys, self.types = keys, types
        self.form = struct.Struct('=' + ''.join(KINDS[kind][0]
                                                for kind in types))
        self.dtypes = bytes(KINDS[kind][1] for kind in types)
        self.names = '\0'.join(map(str, keys)).encode()


few_layouts = functools.lru_cache(maxsize=256)(Layout)
MANY = 64


class Scalars:
    """The numbers of one dict or object by key, and their nodes."""

    __slots__ = ('_layout', '_buffer', '_memory', '_at', '_raw')

    def __init__(self, values: Mapping[Any, Any]):
        found = values.values()
        self._layout = (few_layouts if len(values) < MANY else Layout)(
            tuple(values), tuple(map(type, found)))
        self._raw = self._layout.form.pack(*found)  # as copied or restored

    def _lie_in(self, buffer: Any, memory: Any, at: int) -> None:
        """Sets the place of the numbers: the offset `at` of a buffer. The
        pointers to the nodes follow all numbers of the buffer."""
        self._buffer, self._memory, self._at = buffer, memory, at

    def _bytes(self) -> bytes:
        found: bytes = self._memory[self._at:self._at + len(self._raw)]
        return found

    def pull(self, values: Mapping[Any, Any]) -> bool:
        """Copies the current values; returns False if keys or types have
        changed."""
        if len(values) != len(self._layout.keys):
            return False
        try:
            found = list(map(values.__getitem__, self._layout.keys))
        except KeyError:
            return False
        if tuple(map(type, found)) != self._layout.types:
            return False
        self._layout.form.pack_into(self._memory, self._at, *found)
        self._raw = self._bytes()
        return True

    def restored(self) -> List[Tuple[Any, Any]]:
        """Returns the values that were restored since, by key."""
        raw = self._raw
        now = self._memory[self._at:self._at + len(raw)]
        if raw == now:
            return []
        self._raw = now
        return [(self._layout.keys[i], found) for i, found in
                enumerate(self._layout.form.unpack(now))
                if raw[8 * i:8 * i + 8] != now[8 * i:8 * i + 8]]

    def add(self, parent: Any, old: Mapping[Any, Tuple[type, Any]]) -> None:
        """Adds the nodes. Existing nodes come first."""
        self._lie_in(*memory_of(self._raw), 0)
        lib.varve_python_add_numbers(
            parent, self._layout.names, self._layout.dtypes,
            len(self._layout.keys), self._buffer,
            [node for _, node in old.values()], len(old))

    def nodes(self) -> Dict[Any, Tuple[type, Any]]:
        """The type and the node of each number."""
        keys, types = self._layout.keys, self._layout.types
        found = lib.varve_python_nodes_of(self._buffer, len(self._memory) // 8)
        first = self._at // 8
        return {key: (kind, found[first + i])
                for i, (key, kind) in enumerate(zip(keys, types))}

    @staticmethod
    def add_all(found: List[Tuple[Any, 'Scalars']]) -> None:
        """Adds the nodes of several parents, none of which exists yet."""
        all_of = [scalars for _, scalars in found]
        buffer, memory = memory_of(b''.join([s._raw for s in all_of]))
        at = 0
        for scalars in all_of:
            scalars._lie_in(buffer, memory, at)
            at += len(scalars._raw)
        layouts = [scalars._layout for scalars in all_of]
        lib.varve_python_add_all_numbers(
            [parent for parent, _ in found],
            [len(layout.keys) for layout in layouts], len(found),
            b'\0'.join([layout.names for layout in layouts]),
            b''.join([layout.dtypes for layout in layouts]), buffer)


def memory_of(raw: bytes) -> Tuple[Any, Any]:
    """Returns a buffer of these numbers, with room for a pointer for each, and
    the bytes of the numbers in it."""
    buffer = ffi.new('uint64_t[]', len(raw) // 4)
    memory = ffi.buffer(buffer, len(raw))
    memory[:] = raw
    return buffer, memory
