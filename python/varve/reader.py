"""reader.py - Opens a checkpoint of any format and reads values from it.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import enum
import os
import sys
from typing import (Any, Dict, Iterator, List, Mapping, NamedTuple, Optional,
                    Tuple, Union)

import numpy as np

from ._native import ffi, lib
from .box import box_of
from .dtypes import BOOL, NAMES, STRING, saved_dtype
from .errors import (NotFoundError, Status, call, error_of, file_path, refuse,
                     text)
from .kinds import PYTHON_TAG, made_dict, made_value, names_of
from .maps import Maps
from .options import metadata_value
from .strings import from_file, path_bytes
from .survey import NONE_TAG

__all__ = ['Kind', 'Reader', 'SavedNode', 'SavedSlot', 'forbid_hdf5', 'open',
           'load']

Path = Union[str, 'os.PathLike[str]']


class Kind(enum.IntEnum):
    """The kind of a node."""

    NIL = 0
    OBJECT = 1
    VARIABLE = 2
    LIST = 3
    DICT = 4
    STATE = 5


SCALARS = {'bool': '_Bool *', 'int64': 'int64_t *', 'float64': 'double *'} \
    if sys.byteorder == 'little' else {}
KINDS = {int(kind): kind for kind in Kind}


class SavedSlot(NamedTuple):
    """A value that belongs to two nodes, such as the momentum of a kernel."""

    name: str
    variable: 'SavedNode'
    node: 'SavedNode'


class Part(NamedTuple):
    """The place of a part in a sharded value: the shape of the value and the
    start of the part."""

    shape: Tuple[int, ...]
    start: Tuple[int, ...]


def part_of(saved: Any) -> Optional[Part]:
    """Returns None if the value is complete."""
    if not saved.part:
        return None
    rank = saved.part.shape.rank
    return Part(tuple(saved.part.shape.extents[0:rank]),
                tuple(saved.part.start[0:rank]))


class Reader(Mapping[str, 'SavedNode']):
    """An open checkpoint: a mapping from paths to the nodes with values.

    >>> import tempfile, varve
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = folder.name + '/a.varve'
    >>> _ = varve.write({'w': np.ones((2, 3), 'f4'), 'step': 7}, path)
    >>> with varve.open(path) as file:
    ...     for name, node in file.items():
    ...         print(name, node.dtype, node.shape)
    ...     print(file['w'][0, 1:])
    step int64 ()
    w float32 (2, 3)
    [1. 1.]
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, salvage: bool = False):
        how = lib.varve_reader_salvage if salvage else lib.varve_reader_open
        self._handle = ffi.gc(call(how, file_path(path), ffi.NULL),
                              lib.varve_reader_free)
        self._maps = Maps(text(lib.varve_reader_path(self._handle)))

    @property
    def handle(self) -> Any:
        """The reader of the library, which is freed when nothing refers to
        it."""
        if self._handle is None:
            raise ValueError('the reader is closed')
        return self._handle

    def close(self) -> None:
        """Closes the file. Arrays that were read remain valid."""
        self._handle = None

    def __enter__(self) -> 'Reader':
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def path(self) -> str:
        """The file that was opened."""
        return os.fsdecode(ffi.string(lib.varve_reader_path(self.handle)))

    @property
    def format(self) -> str:
        """The name of the format, such as 'varve' or 'safetensors'."""
        return text(lib.varve_format_name(lib.varve_reader_format(self.handle)))

    @property
    def size(self) -> int:
        """The size of all files in bytes."""
        return int(lib.varve_reader_size(self.handle))

    @property
    def has_checksums(self) -> bool:
        """True if the bytes have checksums."""
        return bool(lib.varve_reader_has_checksums(self.handle))

    @property
    def counter(self) -> int:
        """The save counter; 0 if the file is not of a numbered save."""
        return int(lib.varve_reader_counter(self.handle))

    @property
    def metadata(self) -> Dict[str, Any]:
        """Named scalars and strings, such as the step."""
        found: Dict[str, Any] = {}
        item = lib.varve_reader_metadata_at(self.handle, 0)
        while item != ffi.NULL:
            found[text(item.name)] = metadata_value(item)
            item = lib.varve_reader_metadata_at(self.handle, len(found))
        return found

    @property
    def left_out(self) -> List[Tuple[str, str]]:
        """The path and description of each part of an external file that is
        neither a node, a value nor metadata, such as an HDF5 attribute."""
        found: List[Tuple[str, str]] = []
        texts = ffi.new('const char *[2]')
        while lib.varve_reader_left_out_at(self.handle, len(found), texts,
                                           texts + 1):
            found.append((text(texts[0]), text(texts[1])))
        return found

    @property
    def root(self) -> 'SavedNode':
        """The root of the saved graph."""
        return self.node(0)

    def node(self, number: int) -> 'SavedNode':
        """Returns a node by its number in the file."""
        saved = ffi.new('varve_saved_node *')
        if not lib.varve_reader_node_at(self.handle, number, saved):
            raise IndexError(f'{self.path}: no node {number}; the file has '
                             f'{lib.varve_reader_node_count(self.handle)}')
        return SavedNode(self, saved)

    def find(self, path: str) -> 'SavedNode':
        """Returns the node at a path, which may contain any edges. Raises
        NotFoundError if there is none."""
        saved = ffi.new('varve_saved_node *')
        if not lib.varve_reader_find(self.handle, path_bytes(path), saved):
            raise NotFoundError(Status.NOT_FOUND,
                                f'{self.path}: no node at {path!r:.200}')
        return SavedNode(self, saved)

    def walk(self) -> Iterator['SavedNode']:
        """Yields all nodes, the root first and parents before their
        children."""
        for number in range(lib.varve_reader_node_count(self.handle)):
            yield self.node(number)

    def digest(self) -> bytes:
        """A digest of all values and their paths. Equal values have equal
        digests."""
        digest = ffi.new('uint8_t[16]')
        call(lib.varve_reader_digest, self.handle, digest)
        return bytes(digest)

    def verify(self, threads: int = 0) -> None:
        """Reads every byte; raises DamagedError if a checksum does not
        match."""
        options = ffi.new('varve_verify_options *')
        options.threads = threads
        call(lib.varve_reader_verify, self.handle, options)

    def __getitem__(self, path: str) -> 'SavedNode':
        return self.find(path)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and bool(lib.varve_reader_find(
            self.handle, path_bytes(path), ffi.new('varve_saved_node *')))

    def __iter__(self) -> Iterator[str]:
        return (node.path for node in self.walk() if node.has_value)

    def __len__(self) -> int:
        return sum(node.has_value for node in self.walk())

    def __repr__(self) -> str:
        state = 'closed' if self._handle is None else repr(self.path)
        return f'<varve.Reader {state}>'

    def load(self, map: bool = False) -> Any:  # pylint: disable=W0622
        """Loads all values as nested dicts and lists; see varve.load."""
        return Loading(self, map).load()


class SavedNode:
    """A node of a checkpoint. A variable has `dtype`, `shape` and `nbytes`;
    `read`, `map` and `node[...]` return its value. `part` is the place of a
    part in a sharded value whose other parts are in files of other processes,
    else None."""

    def __init__(self, reader: Reader, saved: Any):
        self.reader = reader
        self._saved = saved
        self._handle = reader.handle  # owned by the reader
        self.number: int = saved.id
        self.kind = KINDS[saved.kind]
        self.has_value = bool(saved.has_value)
        self._code: int = saved.value.dtype
        self.dtype = saved_dtype(self._code) if self._code else None
        self.shape: Tuple[int, ...] = tuple(
            saved.value.shape[0:saved.value.rank]) if self._code else ()
        self._counts = saved.edge_count, saved.slot_count, saved.tag_count

    @property
    def path(self) -> str:
        """One of the paths of the node."""
        return text(self._saved.path)

    @property
    def global_name(self) -> Optional[str]:
        """The name of the node that is unique in the file, if it has one."""
        return text(self._saved.global_name) or None

    @property
    def digest(self) -> bytes:
        """The digest of the value."""
        return bytes(self._saved.digest)

    @property
    def nbytes(self) -> int:
        """The size of the value in bytes."""
        return int(self._saved.size)

    @property
    def file(self) -> Optional[str]:
        """The file that contains the value uncompressed and in one piece."""
        return (os.fsdecode(ffi.string(self._saved.file)) if self._saved.file
                else None)

    @property
    def offset(self) -> int:
        """The offset in that file."""
        return int(self._saved.offset)

    @property
    def part(self) -> Optional[Part]:
        """The place of the value in a sharded value."""
        return part_of(self._saved)

    @property
    def type(self) -> Optional[str]:
        """The library's name of the element type, such as 'bfloat16'."""
        return NAMES.get(self._code)

    @property
    def edges(self) -> Dict[str, 'SavedNode']:
        """The children by name; those of a list by index."""
        return {name: self.reader.node(number)
                for name, number in self.edge_items()}

    @property
    def edge_count(self) -> int:
        """The number of children."""
        return int(self._counts[0])

    def child_numbers(self) -> Iterator[int]:
        """Yields the numbers of the children."""
        return (number for _, number in self.edge_items())

    def edge_items(self) -> Iterator[Tuple[str, int]]:
        """Yields the names and numbers of the children."""
        name, child = ffi.new('const char **'), ffi.new('uint32_t *')
        handle = self.reader.handle
        for i in range(self._counts[0]):
            lib.varve_reader_edge_at(handle, self.number, i, name, child)
            yield text(name[0]), child[0]

    @property
    def slots(self) -> List[SavedSlot]:
        """The slots that belong to this node."""
        name = ffi.new('const char **')
        numbers = ffi.new('uint32_t[2]')
        found = []
        for i in range(self._counts[1]):
            lib.varve_reader_slot_at(self.reader.handle, self.number, i, name,
                                     numbers, numbers + 1)
            found.append(SavedSlot(text(name[0]), self.reader.node(numbers[0]),
                                   self.reader.node(numbers[1])))
        return found

    @property
    def tags(self) -> List[str]:
        """The tags of this node."""
        return [] if not self._counts[2] else [
            text(lib.varve_reader_tag_at(self.reader.handle, self.number, i))
            for i in range(self._counts[2])]

    def __getitem__(self, name: Any) -> Any:
        """Returns a child by name, or a part of the value of a variable."""
        if isinstance(name, str):
            return self.edges[name]
        if not self._code:
            raise IndexError(self._no_array(name))
        return read_part(self, name)

    def _no_array(self, index: Any) -> str:
        """Returns the message for an index of a node that is not a
        variable."""
        path = self.path
        names = list(self.edges)
        name = str(index) if isinstance(index, int) and str(index) in names \
            else names[0] if names else None
        kind = self.kind.name.lower()
        article = 'an' if kind[0] == 'o' else 'a'
        way = '' if name is None else \
            f": use file[{'/'.join(filter(None, (path, name)))!r}]"
        return f'{path or "the root"} is {article} {kind}, not an array{way}'

    def read(self) -> np.ndarray:
        """Reads and verifies the value, and returns a new array. Strings are
        an array of bytes objects."""
        if not self.has_value:
            raise error_of(Status.NOT_FOUND,
                           f'{self.reader.path}: {self.path}: the file has no '
                           'value for it, for example because a repair lost '
                           'it; varve.open reads the others')
        if self._code == STRING:
            return self._read_strings()
        array = array_for(self, self.shape)
        self._read_into(address(array))
        return array

    def read_scalar(self) -> Any:
        """Returns a bool, int or float, for nodes of these types."""
        room = ffi.new(SCALARS[self.type or ''])
        self._read_into(room)
        return room[0]

    def _read_strings(self) -> np.ndarray:
        array = array_for(self, self.shape)
        data = array_for(self, (self.nbytes,), np.uint8)
        self._read_into(address(data))
        if not from_file(data.tobytes(), array):
            raise error_of(
                Status.CORRUPT, f'{self.reader.path}: {self.path}: damaged: '
                'the lengths of the strings do not fit the value')
        return array

    def _read_into(self, where: Any) -> None:
        call(lib.varve_reader_read, self.reader.handle, self.number, where,
             self.nbytes)

    @property
    def is_mappable(self) -> bool:
        """True if the value can be mapped: it is uncompressed and in one
        piece. Bools are checked when they are read, so they cannot be mapped.
        """
        return bool(self.has_value and self.file and
                    self._code not in (BOOL, STRING))

    def map(self) -> np.ndarray:
        """Maps the value into memory: pages are read on access and not
        verified, and the array is read-only. Bools and values that are
        compressed or in several pieces are rejected."""
        if not self.is_mappable:
            raise refuse(f'{self.path}: this value cannot be mapped; use '
                         'read()')
        if self.nbytes == 0:
            array = array_for(self, self.shape)
            array.flags.writeable = False
            return array
        return self.reader._maps.array(self)  # pylint: disable=W0212

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.read() if dtype is None else self.read().astype(dtype)

    def __repr__(self) -> str:
        what = f' {self.type} {self.shape}' if self._code else ''
        return f'<varve.SavedNode {self.path!r} {self.kind.name}{what}>'


def forbid_hdf5() -> None:
    """Forbids this process to read HDF5 files, whatever the options. It cannot
    be undone."""
    lib.varve_forbid_hdf5()


def address(array: np.ndarray) -> Any:
    """Returns the address of the first element."""
    return ffi.cast('void *', array.__array_interface__['data'][0])


def array_for(node: SavedNode, shape: Tuple[int, ...],
             dtype: Any = None) -> np.ndarray:
    """Returns an uninitialized array. A file may contain any size."""
    try:
        return np.empty(shape, dtype or node.dtype or np.uint8)
    except MemoryError:
        status, what = Status.NO_MEMORY, 'not enough memory for'
    except (ValueError, OverflowError):
        status, what = Status.LIMIT, 'NumPy does not support the shape of'
    raise error_of(status, f'{node.reader.path}: {node.path}: {what} '
                   f'{node.type}{list(shape)}')


def read_part(node: SavedNode, index: Any) -> np.ndarray:
    """Reads a part of a value, and only the bytes of the file that it
    needs."""
    starts, extents, shape = box_of(node, index)
    box = ffi.new('varve_box *')
    box.start[0:len(starts)] = starts
    box.extents[0:len(extents)] = extents
    array = array_for(node, tuple(shape))
    call(lib.varve_reader_read_box, node.reader.handle, node.number, box,
         address(array), array.nbytes)
    return array


class Loading:
    """Makes nested dicts and lists of a checkpoint. Shared nodes become shared
    objects."""

    def __init__(self, reader: Reader, is_mapped: bool,
                 is_python: bool = False):
        self._reader = reader
        # True if scalars and texts have Python's types.
        self._is_python = is_python or PYTHON_TAG in reader.root.tags
        self._is_mapped = is_mapped
        self._made: Dict[int, Any] = {}
        self.lists: List[Any] = []  # lists that are not arrays in the file
        self._homes: Dict[int, List[Tuple[Any, Any]]] = {}  # of lists

    def share(self, made: Mapping[int, Any]) -> None:
        """Adds existing objects by the number of their node."""
        self._made.update(made)

    def load(self, top: Optional[SavedNode] = None,
             is_new: bool = False) -> Any:
        """Returns all of the file, or the part below a node. Nodes that were
        made before are the same objects; with `is_new` except the top."""
        if top and is_new:
            self._made.pop(top.number, None)
        elif top and top.number in self._made:
            self.lists = []
            return self._made[top.number]
        nodes = [node for node in
                 (below(top) if top else self._reader.walk())
                 if node.number not in self._made]
        for node in nodes:
            self._made[node.number] = self._begin(node)
        for node in nodes:
            self._fill(node, self._made[node.number])
        for node in reversed(nodes):
            if node.kind == Kind.LIST and 'tuple' in node.tags:
                self._make_tuple(node)
        self.lists = [self._made[node.number] for node in nodes
                      if node.kind == Kind.LIST
                      and isinstance(self._made[node.number], list)]
        return self._made[nodes[0].number]

    def _begin(self, node: SavedNode) -> Any:
        if node.kind == Kind.LIST:
            return []
        if NONE_TAG in node.tags and not node.edge_count:
            return None
        if node.kind == Kind.VARIABLE or self._is_leaf(node):
            return self._value(node)
        return made_dict(node.tags) if node.kind == Kind.DICT else {}

    @staticmethod
    def _is_leaf(node: SavedNode) -> bool:
        return node.kind == Kind.STATE and not node.edge_count

    def _value(self, node: SavedNode) -> Any:
        if not node.has_value:
            return node.read()  # raises the error
        if self._is_mapped and node.is_mappable and node.shape:
            return node.map()
        if self._is_python and not node.shape and node.type in SCALARS \
                and not node.tags:
            return node.read_scalar()
        value = node.read()
        value = value if node.shape else value[()]
        return made_value(value, node.tags) if self._is_python else value

    def _make_tuple(self, node: SavedNode) -> None:
        made = tuple(self._made[node.number])
        self._made[node.number] = made
        for holder, name in self._homes.get(node.number, ()):
            holder[name] = made

    def _put(self, made: Any, name: Any, number: int) -> None:
        made[name] = self._made[number]
        if isinstance(made[name], list):
            self._homes.setdefault(number, []).append((made, name))

    def _fill(self, node: SavedNode, made: Any) -> None:
        if node.kind == Kind.LIST:
            made.extend([None] * node.edge_count)
            for i, number in enumerate(node.child_numbers()):
                self._put(made, i, number)
        elif isinstance(made, dict):
            edges = list(node.edge_items())
            names = names_of([name for name, _ in edges], node.tags) \
                if edges else []
            for name, (_, number) in zip(names, edges):
                self._put(made, name, number)
            for slot in node.slots:
                made[f'{slot.name}({slot.variable.path})'] = self._made[
                    slot.node.number]


def below(top: SavedNode) -> List[SavedNode]:
    """Returns a node and all nodes below it."""
    nodes, seen = [top], {top.number}
    for node in nodes:  # the list grows in the loop
        for number in node.child_numbers():
            if number not in seen:
                seen.add(number)
                nodes.append(top.reader.node(number))
    return nodes


def open(path: Path, salvage: bool = False) -> Reader:  # pylint: disable=W0622
    """Opens a checkpoint of any format, which is detected from the contents.

    With `salvage` the intact values of a damaged Varve file can be read.
    """
    return Reader(path, salvage)


def load(path: Path, map: bool = False) -> Any:  # pylint: disable=W0622
    """Loads all values of a checkpoint as nested dicts, lists, arrays and
    scalars.

    Each value is verified. With `map` arrays are mapped into memory if
    possible: they are neither copied nor verified, and they are read-only.

    >>> import tempfile, varve
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = folder.name + '/a.varve'
    >>> _ = varve.write({'layers': [np.zeros(3), np.ones(2)]}, path)
    >>> varve.load(path)
    {'layers': [array([0., 0., 0.]), array([1., 1.])]}
    >>> folder.cleanup()
    """
    with Reader(path) as reader:
        return reader.load(map)
