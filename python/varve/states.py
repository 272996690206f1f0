"""states.py - Determines the state of objects: which attributes are saved.

An object that returns its state (a torch module, `state_dict`, `__getstate__`)
is saved by that state. Other objects are saved by all attributes except those
of `__varve_ignore__` of the class. An object whose state is not only in its
attributes is rejected.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import dataclasses
import enum
import sys
import types
from typing import Any, Callable, Dict, Iterable, Optional, Set

import numpy as np

from .leaves import HEAP_TYPE, slot_names
from .outside import LABELLED, is_of, is_tensor_class
from .ways import GENERAL, instead_of

__all__ = ['IGNORE', 'State', 'attributes', 'attributes_of',
           'check_has_state', 'is_module', 'is_ordinary', 'is_own_name',
           'own_attributes', 'set_attribute', 'state_of_object']

EXTRA_STATE = '_extra_state'  # the name in torch
IGNORE = '__varve_ignore__'  # an attribute of a class: the attributes to ignore
# Attributes of this package, and of objects of generic classes.
OWN = ('_varve_graphs', '_varve_files', '__orig_class__')
OFFERS = ('state_dict', '_varve_follow', '__array__', '__dlpack__', 'iloc',
          '__buffer__')
REDUCING = ('__reduce__', '__reduce_ex__', '__getnewargs__',
            '__getnewargs_ex__')


class State:
    """The state that an object returns, and a function that restores it."""

    def __init__(self, tree: Dict[Any, Any], give: Callable[[Any], Any]):
        self.tree = tree
        self.give = give


def is_module(value: Any) -> bool:
    """True for a torch module. torch is imported already if there is one."""
    return 'torch' in sys.modules and is_module_class(type(value))


def is_module_class(kind: Any) -> bool:
    base = getattr(getattr(sys.modules.get('torch'), 'nn', None), 'Module',
                   None)
    return base is not None and issubclass(kind, base)


def module_attributes(value: Any) -> Dict[str, Any]:
    """Returns the contents of the state_dict of a torch module: its
    parameters, persistent buffers and submodules."""
    own = vars(value)
    left_out = own.get('_non_persistent_buffers_set', ())
    buffers = {name: buffer for name, buffer in own['_buffers'].items()
               if name not in left_out}
    found = {**own['_parameters'], **buffers, **own['_modules']}
    kind = type(value)
    if kind.get_extra_state is not sys.modules['torch'].nn.Module \
            .get_extra_state:
        found[EXTRA_STATE] = ExtraState(value)
    return found


class ExtraState:
    """The extra state of a torch module."""

    def __init__(self, module: Any):
        self.module = module


def attributes(value: Any) -> Dict[str, Any]:
    """Returns the attributes of an object that are saved."""
    if is_module(value):
        return module_attributes(value)
    if is_named_tuple(value):
        return dict(zip(value._fields, value))
    return own_attributes(value)


def own_attributes(value: Any) -> Dict[str, Any]:
    """The same for an object that does not return its state."""
    kind: Any = type(value)
    found = dict(getattr(value, '__dict__', ()))
    for name in slot_names(kind):
        if hasattr(value, name):
            found.setdefault(name, getattr(value, name))
    for name in OWN:
        found.pop(name, None)
    for name in ignored(kind):
        found.pop(name, None)
    return found


def attributes_of(kind: Any) -> Callable[[Any], Dict[str, Any]]:
    """Returns own_attributes for the objects of a class, or a faster function
    that does the same."""
    if slot_names(kind):
        return own_attributes
    left_out = frozenset((*OWN, *ignored(kind)))

    def look(value: Any) -> Dict[str, Any]:
        found = value.__dict__
        if left_out.isdisjoint(found):
            return dict(found)
        return {name: child for name, child in found.items()
                if name not in left_out}
    return look


def ignored(kind: Any) -> Iterable[str]:
    """Returns the attributes that a class and its bases ignore."""
    if not hasattr(kind, IGNORE):
        return ()
    found: Set[str] = set()
    for base in kind.__mro__:
        names = base.__dict__.get(IGNORE, ())
        found.update([names] if isinstance(names, str) else names)
    return found


def is_own_name(name: str) -> bool:
    """True for attributes of this package."""
    return name in OWN


def is_named_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(type(value), '_fields') \
        and hasattr(type(value), '_make')


def set_attribute(value: Any, name: str, child: Any) -> None:
    """Sets an attribute without calling __setattr__ of the class."""
    own = getattr(value, '__dict__', {})
    if name in own or not hasattr(type(value), name):
        own[name] = child
    else:
        object.__setattr__(value, name, child)


def has_state_in_c(kind: Any) -> bool:
    """True if the class, or a base of it, is written in C and has memory that
    is in no attribute."""
    known = object.__basicsize__ + 8 * (
        len(slot_names(kind)) + (kind.__dictoffset__ > 0)
        + (getattr(kind, '__weakrefoffset__', 0) > 0))
    return bool(kind.__basicsize__ > known)


def reducing(kind: Any) -> Optional[str]:
    """Returns the method by which pickle creates the object, if there is
    one."""
    for name in REDUCING:
        if getattr(kind, name, None) is not getattr(object, name, None):
            return name
    return None


def is_ordinary(kind: Any) -> bool:
    """True if objects of a class consist of their attributes: a plain Python
    class without any of the other interfaces."""
    return bool(kind.__dictoffset__ or slot_names(kind)) \
        and all(base.__flags__ & HEAP_TYPE for base in kind.__mro__[:-1]) \
        and not issubclass(kind, (type, enum.Enum)) \
        and not is_module_class(kind) and not is_tensor_class(kind) \
        and kind.__module__.partition('.')[0] not in (*LABELLED, __package__) \
        and not any(hasattr(kind, name) for name in OFFERS) \
        and not has_state_in_c(kind) and reducing(kind) is None \
        and getstate_of(kind) is None


def check_has_state(value: Any) -> None:
    """Raises a TypeError, whose message follows a path, if the state of an
    object is not only in its attributes: a part is in C, or pickle creates it
    with a method."""
    kind = type(value)
    if is_module(value) or is_named_tuple(value) \
            or kind is types.SimpleNamespace:
        return
    if has_state_in_c(kind):
        raise TypeError(f'cannot save {kind.__name__}: it is written in C, '
                        'and its attributes are not all of its state; '
                        + GENERAL)
    name = reducing(kind)
    if name:
        raise TypeError(f'cannot save {kind.__name__}: its class defines '
                        f'{name}(), so its attributes may not be all of its '
                        'state; ' + GENERAL)


# --- Objects that return their state ---

def state_of_object(value: Any) -> Optional[State]:
    """Returns None if the state of an object consists of its attributes."""
    if isinstance(value, ExtraState):
        module = value.module
        return State({'state': module.get_extra_state()},
                     lambda tree: module.set_extra_state(tree['state']))
    if isinstance(value, type) or is_module(value) \
            or hasattr(type(value), '_varve_follow'):
        return None
    state = random_state(value) or by_state_dict(value)
    way = None if state else instead_of(value)
    if way:
        raise TypeError(f'cannot save {type(value).__name__}: {way}')
    return state or by_getstate(value)


def random_state(value: Any) -> Optional[State]:
    """Generators of NumPy and torch."""
    torch: Any = sys.modules.get('torch')
    if torch and is_of(value, getattr(torch, 'Generator', ())):
        return State({'state': value.get_state()},
                     lambda tree: value.set_state(tree['state']))
    if isinstance(value, np.random.RandomState):
        return State(value.get_state(legacy=False), value.set_state)
    bits = value.bit_generator if isinstance(value, np.random.Generator) \
        else value
    if not isinstance(bits, np.random.BitGenerator):
        return None

    def give(tree: Any) -> None:
        bits.state = tree
    return State(dict(bits.state), give)


def by_state_dict(value: Any) -> Optional[State]:
    save = getattr(type(value), 'state_dict', None)
    load = getattr(type(value), 'load_state_dict', None)
    if not callable(save) or not callable(load):
        return None
    found = value.state_dict()
    if not isinstance(found, dict):
        raise TypeError(f'{type(value).__name__}.state_dict() must return a '
                        f'dict, not {type(found).__name__}')
    return State(found, value.load_state_dict)


def getstate_of(kind: Any) -> Any:
    """Returns the method that a class defines, unless it is that of object or
    dataclass."""
    found = getattr(kind, '__getstate__', None)
    return None if found in (getattr(object, '__getstate__', None), getattr(
        dataclasses, '_dataclass_getstate', None)) else found


def by_getstate(value: Any) -> Optional[State]:
    if getstate_of(type(value)) is None \
            or isinstance(value, (dict, list, tuple)):
        return None
    found = value.__getstate__()
    take = getattr(value, '__setstate__', None)
    if isinstance(found, dict) and all(isinstance(key, (str, int))
                                       for key in found):
        return State(found, take or vars(value).update)
    if take is None:
        raise TypeError(f'cannot save {type(value).__name__}: its class '
                        'defines __getstate__() but not __setstate__()')
    return State({'state': found}, lambda tree: take(tree['state']))
