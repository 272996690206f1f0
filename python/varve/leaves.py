"""leaves.py - Presents values of a program as memory that the library reads
and fills.

A leaf has a buffer: the array itself if the library can use its memory,
otherwise a copy. `pull` copies the value of the program to the buffer before a
call, and `push` copies it back after a call that may have changed it.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import array as arrays
import enum
import functools
import itertools
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ._native import ffi, lib
from .dtypes import CODES, STRING, dtype, dtype_name
from .outside import FILLABLE, Outside, plain
from .slices import Slice
from .strings import (check_characters, check_text, from_library, obstacle,
                      to_library)

RESIZING = ffi.new('varve_resizing *', {
    'make_room': lib.varve_python_make_room,
    'settle': lib.varve_python_settle})
HEAP_TYPE = 1 << 9  # flag of __flags__: a class that Python code can extend
NUMBERS = {bool: '?', int: 'i8', float: 'f8', complex: 'c16'}


class Leaf:
    """A value of the program."""

    def pointer(self) -> Any:
        """The address and layout of the buffer, if they may change."""
        return None

    def pull(self, value: Any) -> bool:
        """Copies the value; returns False if it no longer has the type of this
        leaf."""
        raise NotImplementedError

    def view(self) -> Any:
        """Returns a view of the buffer for the library."""
        raise NotImplementedError

    def add(self, parent: Any, name: Any) -> Any:
        """Adds the node."""
        return lib.varve_add_variable(parent, name, self.view())

    def push(self, value: Any) -> Any:
        """Returns the current value: `value` itself if it was filled."""
        raise NotImplementedError

    def misfit(self, _value: Any) -> Optional[str]:
        """Returns the reason if the restored value cannot be pushed."""
        return None

    def lies_in(self, _value: Any) -> bool:
        """True if restored bytes are in the value without a copy."""
        return False

    def forget(self) -> None:
        """Makes the next pull copy the value and discard restored bytes."""


ADDRESS = ffi.typeof('uintptr_t')
SCALAR = lib.varve_shape_of(0, ffi.new('uint64_t[1]'))


def shape_of(shape: Any) -> Any:
    if not shape:
        return SCALAR
    extents = ffi.new('uint64_t[]', list(shape) or [0])
    return lib.varve_shape_of(len(shape), extents)


def view_of(pointer: Any, code: int, shape: Any) -> Any:
    return lib.varve_view(pointer, code, shape_of(shape))


class PlainLeaf(Leaf):
    """A bool, a 64-bit int or a float."""

    def __init__(self, value: Any):
        self._type = type(value)
        kind, self._code = PLAIN[self._type]
        self._buffer = ffi.new(kind, value)

    def pull(self, value: Any) -> bool:
        if type(value) is not self._type or is_large(value):
            return False
        self._buffer[0] = value
        return True

    def view(self) -> Any:
        return view_of(self._buffer, self._code, ())

    def push(self, value: Any) -> Any:
        found = self._buffer[0]
        return value if found == value and (
            self._type is not float or same(found, value)) else found


PLAIN = {bool: ('_Bool *', CODES['bool']),
         int: ('int64_t *', CODES['int64']),
         float: ('double *', CODES['float64'])}


class NumberLeaf(Leaf):
    """A complex number or a NumPy scalar."""

    def __init__(self, value: Any):
        self._type = type(value)
        self._name: Any = dtype_name(scalar_dtype(value))
        self._buffer = np.zeros((), scalar_dtype(value))
        self.pull(value)

    def pull(self, value: Any) -> bool:
        if type(value) is not self._type:
            return False
        self._buffer[()] = value
        return True

    def view(self) -> Any:
        return view_of(pointer_of(self._buffer), CODES[self._name], ())

    def push(self, value: Any) -> Any:
        found = self._buffer[()]
        if self._type in NUMBERS:
            found = found.item()
        return value if same(found, value) else found


def scalar_dtype(value: Any) -> np.dtype:
    if isinstance(value, np.generic):
        return value.dtype.newbyteorder('=') if value.dtype.kind in 'iufc' \
            else value.dtype
    return np.dtype(NUMBERS[type(value)])


def same(one: Any, other: Any) -> bool:
    """True if two values are equal bit for bit, NaNs included."""
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()


def pointer_of(array: np.ndarray) -> Any:
    return ffi.cast('void *', address_of(array))


def address_of(array: np.ndarray, is_contiguous: bool = False) -> int:
    """Returns the address of the first element."""
    if is_contiguous:
        try:  # faster than the dict of __array_interface__
            return int(ffi.cast(ADDRESS, ffi.from_buffer(array)))
        except (BufferError, TypeError, ValueError):
            pass  # an element type that the buffer protocol does not have
    return int(array.__array_interface__['data'][0])


class StringsLeaf(Leaf):
    """A str or bytes, or an array of them."""

    def __init__(self, value: Any):
        self._is_array = isinstance(value, np.ndarray)
        self._shape = value.shape if self._is_array else ()
        self._values: Optional[List[Any]] = None  # contents of the buffer
        self._strings: Any = None
        self._kept: Any = None
        self.pull(value)

    def pull(self, value: Any) -> bool:
        is_array = isinstance(value, np.ndarray)
        if is_array != self._is_array or is_array and (
                value.shape != self._shape or dtype_name(value.dtype)
                != 'string'):
            return False
        if not is_array and not isinstance(value, (str, bytes)):
            return False
        values = value.reshape(-1).tolist() if is_array else [value]
        if self._strings is None or values != self._values:
            self._values = values
            strings, self._kept = to_library(values)
            if self._strings is None:
                self._strings = strings
            else:  # in place, because the library has this address
                ffi.memmove(self._strings, strings, ffi.sizeof(strings))
        return True

    def view(self) -> Any:
        return view_of(self._strings, STRING, self._shape)

    def _restored(self, value: Any) -> List[Any]:
        """Returns str for elements that were str."""
        if is_fixed(value):
            return [from_library(item, value.dtype.kind == 'U')
                    for item in self._strings[0:value.size]]
        return [from_library(item, isinstance(like, str)) for item, like in
                zip(self._strings, self._values or [])]

    def misfit(self, value: Any) -> Optional[str]:
        return misfit_of(self._restored(value), value) if is_fixed(value) \
            else None

    def forget(self) -> None:
        self._values = None

    def push(self, value: Any) -> Any:
        found = self._restored(value)
        if found == self._values:
            return value
        self._values = found
        if not self._is_array:
            return found[0]
        flat = np.empty(len(found), object)
        flat[:] = found
        value[...] = flat.reshape(self._shape)
        return value


class LargeIntLeaf(StringsLeaf):
    """An int outside int64, as its decimal digits."""

    def __init__(self, value: int):
        super().__init__(str(value))

    def pull(self, value: Any) -> bool:
        return isinstance(value, str) and super().pull(value) or (
            is_large(value) and super().pull(str(value)))

    def push(self, value: Any) -> Any:
        found = int(super().push(str(value)))
        return value if found == value else found


class ArrayLeaf(Leaf):
    """An array of numbers, used in place. Strides describe gaps and other
    orders. A copy is used for another byte order and for overlapping elements.
    """

    _copy: Any = None
    _room: Any = None
    _handle: Any = None
    _memory: Any = None
    _at = 0  # as of the last call of pointer
    is_direct = False  # the buffer needs no strides

    def __init__(self, array: np.ndarray):
        self._dtype, self._shape = array.dtype, array.shape
        self._name: Any = dtype_name(self._dtype)
        self._take(array)

    def pointer(self) -> Any:
        buffer = self._buffer
        self._at = address_of(buffer, self.is_direct)
        return self._at, buffer.strides

    def lies_in(self, value: Any) -> bool:
        return self._buffer is value

    def pull(self, value: Any) -> bool:
        if not isinstance(value, np.ndarray) or value.dtype != self._dtype \
                or value.shape != self._shape \
                or dtype_name(value.dtype) != self._name:
            return False
        self._take(value)
        return True

    def _take(self, value: np.ndarray) -> None:
        self._buffer = value
        flags = value.flags
        self.is_direct = flags.c_contiguous and flags.aligned
        if not value.dtype.isnative or not (
                self.is_direct or is_apart(value)):
            if self._copy is None:
                self._copy = np.empty(self._shape, dtype(self._name))
            self._copy[...] = value
            self._buffer, self.is_direct = self._copy, True

    def view(self) -> Any:
        at = pointer_of(self._buffer)
        if self.is_direct:
            return view_of(at, CODES[self._name], self._shape)
        # The graph copies the strides, so they may be temporary.
        strides = ffi.new('int64_t[]', list(self._buffer.strides) or [0])
        self._memory = ffi.new('varve_memory *', {'strides': strides}), strides
        return lib.varve_view_in(self._memory[0], at, CODES[self._name],
                                 shape_of(self._shape))

    def add(self, parent: Any, name: Any) -> Any:
        if not self.is_direct:
            return super().add(parent, name)
        return lib.varve_python_add_array(
            parent, name, self._at, CODES[self._name], len(self._shape),
            self._shape or (0,))

    def push(self, value: Any) -> Any:
        if self._buffer is self._copy:
            value[...] = self._buffer
            return value
        return self._buffer

    def resizing(self) -> Any:
        """The callbacks for a value of another shape: it is read into a new
        array, which push returns."""
        if self._handle is None:
            self._handle = ffi.new_handle(self)
        return RESIZING, self._handle

    def make_room(self, shape: Any) -> Any:
        self._room = np.empty(shape, dtype(self._name))
        return pointer_of(self._room)

    def settle(self, is_taken: bool) -> None:
        if is_taken:
            self._buffer, self._copy = self._room, None
            self.is_direct = True
            self._dtype, self._shape = self._room.dtype, self._room.shape
        self._room = None


def add_arrays(parent: Any, names: Any, leaves: List[ArrayLeaf]) -> Any:
    """Adds nodes of arrays that need no strides, and returns them."""
    nodes = ffi.new('varve_node *[]', len(leaves))
    shapes = [leaf._shape for leaf in leaves]
    lib.varve_python_add_arrays(
        parent, names, len(leaves), [leaf._at for leaf in leaves],
        bytes([CODES[leaf._name] for leaf in leaves]), bytes(map(len, shapes)),
        list(itertools.chain.from_iterable(shapes)), nodes)
    return nodes


class ListLeaf(Leaf):
    """A list or tuple of numbers of one type, as an array."""

    def __init__(self, value: Any):
        self._type = type(value), type(value[0])
        self._buffer = array_of_numbers(value)
        self._taken = self._buffer.tobytes()

    def pull(self, value: Any) -> bool:
        if not is_number_list(value) or len(value) != len(self._buffer) \
                or (type(value), type(value[0])) != self._type:
            return False
        self._buffer[...] = array_of_numbers(value)
        self._taken = self._buffer.tobytes()
        return True

    def view(self) -> Any:
        return view_of(pointer_of(self._buffer),
                       CODES[self._buffer.dtype.name], self._buffer.shape)

    def push(self, value: Any) -> Any:
        if self._buffer.tobytes() == self._taken:
            return value
        self._taken = self._buffer.tobytes()
        found = self._buffer.tolist()
        if isinstance(value, tuple):
            return tuple(found)
        value[:] = found
        return value


def array_of_numbers(value: Any) -> np.ndarray:
    """Converts a list or tuple of numbers of one type. NumPy, which looks for
    a common type, would take twice the time."""
    kind = type(value[0])
    dtype_of = NUMBERS[kind]
    if kind is complex:
        return np.array(value, dtype_of)
    return np.frombuffer(
        bytearray(value) if kind is bool else
        arrays.array('d' if kind is float else 'q', value), dtype_of)


def is_large(value: Any) -> bool:
    """True for an int outside int64, which is saved as text."""
    return type(value) is int and not -2**63 <= value < 2**63


def is_number_list(value: Any) -> bool:
    """True for a list or tuple of numbers of one type, which is saved as one
    array."""
    if type(value) not in (list, tuple) or not value \
            or type(value[0]) not in NUMBERS \
            or len(set(map(type, value))) != 1:
        return False
    return type(value[0]) is not int or (
        -2**63 <= min(value) and max(value) < 2**63)


class OutsideLeaf(Leaf):
    """An array of another library, through a copy."""

    def __init__(self, value: Outside):
        self._kind = type(value.source)
        self._leaf = ArrayLeaf(value.array)

    def pointer(self) -> Any:
        return self._leaf.pointer()

    def pull(self, value: Any) -> bool:
        return isinstance(value, Outside) \
            and type(value.source) is self._kind \
            and self._leaf.pull(value.array)

    def view(self) -> Any:
        return self._leaf.view()

    def push(self, value: Any) -> Any:
        self._leaf.push(value.array)
        if value.give is None \
                or value.array.tobytes() == value.current().tobytes():
            return value
        return value.give(value.array)


class SliceLeaf(Leaf):
    """An array that is a part of a sharded value."""

    def __init__(self, value: Slice):
        self._of = value.shape, value.start
        self._leaf = ArrayLeaf(plain(value.array))

    def pointer(self) -> Any:
        return self._leaf.pointer()

    def pull(self, value: Any) -> bool:
        return isinstance(value, Slice) \
            and (value.shape, value.start) == self._of \
            and self._leaf.pull(plain(value.array))

    def view(self) -> Any:
        return self._leaf.view()

    def add(self, parent: Any, name: Any) -> Any:
        shape, start = self._of
        return lib.varve_add_slice(parent, name, self.view(), shape_of(shape),
                                   ffi.new('uint64_t[]', list(start) or [0]))

    def push(self, value: Any) -> Any:
        self._leaf.push(plain(value.array))
        return value


def is_apart(array: np.ndarray) -> bool:
    """True if no two elements overlap, by the rule of the library: the stride
    of each dimension exceeds the span of the smaller ones."""
    if array.flags.c_contiguous or array.size == 0:
        return True
    span = array.itemsize
    for stride, extent in sorted(
            (abs(stride), extent)
            for stride, extent in zip(array.strides, array.shape)
            if extent > 1):
        if stride < span:
            return False
        span += stride * (extent - 1)
    return True


def is_fixed(value: Any) -> bool:
    """True for an array of fixed-width strings."""
    return isinstance(value, np.ndarray) and value.dtype.kind in 'SU'


def misfit_of(restored: List[Any], array: np.ndarray) -> Optional[str]:
    """Returns the reason if strings do not fit into a fixed-width array."""
    for i, item in enumerate(restored):
        expected = obstacle(item, array.dtype)
        if expected:
            return (f'element {i}, {item[:40]!r}, does not fit into an array '
                    f'of {array.dtype}, which contains {expected}; use an '
                    'array of objects')
    return None


def refusal_of(value: Any) -> Optional[str]:
    """Returns the reason if no value can be restored into this one, else
    None."""
    if type(value) is np.ndarray and value.flags.carray:
        return None
    if isinstance(value, Slice):
        value = plain(value.array)
    if isinstance(value, Outside) and value.give is None:
        return (f'cannot restore into {value.kind}, which has neither '
                f'{FILLABLE}; restore into a NumPy array')
    if not isinstance(value, np.ndarray):
        return None
    if not value.flags.writeable:
        return 'cannot restore into a read-only array'
    if not is_apart(value):
        return ('cannot restore into an array whose elements overlap: shape '
                f'{value.shape} with strides {value.strides}; use a copy')
    return None


def leaf_maker(value: Any) -> Optional[Callable[[Any], Leaf]]:
    """Returns a function that makes a leaf of a value; None if the value is
    not a leaf. Raises a TypeError, whose message follows a path, if it cannot
    be saved."""
    if isinstance(value, Outside):
        check_array(value.array)
        return OutsideLeaf
    if isinstance(value, (str, bytes)):
        check_alone(value, 'a string')
        check_text(value)
        return StringsLeaf
    if isinstance(value, np.generic):
        check_dtype(value.dtype)
        return NumberLeaf
    if type(value) in NUMBERS:
        return LargeIntLeaf if is_large(value) else \
            PlainLeaf if type(value) in PLAIN else NumberLeaf
    if is_number_list(value):
        return ListLeaf
    if isinstance(value, Slice):
        array = plain(value.array)
        if not isinstance(array, np.ndarray) or array.dtype.kind in 'OSU':
            raise TypeError('a slice must be an array of numbers, not of '
                            f'{getattr(array, "dtype", type(array))}')
        check_array(array)
        return SliceLeaf
    if isinstance(value, np.ndarray):
        check_array(value)
        return StringsLeaf if dtype_name(value.dtype) == 'string' else ArrayLeaf
    return None


def check_dtype(of: np.dtype) -> None:
    if dtype_name(of) is None:
        way = ': save .view("int64") of it' if of.kind in 'mM' else \
            ': save each field by name' if of.fields else ''
        raise TypeError(f'cannot save the element type {of}{way}')


def state_of(value: Any) -> List[str]:
    """Returns the names of the attributes that the base class does not
    have."""
    return list(getattr(value, '__dict__', ())) + mangled_slots(value)


@functools.lru_cache(maxsize=1024)
def slot_names(kind: Any) -> Tuple[str, ...]:
    """Returns the slots of a class and its bases, as getattr expects them."""
    found = []
    for base in kind.__mro__:
        slots = base.__dict__.get('__slots__', ())
        for name in [slots] if isinstance(slots, str) else slots:
            if name.startswith('__') and not name.endswith('__'):
                name = f'_{base.__name__.lstrip("_")}{name}'
            if name not in ('__dict__', '__weakref__'):
                found.append(name)
    return tuple(found)


def mangled_slots(value: Any) -> List[str]:
    """Returns the slots that are set."""
    kind: Any = type(value)
    return [name for name in slot_names(kind) if hasattr(value, name)]


def check_alone(value: Any, what: str) -> None:
    """Raises TypeError if a value has attributes of its own."""
    if type(value).__flags__ & HEAP_TYPE == 0:
        return
    found = [name for name in state_of(value)
             if name not in ('_metadata', '__orig_class__')]
    if found or isinstance(value, enum.Enum):
        beside = f' with the attribute {found[0]!r}' if found else ''
        raise TypeError(
            f'cannot save {type(value).__name__}{beside}: only {what} without '
            'attributes can be saved; save its parts by name')


def check_array(array: np.ndarray) -> None:
    if type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray):
        raise TypeError(f'cannot save {type(array).__name__}: save its .data '
                        'and .mask by name')
    check_alone(array, 'an array')
    check_dtype(array.dtype)
    if array.dtype.kind == 'O':
        for i, item in enumerate(array.reshape(-1)):
            if not isinstance(item, (str, bytes)):
                raise TypeError(
                    f'element {i} of the array is {type(item).__name__}; an '
                    'array must contain numbers or strings')
            check_text(item, f' as element {i}')
    if array.dtype.kind == 'U':
        check_characters(array)
