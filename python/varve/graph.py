"""graph.py - a graph of the library's that follows objects of a program.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import threading
import weakref
from typing import Any, Dict, List, Optional

from ._native import ffi, lib
from .errors import Status, call, error_of, refuse
from .leaves import ArrayLeaf, refusal_of
from .options import as_patterns
from .survey import NONE_TAG, Part, Survey, put, put_tuples

ADD = {lib.VARVE_OBJECT: lib.varve_add_object,
       lib.VARVE_LIST: lib.varve_add_list,
       lib.VARVE_DICT: lib.varve_add_dict}


class Entry:
    """A part of the program and its node."""

    def __init__(self, part: Part):
        self.part = part
        self.leaf: Any = part.maker(part.value) if part.maker else None
        self.pointer = self.leaf.pointer() if self.leaf else None
        self.node: Any = ffi.NULL
        self.edges: Dict[str, 'Entry'] = {}

    def take(self, part: Part) -> bool:
        """Stands for a part from now on; False where it cannot."""
        if (part.kind, part.is_none) != (self.part.kind, self.part.is_none):
            return False
        if self.leaf:
            if not self.leaf.pull(part.value):
                return False
            pointer = self.leaf.pointer()
            if pointer != self.pointer:
                self.pointer = pointer
                lib.varve_rebind(self.node, self.leaf.view())
        self.part = part
        return True


class Graph:
    """Follows `root`: each `sync` looks at it and changes the graph to what
    the program has become. Whoever calls the library holds `lock`."""

    def __init__(self, root: Any):
        self.lock = threading.RLock()
        self.handle = ffi.gc(lib.varve_graph_new(ffi.NULL),
                             lib.varve_graph_free)
        self.root = lib.varve_graph_root(self.handle)
        self.restorations: 'weakref.WeakSet[Any]' = weakref.WeakSet()
        self.any_shape: Any = ffi.NULL  # patterns
        self._object = root
        self._entries: Dict[Any, Entry] = {}

    def let_take_any_shape(self, patterns: Any) -> None:
        """Arrays of these paths take the shape of what comes from a file."""
        if patterns is True:
            patterns = '**'
        self.any_shape = as_patterns(
            patterns, 'any_shape') if patterns else ffi.NULL

    def is_waiting(self) -> bool:
        """Whether a value of a file waits for what the program adds."""
        return any(restoration.pending_count
                   for restoration in self.restorations)

    def sync(self, to_fill: bool = False) -> None:
        """Lets the graph be what the program is; nothing is changed where
        something cannot be saved or, `to_fill`, be filled."""
        with self.lock:
            survey = Survey(self._object)
            kind = survey.parts[survey.root].kind
            if kind not in (lib.VARVE_OBJECT, lib.VARVE_DICT):
                raise refuse('the root: expected a dict or an object, found '
                             f'{type(self._object).__name__}')
            is_waiting = self.is_waiting()
            if is_waiting or to_fill:
                check_fillable(survey)
            Following(self, survey).follow()
            if to_fill:
                self._let_take_any_shape()
            if is_waiting:
                self.push()
            call(lib.varve_graph_check, self.handle)

    def takes_any_shape(self, entry: Entry) -> bool:
        """Whether an array may be replaced by one of another shape. (One that
        stands for a tensor cannot.)"""
        part = entry.part
        return isinstance(entry.leaf, ArrayLeaf) \
            and part.source is part.value and bool(
                lib.varve_path_matches(self.any_shape, part.path.encode()))

    def _let_take_any_shape(self) -> None:
        """Of what was there before the program said so, or said otherwise."""
        for entry in self._entries.values():
            if self.takes_any_shape(entry):
                lib.varve_set_resizing(entry.node, *entry.leaf.resizing())
            elif isinstance(entry.leaf, ArrayLeaf):
                lib.varve_set_resizing(entry.node, ffi.NULL, ffi.NULL)

    def entries(self) -> List[Entry]:
        """All parts of the program that have nodes."""
        return list(self._entries.values())

    def push(self, status: Status = Status.MISMATCH) -> None:
        """Gives the program what the buffers have; then tells what does not
        fit, and is as it was."""
        misfits = []
        for entry in self.entries():
            part, leaf = entry.part, entry.leaf
            if not leaf or refusal_of(part.value):
                continue
            why = leaf.misfit(part.value)
            if why:
                misfits.append(f'{part.path}: {why}')
                leaf.forget()
            else:
                put(part, leaf.push(part.value))
        put_tuples([entry.part for entry in self.entries()])
        if misfits:
            raise error_of(status, misfits[0])


def check_fillable(survey: Survey) -> None:
    for part in survey.parts.values():
        why = refusal_of(part.value)
        if why:
            raise refuse(f'{part.path}: {why}')


class Following:
    """Makes the nodes and edges of a graph those of a survey."""

    def __init__(self, graph: Graph, survey: Survey):
        self._graph = graph
        self._parts = survey.parts
        self._old = graph._entries  # pylint: disable=protected-access
        self._new: Dict[Any, Entry] = {}
        self._queue: List[Entry] = []
        self._root = survey.root

    def follow(self) -> None:
        root = self._old.get(self._root) or Entry(self._parts[self._root])
        root.node = self._graph.root
        root.part = self._parts[self._root]
        self._reach(root)
        for entry in self._queue:  # grows meanwhile
            self._lead(entry)
        gone = set(self._old.values()) - set(self._new.values())
        self._graph._entries = self._new  # pylint: disable=protected-access
        for entry in gone:
            self._cut(entry, 0)
        for entry in gone:
            lib.varve_remove(entry.node)

    def _reach(self, entry: Entry) -> None:
        self._new[entry.part.key] = entry
        follow = getattr(type(entry.part.value), '_varve_follow', None)
        if follow:
            follow(entry.part.value, self._graph)
        if not entry.leaf:
            self._queue.append(entry)

    def _lead(self, parent: Entry) -> None:
        """Lets its edges be those that it has by now."""
        wanted = dict(parent.part.children)
        if parent.part.is_list:
            self._cut(parent, len(wanted))
        else:
            for name in set(parent.edges) - set(wanted):
                self._untrack(parent, name)
        for name, key in wanted.items():
            child = self._find(parent.edges.get(name), self._parts[key])
            if child and parent.edges.get(name) is child:
                continue
            if name in parent.edges:
                if parent.part.is_list:
                    self._cut(parent, int(name))
                else:
                    self._untrack(parent, name)
            if child:
                lib.varve_track(parent.node, edge_name(parent, name),
                                child.node)
            else:
                child = self._add(parent, name, self._parts[key])
            parent.edges[name] = child

    def _find(self, there: Optional[Entry], part: Part) -> Optional[Entry]:
        """The entry that stands for a part: its own, or that of what was there
        before and is gone from the program."""
        entry = self._new.get(part.key)
        if entry:
            return entry
        entry = self._old.get(part.key)
        if not entry and there and there.leaf and there.part.key not in \
                self._parts and self._new.get(there.part.key) is not there:
            entry = there
        if not entry or not entry.take(part):
            return None
        self._reach(entry)
        return entry

    def _add(self, parent: Entry, name: str, part: Part) -> Entry:
        entry = Entry(part)
        name = edge_name(parent, name)
        if self._graph.takes_any_shape(entry):
            entry.node = lib.varve_add_resizable(
                parent.node, name, entry.leaf.view(), *entry.leaf.resizing())
        elif entry.leaf:
            entry.node = entry.leaf.add(parent.node, name)
        else:
            entry.node = ADD[part.kind](parent.node, name)
            if part.is_none:
                lib.varve_tag(entry.node, NONE_TAG.encode())
        self._reach(entry)
        return entry

    def _untrack(self, parent: Entry, name: str) -> None:
        lib.varve_untrack(parent.node, name.encode())
        del parent.edges[name]

    def _cut(self, parent: Entry, count: int) -> None:
        """Leaves so many edges of a list; none of anything else."""
        if not parent.part.is_list:
            for name in list(parent.edges):
                self._untrack(parent, name)
            return
        for index in reversed(range(count, len(parent.edges))):
            lib.varve_list_remove(parent.node, index)
            del parent.edges[str(index)]


def edge_name(parent: Entry, name: str) -> Any:
    return ffi.NULL if parent.part.is_list else name.encode()
