"""survey.py - what a program's objects are made of: names, children, leaves.

A look at all of it before anything is done, so that what cannot be saved is
refused by its path and nothing has changed.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import enum
import re
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

from ._native import lib
from .errors import refuse
from .leaves import NUMBERS, Leaf, leaf_maker, plain
from .outputs import output_maker
from .strings import is_valid

__all__ = ['Part', 'Survey', 'put', 'put_tuples']

# Objects of these have attributes, and yet are no objects with state.
STRANGERS = (type, types.FunctionType, types.BuiltinFunctionType,
             types.MethodType, types.ModuleType, types.GeneratorType,
             enum.Enum, BaseException, set, frozenset, bytearray, memoryview,
             int, float, complex)
MAX_NAME_SIZE = 65535
NONE_TAG = 'none'  # of an object that is None in a list
ESCAPED = re.compile('[/%*|()\0-\x1f\x7f]')


class Part:
    """One container or leaf, where it was found first."""

    def __init__(self, key: Any, source: Any, value: Any, path: str,
                 maker: Optional[Callable[[Any], Leaf]]):
        self.key = key
        self.source = source  # kept: keys are identities
        self.value = value
        self.path = path
        self.maker = maker
        self.kind = lib.VARVE_VARIABLE if maker else kind_of(value)
        self.is_none = value is None
        # What children are put back into: a list in the place of a tuple.
        self.holder = list(value) if isinstance(value, tuple) else value
        self.children: List[Tuple[str, Any]] = []
        self.homes: List[Tuple['Part', Any]] = []

    @property
    def is_list(self) -> bool:
        return self.kind == lib.VARVE_LIST


def kind_of(value: Any) -> int:
    if value is None:  # in a list: it keeps a place
        return lib.VARVE_OBJECT
    if isinstance(value, dict):
        return lib.VARVE_DICT
    if isinstance(value, (list, tuple)):
        return lib.VARVE_LIST
    if isinstance(value, STRANGERS) or not hasattr(value, '__dict__'):
        raise TypeError('expected arrays, numbers, strings, lists, dicts and '
                        f'objects of them, found {described(value)}')
    return lib.VARVE_OBJECT


def described(value: Any) -> str:
    kind = type(value)
    name = getattr(value, '__qualname__', None)
    return kind.__name__ + (f' {name}' if isinstance(name, str) else '')


def is_module(value: Any) -> bool:
    """Whether it is a module of torch, which is there if it is."""
    kind = getattr(getattr(sys.modules.get('torch'), 'nn', None), 'Module',
                   None)
    return kind is not None and isinstance(value, kind)


def module_attributes(value: Any) -> Dict[str, Any]:
    """What the state_dict of a module of torch has: its parameters, buffers
    that are to be saved, and the modules below it."""
    own = vars(value)
    left_out = own.get('_non_persistent_buffers_set', ())
    buffers = {name: buffer for name, buffer in own['_buffers'].items()
               if name not in left_out}
    return {**own['_parameters'], **buffers, **own['_modules']}


def attributes(value: Any) -> Dict[str, Any]:
    """The attributes of an object that are saved."""
    if is_module(value):
        return module_attributes(value)
    return {name: child for name, child in vars(value).items()
            if not name.startswith('_')}


def items_of(part: Part) -> Iterator[Tuple[Any, Any]]:
    """Keys and children; None stands for nothing, but in a list, where it has
    a place."""
    if part.is_none:
        return
    if part.is_list:
        yield from enumerate(part.holder)
        return
    found = part.value if part.kind == lib.VARVE_DICT else \
        attributes(part.value)
    yield from ((key, child) for key, child in found.items()
                if child is not None)


def check_name(name: Any) -> None:
    if isinstance(name, int) and not isinstance(name, bool):
        return
    if not isinstance(name, str):
        raise TypeError(f'expected names that are str or int, found {name!r}')
    if not is_valid(name):
        raise TypeError(f'expected names that UTF-8 has, found {name[:40]!r} '
                        'with a lone surrogate; rename it')
    if '\0' in name or not 0 < len(name.encode()) <= MAX_NAME_SIZE:
        raise TypeError('expected a name of 1 to 65535 bytes of UTF-8 without '
                        f'a NUL, found {name[:40]!r}')


def check_key(name: Any, holder: Any) -> None:
    check_name(name)
    if isinstance(name, int) and str(name) in holder:
        raise TypeError(f'expected {name} once, found it as int and as str')


def escaped(name: Any) -> str:
    """A name as paths have it."""
    return ESCAPED.sub(lambda found: f'%{ord(found[0]):02X}', str(name))


class Survey:
    """All parts below a root, by the keys that tell them apart: arrays and
    containers are known by identity, and shared by it; numbers, strings and
    tuples by where they are."""

    def __init__(self, root: Any):
        self.parts: Dict[Any, Part] = {}
        self._queue: List[Part] = []
        self.root = id(root)
        try:
            self._add(self.root, root, root, '')
        except TypeError as error:
            raise refuse(f'the root: {error}') from None
        for part in self._queue:  # grows meanwhile
            self._look_into(part)
        self._queue.clear()

    def _add(self, key: Any, source: Any, value: Any, path: str) -> Part:
        maker = output_maker(value) or leaf_maker(value)
        part = self.parts[key] = Part(key, source, value, path, maker)
        if not maker:
            self._queue.append(part)
        return part

    def _look_into(self, part: Part) -> None:
        for name, source in items_of(part):
            path = part.path or 'the root'
            try:
                if not part.is_list:
                    check_key(name, part.holder)
                path = f'{part.path}/{escaped(name)}'.lstrip('/')
                self._look_at(part, name, source, path)
            except TypeError as error:
                raise refuse(f'{path}: {error}') from None

    def _look_at(self, part: Part, name: Any, source: Any, path: str) -> None:
        value = plain(source)
        is_plain = isinstance(value, (str, bytes, tuple, np.generic)) \
            or type(value) in NUMBERS or value is None
        key = (part.key, name) if is_plain else id(source)
        if key not in self.parts:
            self._add(key, source, value, path)
        self.parts[key].homes.append((part, name))
        part.children.append((str(name), key))


def put(part: Part, value: Any) -> None:
    """Puts what a part is now into the places where it was found."""
    if value is part.value:
        return
    for home, name in part.homes:
        if home.kind == lib.VARVE_OBJECT:
            vars(home.value)[name] = value
        else:
            home.holder[name] = value
    part.value = value


def put_tuples(parts: List[Part]) -> None:
    """Makes tuples anew whose elements have changed, the innermost first."""
    for part in reversed(parts):
        if isinstance(part.value, tuple):
            if any(new is not old for new, old in zip(part.holder,
                                                      part.value)):
                make = getattr(type(part.value), '_make', type(part.value))
                put(part, make(part.holder))
