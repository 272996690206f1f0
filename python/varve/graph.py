"""graph.py - Keeps a graph of the library up to date with the objects of a
program.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import contextlib
import gc
import threading
import weakref
from typing import (Any, Callable, Collection, Dict, Iterator, List, Mapping,
                    Optional, Tuple)

from ._native import ffi, lib
from .errors import Status, call, error_of, refuse
from .filling import fill_late, may_have
from .kinds import PYTHON_TAG
from .leaves import ArrayLeaf, add_arrays, refusal_of
from .options import as_patterns
from .outside import is_tensor, raise_version
from .scalars import Scalars
from .survey import (NONE_TAG, NOTHING, Arrival, Part, Survey, put, put_tuples,
                     set_child)


NULL = ffi.NULL
LIST = lib.VARVE_LIST
ADD = {lib.VARVE_OBJECT: lib.varve_add_object,
       LIST: lib.varve_add_list,
       lib.VARVE_DICT: lib.varve_add_dict}


NO_EDGES: Dict[Any, 'Entry'] = {}  # never changed


class Entry:
    """A part of the program and its node."""

    __slots__ = ('part', 'leaf', 'pointer', 'node', 'edges', 'tags', 'scalars')

    def __init__(self, part: Part):
        self.part = part
        self.leaf: Any = part.maker(part.value) if part.maker else None
        self.pointer = self.leaf.pointer() if self.leaf else None
        self.node: Any = NULL
        self.edges = NO_EDGES  # by name; by index in a list
        self.tags: Collection[str] = ()
        self.scalars: Optional[Scalars] = None

    def tag(self, tags: Collection[str]) -> None:
        """Sets the tags of the node."""
        if not tags and not self.tags:
            return
        wanted, old = set(tags), set(self.tags)
        for name in old - wanted:
            lib.varve_untag(self.node, name.encode())
        for name in sorted(wanted - old):
            lib.varve_tag(self.node, name.encode())
        self.tags = wanted

    def take(self, part: Part) -> bool:
        """Uses the entry for a part; returns False if that is not possible."""
        if part.kind != self.part.kind or part.is_none != self.part.is_none:
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
    """A graph that follows `root`: each `sync` updates it to the current
    objects of the program. Callers of the library hold `lock`."""

    def __init__(self, root: Any):
        self.lock = threading.RLock()
        self.handle = ffi.gc(lib.varve_graph_new(ffi.NULL),
                             lib.varve_graph_free)
        self.root = lib.varve_graph_root(self.handle)
        self.restorations: 'weakref.WeakSet[Any]' = weakref.WeakSet()
        self.any_shape: Any = None  # patterns
        self._has_resizing = False  # an earlier read resizes
        self.is_own_format = True
        # Lists of numbers that are not saved as arrays, kept because their
        # keys are identities.
        self.unfolded: Dict[Any, Any] = {}
        self.states: Dict[Any, Any] = {}  # of objects, until restored
        self.is_stepping = False  # during a loop over Run.steps
        self._object = root
        self._entries: Dict[Any, Entry] = {}

    def let_take_any_shape(self, patterns: Any) -> None:
        """Permits arrays with these paths to take the shape of the file."""
        if patterns is True:
            patterns = '**'
        self.any_shape = as_patterns(
            patterns, 'any_shape') if patterns else None

    def begin_read(self) -> None:
        """Resets the state of the last read or write."""
        self.states.clear()
        self.unfolded.clear()
        self.is_own_format = True

    def is_waiting(self) -> bool:
        """True if a value of a file is pending."""
        return any(restoration.pending_count
                   for restoration in self.restorations)

    def survey(self, has_none: bool = False) -> Survey:
        """Returns the current parts of the program."""
        return Survey(self._object, self.states, self.is_own_format,
                      self.unfolded, has_none)

    def sync(self, to_fill: bool = False,
             arrival: 'Arrival' = NOTHING) -> Survey:
        """Updates the graph to the current objects. Nothing changes if a value
        cannot be saved or, with `to_fill`, not be filled. Pending values are
        assigned only to the parts of `arrival`."""
        with self.lock, without_collection():
            if not to_fill:
                self.states.clear()
            if arrival is not NOTHING and self.is_waiting():
                self._fill_late(arrival)
            survey = self.survey(
                has_none=arrival is NOTHING and not to_fill
                and self.is_own_format and not self.is_waiting())
            kind = survey.parts[survey.root].kind
            if kind not in (lib.VARVE_OBJECT, lib.VARVE_DICT):
                raise refuse('the root must be a dict or an object, not '
                             f'{type(self._object).__name__}')
            arrives = self.is_waiting() and arrival is not NOTHING
            if arrives or to_fill:
                check_fillable(survey)
            held = Following(self, survey, arrival).follow()
            if to_fill:
                self._let_take_any_shape()
            if arrives:
                self.push(may_arrive=arrival.among(survey))
            call(lib.varve_graph_check, self.handle)
            if held and arrival is NOTHING and not to_fill:
                raise refuse_held(held, 'cannot save: a restored value is '
                                  'pending for this new part of the program')
            return survey

    def sync_attribute(self, source: Any, name: str,
                       held_reason: Optional[str] = None) -> None:
        """Adds what an attribute that was just set leads to, and assigns the
        pending values; with `held_reason` they are an error. Everything else
        stays as it was restored, because a check of the resume ignores what
        the program has changed since."""
        with self.lock, without_collection():
            self.states.clear()
            arrival = NOTHING
            if held_reason is None:
                arrival = Arrival(False, source, name)
                self._fill_late(arrival)
            survey = self.survey()
            if held_reason is None:
                check_fillable(survey)
            following = Following(self, survey, arrival)
            held = following.extend(source, name)
            if held_reason is None:
                self.push(may_arrive=arrival.among(survey),
                          entries=following.added())
            call(lib.varve_graph_check, self.handle)
            if held and held_reason is not None:
                raise refuse_held(held, held_reason)

    def _fill_late(self, arrival: 'Arrival') -> None:
        """Creates values that only the file has in new parts."""
        survey = self.survey()
        may_arrive = arrival.among(survey)
        old = set(self._entries)
        new = {key for key in survey.parts
               if key not in old and may_arrive(key)}
        if new:
            fill_late(self, self.sources(), lambda part: part.key in new)

    def sources(self) -> List[Tuple[str, Any]]:
        """The files with pending values, and the options of their reads."""
        return [(restoration.path, restoration.options)
                for restoration in self.restorations
                if restoration.pending_count]

    def takes_any_shape(self, entry: Entry) -> bool:
        """True if an array may be replaced by one of another shape. (An array
        of a tensor cannot.)"""
        part = entry.part
        return self.any_shape is not None \
            and isinstance(entry.leaf, ArrayLeaf) \
            and part.source is part.value and bool(
                lib.varve_path_matches(self.any_shape, part.path.encode()))

    def _let_take_any_shape(self) -> None:
        """Updates arrays that were added before the option changed."""
        if self.any_shape is None and not self._has_resizing:
            return
        self._has_resizing = self.any_shape is not None
        for entry in self._entries.values():
            if self.takes_any_shape(entry):
                lib.varve_set_resizing(entry.node, *entry.leaf.resizing())
            elif isinstance(entry.leaf, ArrayLeaf):
                lib.varve_set_resizing(entry.node, ffi.NULL, ffi.NULL)

    def entries(self) -> List[Entry]:
        """All parts of the program that have nodes."""
        return list(self._entries.values())

    def push(self, status: Status = Status.MISMATCH,
             may_arrive: Callable[[Any], bool] = lambda key: True,
             entries: Optional[List[Entry]] = None) -> None:
        """Copies the buffers, or those of some entries, to the program. Values
        that do not fit stay unchanged and raise an error at the end."""
        inexact = []
        entries = self.entries() if entries is None else entries
        for entry in entries:
            part, leaf = entry.part, entry.leaf
            if leaf and part.is_quick and leaf.lies_in(part.value):
                continue
            if entry.scalars:
                for name, value in entry.scalars.restored():
                    set_child(part, name, value)
            if not leaf or refusal_of(part.value):
                continue
            why = leaf.misfit(part.value)
            if why:
                inexact.append(f'{part.path}: {why}')
                leaf.forget()
            else:
                put(part, leaf.push(part.value))
                if is_tensor(part.source) and part.source is not part.value:
                    raise_version(part.source)
        parts = [entry.part for entry in entries if not entry.part.is_quick]
        put_tuples(parts)
        for part in reversed(parts):
            if part.state and may_arrive(part.key):
                part.state.give(part.state.tree)
        self.states.clear()
        if inexact:
            raise error_of(status, inexact[0])


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Disables the garbage collector, which would take most of the time for a
    large program."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


def refuse_held(path: str, why: str) -> Exception:
    return refuse(f'{path}: {why}; call update() of the restoration to assign '
                  'it, or drop_pending() to discard it')


def check_fillable(survey: Survey) -> None:
    for part in survey.parts.values():
        why = part.maker and refusal_of(part.value)
        if why:
            raise refuse(f'{part.path}: {why}')


class Following:
    """Updates the nodes and edges of a graph to a survey."""

    def __init__(self, graph: Graph, survey: Survey, arrival: 'Arrival'):
        self._graph = graph
        self._is_waiting = graph.is_waiting()
        self._may_arrive = arrival.among(survey)
        self._held: Optional[str] = None
        self._parts = survey.parts
        self._old = graph._entries  # pylint: disable=protected-access
        self._new: Dict[Any, Entry] = {}
        self._queue: List[Entry] = []
        self._numbers: List[Tuple[Entry, Scalars]] = []  # to be added
        self._changed: List[Entry] = []  # entries with a new number
        self._root = survey.root

    def follow(self) -> Optional[str]:
        """Returns the path of a new part with a pending value, if there is
        one."""
        root = self._old.get(self._root) or Entry(self._parts[self._root])
        root.node = self._graph.root
        root.part = self._parts[self._root]
        self._reach(root)
        for entry in self._queue:  # the list grows in the loop
            self._lead(entry)
        self._add_numbers()
        gone = set(self._old.values()) - set(self._new.values()) \
            if self._old else ()
        self._graph._entries = self._new  # pylint: disable=protected-access
        for entry in gone:
            self._cut(entry, 0)
            self._drop_scalars(entry)
        for entry in gone:
            lib.varve_remove(entry.node)
        return self._held

    def extend(self, source: Any, name: str) -> Optional[str]:
        """Adds only what an attribute leads to, if it is new. Returns the path
        of a new part with a pending value, if there is one."""
        self._new = dict(self._old)
        parent = self._old.get(id(source))
        part = self._parts.get(id(source))
        if parent and part:
            self._add_attribute(parent, part, name)
        for entry in self._queue:  # the list grows in the loop
            self._lead(entry)
        self._add_numbers()
        self._graph._entries = self._new  # pylint: disable=protected-access
        return self._held

    def added(self) -> List[Entry]:
        """The entries that `extend` has added, and that of a new number."""
        return [entry for key, entry in self._new.items()
                if self._old.get(key) is not entry] + self._changed

    def _add_attribute(self, parent: Entry, part: Part, name: str) -> None:
        if name in part.scalars:
            self._add_number(parent, name, part.scalars)
            return
        if name not in part.children or (
                parent.scalars and name in parent.scalars.nodes()):
            return
        key = part.children[name]
        if name in parent.edges:
            if not self._awaits(parent.edges[name], self._parts[key]):
                return  # it takes the place of what was restored
            self._untrack(parent, name)
        child = self._new.get(key)
        if self._is_held(parent, name, self._parts[key], child):
            self._held = part.path_to(name)
            return
        if not parent.edges:
            parent.edges = {}
        if child:
            lib.varve_track(parent.node, edge_name(parent, name), child.node)
        else:
            child = Entry(self._parts[key])
            self._add(parent, name, child)
        parent.edges[name] = child

    def _awaits(self, old: Entry, part: Part) -> bool:
        """True if a value may be pending for a child that a part has and the
        one in whose place it is lacks."""
        if old.leaf or part.maker:
            return False
        held = old.scalars.nodes() if old.scalars else {}
        return any(
            self._awaits(old.edges[name], self._parts[key])
            if name in old.edges else not self._parts[key].maker
            or lib.varve_pending(old.node, edge_name(old, name)) != NULL
            for name, key in part.children.items()) or any(
                lib.varve_pending(old.node, str(name).encode()) != NULL
                for name in part.scalars if name not in held)

    def _add_number(self, parent: Entry, name: str,
                    numbers: Mapping[Any, Any]) -> None:
        """Adds a number for which a value is pending."""
        if lib.varve_pending(parent.node, name.encode()) == ffi.NULL \
                or self._is_number_held(parent, name):
            return
        held = parent.scalars
        names = [*(held.nodes() if held else ()), name]
        values = {other: numbers[other] for other in names if other in numbers}
        old = self._drop_scalars(parent, values) if held else {}
        parent.scalars = Scalars(
            {**{other: values[other] for other in old}, **values})
        parent.scalars.add(parent.node, old)
        self._changed.append(parent)

    def _is_held(self, parent: Entry, name: Any, part: Part,
                 child: Optional[Entry]) -> bool:
        """True if a value is pending but must not be assigned now, because the
        program may have written to the new part."""
        if not self._is_waiting or self._may_arrive(part.key):
            return False
        if part.maker:
            return bool(lib.varve_pending(parent.node, edge_name(parent, name))
                        != ffi.NULL)
        return child is not None and may_have(
            self._graph.sources(), parent.part.path_to(name))

    def _reach(self, entry: Entry) -> None:
        self._new[entry.part.key] = entry
        part = entry.part
        if part.is_quick:
            if entry.tags:
                entry.tag(())
        else:
            self._tag(entry)
            follow = getattr(type(part.value), '_varve_follow', None)
            if follow:
                follow(part.value, self._graph)
        if not entry.leaf:
            self._queue.append(entry)

    def _tag(self, entry: Entry) -> None:
        part = entry.part
        if self._graph.is_own_format:
            entry.tag([*part.tags(), *[PYTHON_TAG] * (part.key == self._root)])
        else:
            entry.tag([NONE_TAG] * part.is_none)

    @staticmethod
    def _drop_scalars(parent: Entry, values: Any = ()) -> Dict[Any, Any]:
        """Removes the nodes of numbers that no longer exist; returns the
        others."""
        kept = {}
        for name, (kind, node) in (
                parent.scalars.nodes() if parent.scalars else {}).items():
            if name in values and type(values[name]) is kind:
                kept[name] = kind, node
            else:
                lib.varve_untrack(parent.node, str(name).encode())
                lib.varve_remove(node)
        parent.scalars = None
        return kept

    def _is_number_held(self, parent: Entry, name: Any) -> bool:
        if self._may_arrive((parent.part.key, name)) or lib.varve_pending(
                parent.node, str(name).encode()) == ffi.NULL:
            return False
        self._held = self._held or parent.part.path_to(name)
        return True

    def _lead(self, parent: Entry) -> None:
        """Updates the edges of a node."""
        part, held = parent.part, parent.scalars
        values = part.scalars
        if (held.pull(values) if held else not values):
            self._lead_edges(parent)
            return
        old = self._drop_scalars(parent, values) if held else {}
        if part.children or parent.edges:
            self._lead_edges(parent)
        if not held and not self._is_waiting:
            self._numbers.append((parent, Scalars(values)))
            return
        if self._is_waiting:
            values = {name: value for name, value in values.items()
                      if name in old or not self._is_number_held(parent, name)}
        if values:
            if old:
                values = {**{name: values[name] for name in old}, **values}
            parent.scalars = Scalars(values)
            parent.scalars.add(parent.node, old)

    def _add_numbers(self) -> None:
        """Adds the numbers of all nodes that had none."""
        if self._numbers:
            Scalars.add_all([(entry.node, scalars)
                             for entry, scalars in self._numbers])
        for entry, scalars in self._numbers:
            entry.scalars = scalars

    def _lead_edges(self, parent: Entry) -> None:
        wanted = parent.part.children
        if not parent.edges:
            if not wanted:
                return
            parent.edges = {}
            if not self._is_waiting:
                self._lead_new_edges(parent, wanted)
                return
        if parent.part.is_list:
            self._cut(parent, len(wanted))
        else:
            for name in set(parent.edges) - set(wanted):
                self._untrack(parent, name)
        for name, key in wanted.items():
            child = self._new.get(key) or (self._old and self._find(
                parent.edges.get(name), self._parts[key])) or None
            if child and parent.edges.get(name) is child:
                continue
            if name not in parent.edges and self._is_held(
                    parent, name, self._parts[key], child):
                self._held = self._held or parent.part.path_to(name)
                if parent.part.is_list:
                    break  # later elements have no place either
                continue
            if name in parent.edges:
                if parent.part.is_list:
                    self._cut(parent, name)
                else:
                    self._untrack(parent, name)
            if child:
                lib.varve_track(parent.node, edge_name(parent, name),
                                child.node)
            else:
                child = Entry(self._parts[key])
                self._add(parent, name, child)
            parent.edges[name] = child

    def _lead_new_edges(self, parent: Entry, wanted: Mapping[Any, Any]) -> None:
        """The same for a node that has no edges yet."""
        arrays: Dict[Any, Entry] = {}  # to be added by one call
        for name, key in wanted.items():
            child = self._new.get(key)
            if child is None and self._old:
                child = self._find(None, self._parts[key])
            is_new = child is None
            if child is None:
                child = Entry(self._parts[key])
                if child.leaf is not None and self._is_plain_array(child):
                    arrays[name] = self._new[key] = parent.edges[name] = child
                    continue
            if arrays:
                self._add_arrays(parent, arrays)
            if is_new:
                self._add(parent, name, child)
            else:
                lib.varve_track(parent.node, edge_name(parent, name),
                                child.node)
            parent.edges[name] = child
        if arrays:
            self._add_arrays(parent, arrays)

    def _is_plain_array(self, entry: Entry) -> bool:
        return entry.part.is_quick and self._graph.any_shape is None \
            and bool(entry.leaf.is_direct)

    @staticmethod
    def _add_arrays(parent: Entry, arrays: Dict[Any, Entry]) -> None:
        nodes = add_arrays(
            parent.node, NULL if parent.part.kind == LIST
            else '\0'.join(arrays).encode(),
            [entry.leaf for entry in arrays.values()])
        for entry, node in zip(arrays.values(), nodes):
            entry.node = node
        arrays.clear()

    def _find(self, there: Optional[Entry], part: Part) -> Optional[Entry]:
        """Returns the entry of a part: its own, or that of a part that the
        program has removed."""
        entry = self._old.get(part.key)
        if not entry and there and there.leaf and there.part.key not in \
                self._parts and self._new.get(there.part.key) is not there:
            entry = there
        if not entry or not entry.take(part):
            return None
        self._reach(entry)
        return entry

    def _add(self, parent: Entry, name: Any, entry: Entry) -> None:
        name = edge_name(parent, name)
        if entry.leaf is None:
            entry.node = ADD[entry.part.kind](parent.node, name)
        elif self._graph.any_shape is not None \
                and self._graph.takes_any_shape(entry):
            entry.node = lib.varve_add_resizable(
                parent.node, name, entry.leaf.view(), *entry.leaf.resizing())
        else:
            entry.node = entry.leaf.add(parent.node, name)
        self._reach(entry)

    def _untrack(self, parent: Entry, name: str) -> None:
        lib.varve_untrack(parent.node, name.encode())
        del parent.edges[name]

    def _cut(self, parent: Entry, count: int) -> None:
        """Keeps `count` edges of a list; removes all edges of other nodes."""
        if not parent.part.is_list:
            for name in list(parent.edges):
                self._untrack(parent, name)
            return
        for index in reversed(range(count, len(parent.edges))):
            lib.varve_list_remove(parent.node, index)
            del parent.edges[index]


def edge_name(parent: Entry, name: Any) -> Any:
    return NULL if parent.part.kind == LIST else name.encode()
