"""zoo.py - Defines the kinds of objects in which programs keep state.

    zoo.py FOLDER       restores the files of a folder in a process of its own,
                        and prints the values

SPDX-License-Identifier: MIT
"""
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import json
import os
import pathlib
import random
import sys
import threading
import types
import typing
import weakref

import numpy as np

import varve


class Base:
    __slots__ = ('_seen', '__own')

    def __init__(self, n):
        self._seen = np.full(2, n)
        self.__own = n

    def look(self):
        return self._seen, self.__own


class BesideSlots(Base):
    """Has public attributes; its base has private ones in slots."""

    def __init__(self, n):
        super().__init__(n)
        self.rate = n / 2

    def look(self):
        return super().look(), self.rate


class Meter:
    """An average with private attributes."""

    def __init__(self, n):
        self.name = 'loss'
        self._sum, self._count, self._last = n * 2.5, n, None
        self._window = [float(n)] * n
        self.__secret = {'k': np.full(2, n)}
        if n:
            self._last = n * 0.5

    def look(self):
        return vars(self)


class Cached(Meter):
    """Ignores attributes that it can create again."""

    __varve_ignore__ = ('_lock', '_cache')

    def __init__(self, n):
        super().__init__(n)
        self._lock = threading.Lock()
        self._cache = {(1, 2): object()}

    def look(self):
        return {name: value for name, value in vars(self).items()
                if name not in ('_lock', '_cache', '_hook')}


class CachedMore(Cached):
    __varve_ignore__ = '_hook'

    def __init__(self, n):
        super().__init__(n)
        self._hook = print


class Locked(Meter):
    def __init__(self, n):
        super().__init__(n)
        self._lock = threading.Lock()


class Scaler:
    """An object like GradScaler of torch."""

    def __init__(self, n):
        self._scale, self._growth_tracker, self.enabled = 2.0 ** n, n, True

    def state_dict(self):
        return {'scale': self._scale, '_growth_tracker': self._growth_tracker}

    def load_state_dict(self, state):
        self._scale = state['scale']
        self._growth_tracker = state['_growth_tracker']

    def look(self):
        return vars(self)


@dataclasses.dataclass
class Config:
    rate: float
    _hidden: int
    tags: list = dataclasses.field(default_factory=list)

    def look(self):
        return dataclasses.astuple(self)


@dataclasses.dataclass(frozen=True)
class Frozen:
    n: int
    weights: np.ndarray

    def look(self):
        return self.n, self.weights


class Lazy:
    def __init__(self, n):
        self.values = np.arange(3.0) * n
        if n is not None:
            self.total  # pylint: disable=pointless-statement

    @functools.cached_property
    def total(self):
        return float(self.values.sum())

    @property
    def double(self):
        return self.total * 2

    def look(self):
        return self.values, self.total, self.double


T = typing.TypeVar('T')


class Box(typing.Generic[T]):
    def __init__(self, n):
        self._value = n

    def look(self):
        return self._value


class Remade(Meter):
    """An object that pickle creates by __reduce__."""

    def __reduce__(self):
        return Remade, (self._count,)


class State(Meter):
    def __getstate__(self):
        return {'_count': self._count}

    def __setstate__(self, state):
        self.__init__(state['_count'])


class Color(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


class Dict(collections.UserDict):
    def look(self):
        return self.data


Pair = collections.namedtuple('Pair', 'a b')


class Node:
    def __init__(self, n):
        self.value, self.children, self._parent = n, [], None

    def add(self, n):
        child = Node(n)
        child._parent = self
        self.children.append(child)
        return self

    def look(self):
        return self.value, [(child.value, child._parent is self)
                            for child in self.children]


class Listening:
    def __init__(self, n):
        self.n, self._target = n, weakref.ref(Color)


class Closure:
    def __init__(self, n):
        self.n = n
        self._next = lambda: n


class Feed:
    def __init__(self, n):
        self.n = n
        self._rows = (i for i in range(n))


def drawn(source):
    return [source.random() for _ in range(5)]


def look(value):
    return value.look()


# By name: a function that makes a value from a number, and one that returns
# the contents for a comparison.
SAVED = {
    'base slots': (BesideSlots, look), 'meter': (Meter, look),
    'ignoring': (Cached, look), 'ignoring more': (CachedMore, look),
    'scaler': (Scaler, look), 'getstate': (State, look),
    'dataclass': (lambda n: Config(n / 2, n, ['a'] * n), look),
    'frozen': (lambda n: Frozen(n, np.full(2, n)), look),
    'cached property': (Lazy, look), 'generic': (Box[int], look),
    'user dict': (lambda n: Dict(a=n), look),
    'parents': (lambda n: Node(n).add(n + 1).add(n + 2), look),
    'namespace': (lambda n: types.SimpleNamespace(a=n, _b=n), vars),
    'random': (random.Random, drawn),
    'default_rng': (np.random.default_rng, drawn),
    'RandomState': (np.random.RandomState, lambda v: v.rand(3)),
    'Philox': (lambda n: np.random.Generator(np.random.Philox(n)), drawn),
    'complex': (lambda n: n * 1j, None), 'bytes': (lambda n: bytes(n), None),
    'bytearray': (lambda n: bytearray([n] * 3), None),
    'int': (lambda n: n << 100, None), 'none': (lambda n: None, None),
    'pair': (lambda n: Pair(n, [n]), None),
    'ordered': (lambda n: collections.OrderedDict(b=n, a=n), None),
    'counter': (lambda n: collections.Counter(a=n), None),
    'defaultdict': (lambda n: collections.defaultdict(list, a=[n] * n), None),
}
REFUSED = {
    'lock': (lambda: Locked(1), '_lock', "add '_lock' to __varve_ignore__ of "
             'Locked'),
    'weak': (lambda: Listening(1), '_target', 'refers to.*__varve_ignore__'),
    'closure': (lambda: Closure(1), '_next', '__varve_ignore__ of Closure'),
    'feed': (lambda: Feed(1), '_rows', 'its position.*__varve_ignore__'),
    'reduce': (lambda: Remade(1), '', '__reduce__.*state_dict'),
    'enum': (lambda: Color.RED, '', 'name or its value'),
    'int enum': (lambda: Level.LOW, '', 'name or its value'),
    'Decimal': (lambda: decimal.Decimal('1.5'), '', 'str'),
    'Fraction': (lambda: fractions.Fraction(1, 3), '', 'numerator'),
    'datetime': (datetime.datetime.now, '', 'isoformat'),
    'date': (datetime.date.today, '', 'isoformat'),
    'timedelta': (datetime.timedelta, '', 'total_seconds'),
    'path': (lambda: pathlib.Path('a'), '', 'str'),
    'set': (lambda: {1}, '', 'list'), 'range': (lambda: range(3), '', 'list'),
    'frozenset': (lambda: frozenset('a'), '', 'list'),
    'deque': (lambda: collections.deque([1]), '', 'list'),
    'bounded deque': (lambda: collections.deque([1], 3), '', 'list'),
    'masked': (lambda: np.ma.masked_array([1.0], [1]), '', 'MaskedArray'),
    'dates': (lambda: np.zeros(2, 'M8[s]'), '', 'view'),
    'records': (lambda: np.zeros(2, 'i4,f4'), '', 'each field'),
    'partial': (lambda: functools.partial(print), '', 'written in C'),
    'class': (lambda: Meter, '', 'type'),
    'function': (lambda: drawn, '', 'function'),
    'object': (object, '', 'object'),
    'tuple keys': (lambda: {(1, 2): 3}, '', 'names must be str or int'),
    'exception': (lambda: ValueError('a'), '', 'ValueError'),
    'view': (lambda: {}.keys(), '', 'dict_keys'),
    'thread local': (threading.local, '', 'written in C'),
}


def shown(value, look_at):
    return repr(look_at(value) if look_at else value)


def path_of(folder, name):
    return os.path.join(folder, name.replace(' ', '_') + '.varve')


def save_all(folder):
    """Returns the contents of each."""
    looks = {}
    for name, (make, look_at) in SAVED.items():
        value = make(3)
        assert varve.write({'it': value}, path_of(folder, name)) == []
        looks[name] = shown(value, look_at)
    return looks


def restore_all(folder):
    looks = {}
    for name, (make, look_at) in SAVED.items():
        tree = {'it': make(1)}
        with varve.restore(tree, path_of(folder, name)) as restoration:
            restoration.assert_consumed()
            restoration.assert_existing_objects_matched()
        looks[name] = shown(tree['it'], look_at)
    return looks


if __name__ == '__main__':
    print(json.dumps(restore_all(sys.argv[1])))
