"""survey.py - Collects the parts of a program: names, children, leaves.

The survey is complete before anything is done. A part that cannot be saved
raises an error with its path, and nothing has changed.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import enum
import functools
import re
import types
from typing import (Any, Callable, Collection, Container, Dict, List, Mapping,
                    Optional, Sequence, Set, Tuple)

import numpy as np

from ._native import lib
from .dtypes import number_code
from .errors import refuse
from .kinds import is_number_name, tags_of
from .leaves import (NUMBERS, ArrayLeaf, Leaf, ListLeaf, check_alone,
                     is_number_list, leaf_maker, mangled_slots)
from .outputs import output_maker
from .outside import is_tensor, plain
from .scalars import MANY, is_scalar
from .states import (EXTRA_STATE, IGNORE, ExtraState, State, attributes,
                     attributes_of, check_has_state, is_module,
                     is_named_tuple, is_ordinary, own_attributes,
                     set_attribute, state_of_object)
from .strings import is_valid

__all__ = ['EVERYTHING', 'NOTHING', 'Arrival', 'Part', 'Survey', 'put',
           'put_tuples']

# Objects of these types have attributes but no state that can be saved.
STRANGERS = (type, types.FunctionType, types.BuiltinFunctionType,
             types.MethodType, types.ModuleType, types.GeneratorType,
             enum.Enum, BaseException, set, frozenset, bytearray, memoryview,
             int, float, complex)
MAX_NAME_SIZE = 65535
OBJECT, LIST, DICT, VARIABLE = (lib.VARVE_OBJECT, lib.VARVE_LIST,
                                lib.VARVE_DICT, lib.VARVE_VARIABLE)
NONE_TAG = 'none'  # tag of an object that represents None
ESCAPED = re.compile('[/%*|()\0-\x1f\x7f]')


class Part:
    """A container or leaf, at the place where it was found first."""

    maker: Optional[Callable[[Any], Leaf]] = None
    state: Optional[State] = None
    is_none = False
    is_of_state = False  # created in each survey
    is_quick = False  # an object that is its attributes, or an array
    has_int_keys = False
    has_none = False  # of a dict or an object: a child is None
    children: Dict[Any, Any] = {}  # keys by name; by index in a list
    scalars: Mapping[Any, Any] = {}  # the children that are numbers
    more_homes: Sequence[Tuple['Part', Any]] = ()

    def __init__(self, key: Any, source: Any, value: Any,
                 home: Optional[Tuple['Part', Any]], kind: int):
        self.key = key
        self.source = source  # kept because keys are identities
        self.value = value
        self.home = home  # the parent and the name
        self.kind = kind
        self.holder = value  # the object whose children are set

    def look(self, maker: Optional[Callable[[Any], Leaf]],
             state: Optional[State]) -> None:
        """Examines a part of any type."""
        value, self.maker, self.state = self.value, maker, state
        self.kind = VARIABLE if maker else OBJECT if state else kind_of(value)
        self.is_none = value is None
        self.is_of_state = state is not None
        self.holder = value if maker else holder_of(value, state)
        self.has_int_keys = self.kind == DICT and any(
            type(name) is int for name in self.holder)

    @property
    def homes(self) -> List[Tuple['Part', Any]]:
        """All places where the part is."""
        return [self.home, *self.more_homes] if self.home else []

    @property
    def path(self) -> str:
        """The first path of the part. It is computed, because stored paths
        would take quadratic memory in a deep graph."""
        names, part = [], self
        while part.home:
            part, name = part.home
            names.append(escaped(name))
        return '/'.join(reversed(names))

    def path_to(self, name: Any) -> str:
        """Returns the path of a child."""
        return f'{self.path}/{escaped(name)}'.lstrip('/')

    def tags(self) -> List[str]:
        """The tags of the node."""
        if self.is_none:
            return [NONE_TAG]
        found = tags_of(self.source, self.value)
        if self.maker is ListLeaf and not found:
            return ['list']
        return found

    def way_out(self, name: Any) -> str:
        """Returns the end of a message: how to ignore the attribute that leads
        to a child."""
        part: Part = self
        while part.home and not part.is_by_attributes:
            part, name = part.home
        kind = type(part.value)
        if not part.is_by_attributes or kind.__module__ == __package__ + \
                '.checkpoint':
            return ''
        return f'; to ignore it, add {name!r} to {IGNORE} of ' \
            + kind.__qualname__

    @property
    def is_by_attributes(self) -> bool:
        """True for an object that is saved by its attributes."""
        return self.kind == OBJECT and not (
            self.is_none or self.state or isinstance(self.value, tuple)
            or is_module(self.value))

    @property
    def is_list(self) -> bool:
        return self.kind == LIST


def holder_of(value: Any, state: Optional[State]) -> Any:
    """Returns the object whose children are set: a list in place of a
    tuple."""
    if state:
        return state.tree
    if isinstance(value, tuple):
        return attributes(value) if is_named_tuple(value) else list(value)
    return value


def kind_of(value: Any) -> int:
    if value is None:  # in a list: it keeps its index
        return OBJECT
    if isinstance(value, dict):
        check_alone(value, 'a dict')
        return DICT
    if isinstance(value, (list, tuple)):
        check_alone(value, 'a list')
        return OBJECT if is_named_tuple(value) else LIST
    if isinstance(value, STRANGERS) or not (
            hasattr(value, '__dict__') or mangled_slots(value)):
        raise TypeError(f'cannot save {described(value)}: a checkpoint '
                        'contains arrays, numbers, strings, lists, dicts and '
                        'objects of these')
    check_has_state(value)
    return OBJECT


def described(value: Any) -> str:
    kind = type(value)
    name = getattr(value, '__qualname__', None)
    return kind.__name__ + (f' {name}' if isinstance(name, str) else '')


def is_none_tagged(tags: Container[str]) -> bool:
    """True if the tags are those of None."""
    return NONE_TAG in tags


def named_children(part: Part) -> Any:
    """Returns the children of a dict or an object by name."""
    if part.is_quick:
        return own_attributes(part.value)
    if part.kind == DICT or part.state or isinstance(part.value,
                                                               tuple):
        return part.holder
    return attributes(part.value)


def check_name(name: Any) -> None:
    if isinstance(name, int) and not isinstance(name, bool):
        return
    if not isinstance(name, str):
        raise TypeError(f'invalid name {name!r}: names must be str or int')
    if not name.isascii() and not is_valid(name):
        raise TypeError(f'invalid name {name[:40]!r}: it has a lone surrogate, '
                        'which UTF-8 cannot encode')
    if '\0' in name or not 0 < len(name) <= MAX_NAME_SIZE or (
            len(name) > MAX_NAME_SIZE // 4
            and len(name.encode()) > MAX_NAME_SIZE):
        raise TypeError(f'invalid name {name[:40]!r}: a name must have 1 to '
                        '65535 bytes of UTF-8 and no NUL')


def are_plain_names(names: Collection[Any]) -> bool:
    """True if all names are valid without further checks."""
    return few_are_plain(tuple(names)) if len(names) < MANY \
        else all_are_plain(names)


def all_are_plain(names: Collection[Any]) -> bool:
    try:
        joined = '\0'.join(names)
    except TypeError:
        return False
    return joined.isascii() and joined.count('\0') == len(names) - 1 \
        and '\0\0' not in f'\0{joined}\0' \
        and max(map(len, names)) <= MAX_NAME_SIZE


few_are_plain = functools.lru_cache(maxsize=256, typed=True)(all_are_plain)


def check_key(name: Any, part: Part) -> None:
    check_name(name)
    if isinstance(name, int) and str(name) in part.holder:
        raise TypeError(f'duplicate name {name}: it is used as int and as str')
    if part.has_int_keys and isinstance(name, str) and is_number_name(name):
        raise TypeError(f'invalid name {name!r}: this dict has int keys, so '
                        'it must be an int')


def escaped(name: Any) -> str:
    """Returns a name as it is written in a path."""
    return ESCAPED.sub(lambda found: f'%{ord(found[0]):02X}', str(name))


class ArrayPart(Part):
    """An array of numbers that has dimensions and no tags."""

    is_quick = True
    maker = ArrayLeaf


class ObjectPart(Part):
    """An object that consists of its attributes."""

    is_quick = True


class Survey:
    """All parts below a root, by key. Arrays and containers are identified by
    object identity, and shared; numbers, strings and tuples by their place."""

    def __init__(self, root: Any, states: Optional[Dict[Any, Any]] = None,
                 is_folded: bool = True, unfolded: Container[Any] = (),
                 has_none: bool = False):
        self._states = {} if states is None else states
        self._in_states: Dict[int, Any] = {}  # their dicts and lists, by key
        self._is_folded = is_folded
        self._unfolded = unfolded
        self._has_none = has_none
        # By class: a function that returns the attributes, or False.
        self._ordinary: Dict[Any, Any] = {}
        self.parts: Dict[Any, Part] = {}
        self._queue: List[Part] = []
        self.root = id(root)
        try:
            self._add(self.root, root, root, None)
        except TypeError as error:
            raise refuse(f'the root: {error}') from None
        for part in self._queue:  # the list grows in the loop
            self._look_into(part)
        self._queue.clear()

    def _add(self, key: Any, source: Any, value: Any,
             home: Optional[Tuple[Part, Any]]) -> Part:
        maker = output_maker(value) or leaf_maker(value)
        if maker is ListLeaf and (not self._is_folded
                                  or key in self._unfolded):
            maker = None
        state = None if maker else self._state_of(source)
        part = self.parts[key] = Part(key, source, value, home, OBJECT)
        part.look(maker, state)
        if not maker:
            self._queue.append(part)
        return part

    def _state_of(self, source: Any) -> Optional[State]:
        """Returns the same state as long as it may still be restored."""
        if isinstance(source, (dict, list, tuple)) or source is None:
            return None
        key = (EXTRA_STATE, id(source.module)) \
            if isinstance(source, ExtraState) else id(source)
        held = self._states.get(key)
        state: Optional[State] = held[1] if held else state_of_object(source)
        if state:
            self._states[key] = source, state
        return state

    def _look_into(self, part: Part) -> None:
        if part.is_none:
            return
        if part.kind == LIST:
            for name, source in enumerate(part.holder):
                if not self._look_quickly(part, name, source):
                    self._try(part, name, source)
            return
        # Only a save includes None, because otherwise a value may be restored
        # in its place.
        has_none = self._has_none and not is_module(part.value)
        look = self._ordinary.get(type(part.value)) if part.is_quick else None
        found = look(part.value) if look else named_children(part)
        is_plain = not part.has_int_keys and are_plain_names(found)
        scalars = {}
        for name, source in found.items():
            if type(source) is float or is_scalar(source):
                scalars[name] = source
                continue
            if source is None:
                part.has_none = True
                if not has_none:
                    continue
            if not is_plain or not self._look_quickly(part, name, source):
                self._try(part, name, source)
        if scalars:
            part.scalars = scalars
            if not is_plain and (part.has_int_keys
                                 or not are_plain_names(scalars)):
                for name in scalars:
                    self._try(part, name, None)

    def _try(self, part: Part, name: Any, source: Any) -> None:
        """Adds the path to an error."""
        is_named = part.is_list
        try:
            if not is_named:
                check_key(name, part)
            is_named = True
            if name not in part.scalars:
                self._look_at(part, name, source)
        except TypeError as error:
            path = part.path_to(name) if is_named else part.path
            raise refuse(f'{path or "the root"}: {error}'
                         + part.way_out(name)) from None

    def _look_quickly(self, part: Part, name: Any, source: Any) -> bool:
        """The same for an array, and for an object that is its attributes,
        because there may be many. Returns False for other values."""
        kind = type(source)
        if kind is np.ndarray:
            if not source.shape or not number_code(source.dtype):
                return False
        else:
            look = self._ordinary.get(kind)
            if look is None:
                look = self._ordinary[kind] = is_ordinary(kind) \
                    and attributes_of(kind)
            if not look:
                return False
        key = id(source)
        known = self.parts.get(key)
        if known is not None:
            known.more_homes = [*known.more_homes, (part, name)]
        elif kind is np.ndarray:
            self.parts[key] = ArrayPart(key, source, source, (part, name),
                                        VARIABLE)
        else:
            known = self.parts[key] = ObjectPart(key, source, source,
                                                 (part, name), OBJECT)
            self._queue.append(known)
        add_child(part, name, key)
        return True

    def _look_at(self, part: Part, name: Any, source: Any) -> None:
        if self._look_quickly(part, name, source):
            return
        value = plain(source)
        if is_tensor(source) and not is_module(part.value):
            check_alone(source, 'a tensor')
        is_plain = isinstance(value, (str, bytes, tuple, np.generic)) \
            or type(value) in NUMBERS or value is None
        key = (part.key, name) if is_plain else id(source)
        is_of_state = part.is_of_state and isinstance(value, (dict, list))
        if is_of_state and is_number_list(value):
            key = part.key, name
        elif is_of_state:
            key = self._in_states.setdefault(id(source), (part.key, name))
        elif isinstance(source, ExtraState):
            key = id(source.module), EXTRA_STATE
        if key in self.parts:
            known = self.parts[key]
            known.more_homes = [*known.more_homes, (part, name)]
        else:
            added = self._add(key, source, value, (part, name))
            added.is_of_state |= is_of_state or (
                part.is_of_state and isinstance(value, tuple))
        add_child(part, name, key)


def add_child(part: Part, name: Any, key: Any) -> None:
    """Adds a child. The names of a dict may be ints."""
    if not part.children:
        part.children = {}  # not that of the class
    part.children[name if part.kind == LIST else str(name)] = key


def no_note(_undo: Callable[[], None]) -> None:
    """For changes that are not undone."""


def set_child(home: Part, name: Any, value: Any) -> None:
    """Sets a child of a list, a dict or an object."""
    if home.kind == OBJECT and home.holder is home.value:
        set_attribute(home.value, name, value)
    else:
        home.holder[name] = value


def put(part: Part, value: Any,
        note: Callable[[Callable[[], None]], None] = no_note) -> None:
    """Sets the current value of a part at all places where it is. `note` is
    called with a function that undoes it."""
    old = part.value
    if value is old:
        return
    for home, name in part.homes:
        note(functools.partial(set_child, home, name, old))
        set_child(home, name, value)
    part.value = value


def put_tuples(parts: List[Part],
               note: Callable[[Callable[[], None]], None] = no_note) -> None:
    """Creates tuples again whose elements have changed, the innermost
    first."""
    for part in reversed(parts):
        if isinstance(part.value, tuple) and not part.maker:
            holder = list(part.holder.values()) \
                if isinstance(part.holder, dict) else part.holder
            if len(holder) != len(part.value) or any(
                    new is not old for new, old in zip(holder, part.value)):
                make = getattr(type(part.value), '_make', type(part.value))
                put(part, make(holder), note)


class Arrival:
    """The parts of the program to which pending values may be assigned: all,
    or those below an attribute that was just set."""

    def __init__(self, is_all: bool, source: Any = None, name: str = ''):
        self._is_all = is_all
        self._source, self._name = source, name

    def among(self, survey: Survey) -> Callable[[Any], bool]:
        """Returns a function that tests keys of parts."""
        if self._is_all:
            return lambda key: True
        found = self._below(survey) if self._source is not None else set()
        return found.__contains__

    def _below(self, survey: Survey) -> Set[Any]:
        home = survey.parts.get(id(self._source))
        found = {home.children[self._name]} \
            if home and self._name in home.children else set()
        queue = list(found)
        found.add((id(self._source), self._name))  # a number
        for key in queue:  # the list grows in the loop
            found.update((key, name) for name in survey.parts[key].scalars)
            new = set(survey.parts[key].children.values()) - found
            found |= new
            queue.extend(new)
        return found


NOTHING = Arrival(False)
EVERYTHING = Arrival(True)
