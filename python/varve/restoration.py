"""restoration.py - Reports the results of a restoration, and assigns pending
values.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Tuple, Union

from ._native import ffi, lib
from .dtypes import NAMES
from .errors import call, text
from .options import Options, as_patterns, metadata_value
from .strings import path_bytes
from .survey import EVERYTHING

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ['Finding', 'Report', 'Restoration']


class Finding(NamedTuple):
    """One line of a report. A side that does not exist is None."""

    program_path: Optional[str]
    file_path: Optional[str]
    saved: Optional[Tuple[str, Tuple[int, ...]]]  # element type, shape
    wanted: Optional[Tuple[str, Tuple[int, ...]]]
    reason: str
    nearest: Optional[str]
    expected: bool
    cast: bool
    inexact: int


class Report:
    """All findings at one moment, in six lists; as str, a text."""

    def __init__(self, handle: Any):
        self._handle = handle
        self._text = text(lib.varve_report_text(handle))
        self.matched = findings(handle, lib.VARVE_FINDING_MATCHED)
        self.waiting = findings(handle, lib.VARVE_FINDING_PENDING)
        self.only_in_file = findings(handle, lib.VARVE_FINDING_UNEXPECTED)
        self.only_in_program = findings(handle, lib.VARVE_FINDING_MISSING)
        self.mismatched = findings(handle, lib.VARVE_FINDING_MISMATCHED)
        self.damaged = findings(handle, lib.VARVE_FINDING_DAMAGED)

    def __str__(self) -> str:
        return self._text

    def json(self) -> str:
        """The report as JSON, as described in
        docs/schemas/varve.report-1.json. `varve graph --html --notes` makes a
        page of it."""
        return text(call(lib.varve_report_json, self._handle))


def findings(handle: Any, kind: int) -> List[Finding]:
    found = ffi.new('varve_finding *')
    return [finding(found) for i in range(lib.varve_report_count(handle, kind))
            if lib.varve_report_at(handle, kind, i, found)]


def finding(found: Any) -> Finding:
    return Finding(
        text(found.program_path) if found.program_path else None,
        text(found.file_path) if found.file_path else None,
        tensor(found.saved), tensor(found.wanted), text(found.reason),
        text(found.nearest) or None, bool(found.expected), bool(found.cast),
        found.inexact)


def tensor(value: Any) -> Optional[Tuple[str, Tuple[int, ...]]]:
    if value.dtype not in NAMES:
        return None
    return NAMES[value.dtype], tuple(value.shape[0:value.rank])


class Restoration:
    """The result of a read. While it is open, parts that the program adds
    later get their values: at `update`, at an assertion, at a save, or as soon
    as they are set in a `Tracked` object."""

    def __init__(self, graph: 'Graph', handle: Any, options: Options):
        self._graph = graph
        self.options = options
        self._handle = handle
        graph.restorations.add(self)

    @property
    def handle(self) -> Any:
        """The restoration of the library."""
        if self._handle is None:
            raise ValueError('the restoration is closed')
        return self._handle

    def close(self) -> None:
        """Ends the restoration: pending values are discarded. Restored values
        remain."""
        with self._graph.lock:
            self._graph.restorations.discard(self)
            self._handle = None

    def __enter__(self) -> 'Restoration':
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def update(self) -> None:
        """Assigns pending values to parts that the program has added since."""
        self._graph.sync(arrival=EVERYTHING)

    def _update_and_call(self, function: Any, *arguments: Any) -> None:
        with self._graph.lock:
            self.update()
            call(function, self.handle, *arguments)

    def assert_consumed(self) -> 'Restoration':
        """Raises UnmatchedError unless all values of the file were used."""
        self._update_and_call(lib.varve_assert_consumed)
        return self

    def assert_existing_objects_matched(self) -> 'Restoration':
        """Raises UnmatchedError unless all values of the program were
        restored."""
        self._update_and_call(lib.varve_assert_existing_objects_matched)
        return self

    def assert_nontrivial_match(self) -> 'Restoration':
        """Raises UnmatchedError if only the root matched."""
        self._update_and_call(lib.varve_assert_nontrivial_match)
        return self

    def verify(self) -> None:
        """Reads the restored values again and compares their digests."""
        self._update_and_call(lib.varve_restoration_verify)

    def drop_pending(self, patterns: Union[str, None] = None) -> None:
        """Discards pending values; None: all of them."""
        with self._graph.lock:
            call(lib.varve_drop_pending, self.handle,
                 as_patterns(patterns, 'drop_pending') if patterns
                 else ffi.NULL)

    def report(self) -> Report:
        """Returns the matches and differences at this moment."""
        with self._graph.lock:
            self.update()
            handle = ffi.gc(call(lib.varve_report_new, self.handle),
                            lib.varve_report_free)
            return Report(handle)

    @property
    def path(self) -> str:
        """The file that was read."""
        return os.fsdecode(ffi.string(lib.varve_restoration_path(self.handle)))

    @property
    def counter(self) -> int:
        """The save counter in the file."""
        return int(lib.varve_restoration_counter(self.handle))

    @property
    def passes(self) -> int:
        """The number of passes in which the restored values were read; 0 if
        none was restored."""
        return int(lib.varve_restoration_passes(self.handle))

    @property
    def pending_count(self) -> int:
        """The number of values of the file that are pending."""
        return int(lib.varve_pending_count(self.handle))

    def metadata(self, name: str) -> Any:
        """Returns a metadata item of the file, or None."""
        item = lib.varve_restoration_metadata(
            self.handle, path_bytes(name))
        return metadata_value(item) if item != ffi.NULL else None

    def __repr__(self) -> str:
        state = 'closed' if self._handle is None else repr(self.path)
        return f'<varve.Restoration {state}>'
