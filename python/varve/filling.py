"""filling.py - Creates the values that only the file has, in place of None and
in lists and dicts.

A restoration fills existing arrays. In place of None, in an empty list or
dict, and after the end of a list the program has no value yet. This module
creates these values before the library reads the file. The changes can be
undone.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping,
                    Optional, Tuple)

import numpy as np

from ._native import ffi, lib
from .communicator import Communicator, together
from .errors import (Error, MismatchError, NotFoundError, Status, call,
                     error_of)
from .kinds import PYTHON_TAG
from .leaves import NUMBERS, ListLeaf, is_large
from .options import Options, as_patterns
from .reader import Kind, Loading, Reader, SavedNode
from .strings import path_bytes
from .survey import (ArrayPart, Part, Survey, is_none_tagged,
                     named_children, put, put_tuples, set_child)

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ['Filled', 'call_with_types', 'check_new_objects', 'fill',
           'fill_late', 'may_have', 'planned_path']

SCALARS = (*NUMBERS, str, bytes, type(None))
Undo = Callable[[], None]


class Filled:
    """A record of the changes."""

    def __init__(self) -> None:
        self._undo: List[Undo] = []

    def __bool__(self) -> bool:
        return bool(self._undo)

    def note(self, undo: Undo) -> None:
        self._undo.append(undo)

    def undo(self) -> None:
        """Undoes the changes."""
        while self._undo:
            self._undo.pop()()


class Filling:
    """Creates values of one file in one program."""

    def __init__(self, reader: Reader, survey: Survey, options: Options,
                 filled: Filled, unfolded: Dict[Any, Any]):
        self._unfolded = unfolded
        self._reader = reader
        self._is_python = PYTHON_TAG in reader.root.tags
        self._survey = survey
        self._names = Names(options.keywords)
        self._filled = filled
        self._nodes: Dict[Any, Optional[SavedNode]] = {}  # keys of parts
        self._edges: Dict[int, Dict[str, int]] = {}  # numbers of children
        self._loading: Optional[Loading] = None

    def fill(self, parts: List[Part]) -> None:
        changed = False
        for part in parts:
            if not is_fillable(part):  # filled at another place
                continue
            if self._make_none(part):
                changed = True
                continue
            if part.maker or (part.is_list and all(
                    type(child) in SCALARS for child in part.holder)):
                changed |= self._fit_list(part)
            if part.maker:
                continue
            if part.is_list:
                changed |= self._fill_list(part)
            elif part.kind == lib.VARVE_DICT and not part.holder:
                changed |= self._fill_dict(part)
            changed |= self._fill_nones(part)
        if changed:
            put_tuples(list(self._survey.parts.values()), self._filled.note)

    def fit_types(self) -> bool:
        """Replaces each value by None if None was saved, and each int by that
        of the file if only one of them is saved as text."""
        changed = False
        for part, name, value in values_of(self._survey):
            node = self._find(part, name)
            if node is None or not (
                    is_none_tagged(node.tags)
                    or type(value) is int and is_saved_int(node)
                    and (node.type == 'string') != is_large(value)):
                continue
            self._put(part, name, self._made(node, is_new=True), value)
            changed = True
        if changed:
            put_tuples(list(self._survey.parts.values()), self._filled.note)
        return changed

    def _find(self, part: Part, name: Any = None) -> Optional[SavedNode]:
        """Returns the node in the file for a part, or for a child of it."""
        if self._names.are_same:
            node = self._node_of(part)
            return node if name is None else self._child(node, name)
        return self._look_up(part.path if name is None else part.path_to(name))

    def _look_up(self, path: str) -> Optional[SavedNode]:
        found = self._names.in_file(path)
        if found is None:
            return None
        try:
            return self._reader.find(found)
        except NotFoundError:
            return None

    def _node_of(self, part: Part) -> Optional[SavedNode]:
        """Finds the node from that of the parent. Looking up each path from
        the root would take quadratic time in the depth."""
        below = []
        while part.home and part.key not in self._nodes:
            below.append(part)
            part = part.home[0]
        node = self._nodes[part.key] if part.home else self._look_up('')
        for part in reversed(below):
            assert part.home
            node = self._nodes[part.key] = self._child(node, part.home[1])
        return node

    def _child(self, node: Optional[SavedNode],
               name: Any) -> Optional[SavedNode]:
        if node is None:
            return None
        if node.number not in self._edges:
            self._edges[node.number] = dict(node.edge_items())
        number = self._edges[node.number].get(str(name))
        return None if number is None else self._reader.node(number)

    def _fill_list(self, part: Part) -> bool:
        node = self._find(part)
        if node is None or node.kind != Kind.LIST \
                or node.edge_count <= len(part.holder):
            return False
        children = list(node.edges.values())[len(part.holder):]
        if not all(is_plain(child) for child in children):
            return False
        holder, count = part.holder, len(part.holder)
        self._filled.note(lambda: holder.__delitem__(slice(count, None)))
        holder.extend(self._made(child) for child in children)
        self._unfolded[part.key] = part.value
        return True

    def _fit_list(self, part: Part) -> bool:
        """Replaces the contents of a list of numbers and strings by those of
        the file, if the file has another length, single elements instead of an
        array, or other types."""
        node = self._find(part)
        if node is None:
            return False
        if node.kind == Kind.LIST:
            # Without Python's tags bytes and text cannot be distinguished. So
            # existing elements stay and get their values one by one.
            if not part.holder or not (part.maker or self._is_python) \
                    or not all(map(is_scalar, node.edges.values())):
                return False
            self._unfolded[part.key] = part.value
        elif node.kind != Kind.VARIABLE or len(node.shape) != 1 \
                or node.dtype is None or node.dtype.kind not in 'biufc' \
                or not is_plain(node) or (
                    part.maker and is_same_list(part.value, node)):
            return False
        made = self._made(node, is_new=True)
        self._replace(part, made if type(made) in (list, tuple)
                      else made.tolist())
        return True

    def _replace(self, part: Part, made: Any) -> None:
        part.holder = list(made)
        if isinstance(part.value, tuple):
            put(part, tuple(made), self._filled.note)
            return
        old = list(part.value)
        value = part.value
        self._filled.note(lambda: value.__setitem__(slice(None), old))
        value[:] = made
        part.holder = value

    def _fill_dict(self, part: Part) -> bool:
        node = self._find(part)
        if node is None or node.kind != Kind.DICT or not node.edge_count \
                or not is_plain(node):
            return False
        self._filled.note(part.value.clear)
        part.value.update(self._made(node, is_new=True))
        return True

    def _make_none(self, part: Part) -> bool:
        """Replaces an empty list, tuple or dict by None if that was saved."""
        if part.maker or part.holder or not part.home:
            return False
        node = self._find(part)
        if node is None or not is_none_tagged(node.tags):
            return False
        put(part, None, self._filled.note)
        return True

    def _fill_nones(self, part: Part) -> bool:
        changed = False
        for name in names_of_none(part):
            node = self._find(part, name)
            if node is None or is_none_tagged(node.tags) \
                    or not is_plain(node):
                continue
            self._put(part, name, self._made(node))
            changed = True
        return changed

    def _put(self, home: Part, name: Any, value: Any,
             old: Any = None) -> None:
        self._filled.note(lambda: set_child(home, name, old))
        set_child(home, name, value)

    def _made(self, node: SavedNode, is_new: bool = False) -> Any:
        """Creates the value of a node. What the file shares is shared with
        other created values and with those of the program; with `is_new`
        except the value itself."""
        if self._loading is None:
            self._loading = Loading(self._reader, False, is_python=True)
            self._loading.share(self._existing())
        made = self._loading.load(node, is_new)
        self._unfolded.update((id(each), each)
                              for each in self._loading.lists)
        return made

    def _existing(self) -> Dict[int, Any]:
        """Returns the arrays, lists and dicts of the program by the number of
        their node in the file."""
        found: Dict[int, Any] = {}
        for part in self._survey.parts.values():
            if type(part.value) in (np.ndarray, list, dict) \
                    and part.source is part.value and not part.is_of_state:
                node = self._find(part)
                if node is not None:
                    found[node.number] = part.value
        return found


def names_of_none(part: Part) -> List[Any]:
    """Returns the names of children that are None."""
    if part.is_list:
        return [i for i, child in enumerate(part.holder) if child is None]
    if not part.has_none:
        return []
    return [name for name, child in named_children(part).items()
            if child is None]


def values_of(survey: Survey) -> Iterator[Tuple[Part, Any, Any]]:
    """Yields the numbers, strings, lists and tuples in lists, dicts and
    objects, with the part and the name of each."""
    for part in survey.parts.values():
        if type(part) is ArrayPart or part.maker or part.is_none \
                or part.is_of_state:
            continue
        for name, value in list(enumerate(part.holder) if part.is_list
                                else named_children(part).items()):
            if type(value) in (*SCALARS, list, tuple) and value is not None:
                yield part, name, value


def is_saved_int(node: SavedNode) -> bool:
    """True for an int of Python, which is text if it is outside int64."""
    return node.kind == Kind.VARIABLE and is_plain(node) and not node.shape \
        and ('int' in node.tags if node.type == 'string'
             else node.type == 'int64' and not node.tags)


def is_scalar(node: SavedNode) -> bool:
    """True for a number, a string or None."""
    return is_none_tagged(node.tags) or (
        node.kind == Kind.VARIABLE and not node.shape)


def is_same_list(value: Any, node: SavedNode) -> bool:
    return node.shape == (len(value),) \
        and node.dtype == np.dtype(NUMBERS[type(value[0])])


def is_plain(node: SavedNode) -> bool:
    """True if the node can be created without the program: it consists only of
    values, lists and dicts."""
    reader, queue, seen = node.reader, [node], {node.number}
    for one in queue:  # the list grows in the loop
        if one.kind == Kind.VARIABLE:
            if not one.has_value or one.part:
                return False
        elif one.kind not in (Kind.LIST, Kind.DICT) or one.slots:
            if not is_none_tagged(one.tags) or one.edge_count:
                return False
        for number in one.child_numbers():
            if number not in seen:
                seen.add(number)
                queue.append(reader.node(number))
    return True


class Names:
    """Maps paths of the program to paths of a file."""

    def __init__(self, keywords: Mapping[str, Any]):
        self._renames: Dict[str, str] = {
            program.strip('/'): file.strip('/') for program, file in
            (keywords.get('renames') or {}).items()}
        self._subtree = (keywords.get('subtree') or '').strip('/')
        self._only, self._except = (
            as_patterns(keywords[name], name) if keywords.get(name) else None
            for name in ('only', 'except_'))
        # The library applies these options; no values are created.
        self._is_unknown = bool(keywords.get('rename_file')
                                or keywords.get('dots'))
        # True if paths below the subtree are those of the program.
        self.are_same = not (self._renames or self._is_unknown
                             or self._only or self._except)

    def in_file(self, path: str) -> Optional[str]:
        """Returns None if the value is not restored."""
        chars = path_bytes(path)
        if self._is_unknown or (
                self._only and not lib.varve_path_matches(self._only, chars)
        ) or (self._except and lib.varve_path_matches(self._except, chars)):
            return None
        for prefix in prefixes_of(path) if self._renames else ():
            if prefix in self._renames:
                path = self._renames[prefix] + path[len(prefix):]
                break
        return '/'.join(filter(None, (self._subtree, path.strip('/'))))


def prefixes_of(path: str) -> Iterator[str]:
    """Yields the path and all its parents, the longest first."""
    while path:
        yield path
        path = path.rpartition('/')[0]
    yield ''


def planned_path(graph: 'Graph', path: bytes,
                 options: Options) -> Optional[str]:
    """Returns the file that a read of this path opens, or None if the read
    will fail."""
    try:
        plan = ffi.gc(call(lib.varve_dry_run, graph.root, path, options.struct),
                      lib.varve_restoration_free)
    except Error:
        return None
    return os.fsdecode(ffi.string(lib.varve_restoration_path(plan)))


def is_fillable(part: Part) -> bool:
    """True if values may be created in the part."""
    if part.maker:
        return part.maker is ListLeaf
    return not part.is_none and (
        part.is_list or (part.kind == lib.VARVE_DICT and not part.holder)
        or bool(names_of_none(part)))


def fillable_parts(survey: Survey) -> List[Part]:
    """Returns the parts in which values may be created."""
    return [part for part in survey.parts.values()
            if type(part) is not ArrayPart and is_fillable(part)]


def fill(graph: 'Graph', survey: Survey, path: Callable[[], Optional[str]],
         options: Options) -> Filled:
    """Creates the values that only the file has. Errors of the file are left
    to the restoration."""
    filled = Filled()
    parts = fillable_parts(survey)
    if not parts:
        return filled
    path_of_file = path()
    if path_of_file is None:
        return filled
    try:
        with Reader(path_of_file,
                    bool(options.struct.salvage.on)) as reader:
            Filling(reader, survey, options, filled,
                    graph.unfolded).fill(parts)
    except Error:
        filled.undo()
    return filled


def call_with_types(attempt: Callable[[], Any], graph: 'Graph',
                   comm: Optional[Communicator],
                   path: Callable[[], Optional[str]], options: Options,
                   filled: Filled) -> Any:
    """Returns attempt(), which reads the file at path(). If a value does not
    fit, replaces values of the program that can be the reason, and calls it
    again."""
    try:
        return attempt()
    except MismatchError as failure:
        if failure.status != Status.MISMATCH:
            raise
        with together(comm):
            fits = fit_types(graph, path(), options, filled)
        if not (comm.any(fits) if comm else fits):
            raise
        with together(comm):
            graph.sync(to_fill=True)
        return attempt()


def fit_types(graph: 'Graph', path: Optional[str], options: Options,
              filled: Filled) -> bool:
    """Replaces values that could not be restored: by None, which has no type,
    and ints, because one outside int64 is saved as text and others are not.
    Returns False if there are none."""
    if path is None:
        return False
    survey = graph.sync(to_fill=True)
    try:
        with Reader(path, bool(options.struct.salvage.on)) as reader:
            return Filling(reader, survey, options, filled,
                           graph.unfolded).fit_types()
    except Error:
        return False


def fill_late(graph: 'Graph', sources: List[Tuple[str, Options]],
              is_wanted: Callable[[Part], bool]) -> None:
    """Creates values of earlier files in parts that the program has added
    since."""
    for path, options in sources:
        survey = graph.survey()
        filled = Filled()
        parts = list(filter(is_wanted, fillable_parts(survey)))
        if not parts:
            return
        try:
            with Reader(path, bool(options.struct.salvage.on)) as reader:
                Filling(reader, survey, options, filled,
                    graph.unfolded).fill(parts)
        except Error:
            filled.undo()


def may_have(sources: List[Tuple[str, Options]], path: str) -> bool:
    """True if a file may have a value for a path of the program."""
    for source, options in sources:
        found = Names(options.keywords).in_file(path)
        if found is None:
            continue
        try:
            with Reader(source, bool(options.struct.salvage.on)) as reader:
                if found in reader:
                    return True
        except Error:
            return True
    return False


def check_new_objects(graph: 'Graph', options: Options) -> None:
    """Raises UnmatchedError if the program has added an object with arrays
    that were not restored."""
    survey = graph.survey()
    old = {entry.part.key for entry in graph.entries()}
    missing = options.keywords.get('expect_missing')
    expected = as_patterns(missing, 'expect_missing') if missing else ffi.NULL
    queue = [part for part in survey.parts.values()
             if part.kind == lib.VARVE_OBJECT and part.key not in old
             and any(home.kind == lib.VARVE_OBJECT for home, _ in part.homes)]
    seen = {part.key for part in queue}
    for part in queue:  # the list grows in the loop
        if part.maker and isinstance(part.value, np.ndarray) and not \
                lib.varve_path_matches(expected, part.path.encode()):
            raise error_of(
                Status.UNMATCHED, f'{part.path}: this array was added after '
                'the resume, and was not restored; add it before the resume, '
                'or permit it with expect_missing')
        new = set(part.children.values()) - seen - old
        seen |= new
        queue.extend(survey.parts[key] for key in new)
