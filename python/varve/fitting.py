"""fitting.py - Checks that the strings of a file fit into fixed-width arrays
before a restoration changes anything.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, Tuple

from ._native import ffi, lib
from .dtypes import CODES
from .errors import Error, MismatchError, Status, call
from .leaves import is_fixed, misfit_of
from .options import Options
from .reader import Reader
from .restoration import findings
from .strings import like

if TYPE_CHECKING:
    from .graph import Entry, Graph

__all__ = ['check_fit']


def check_fit(graph: 'Graph', path: Any, options: Options) -> None:
    """Raises MismatchError if strings of the file do not fit. Other errors,
    and a file that is replaced later, are left to the restoration."""
    fixed = {entry.node: entry for entry in graph.entries()
             if not entry.part.is_quick and is_fixed(entry.part.value)}
    if not fixed:
        return
    try:
        for entry, restored in restored_strings(graph, fixed, path, options):
            why = misfit_of(restored, entry.part.value)
            if why:
                break
        else:
            return
    except Error:
        return
    raise MismatchError(Status.MISMATCH, f'{entry.part.path}: {why}')


def restored_strings(
        graph: 'Graph', fixed: Dict[Any, 'Entry'], path: Any,
        options: Options) -> Iterator[Tuple['Entry', Any]]:
    """Yields each fixed-width array with the value that would be restored into
    it."""
    plan = ffi.gc(call(lib.varve_dry_run, graph.root, path, options.struct),
                  lib.varve_restoration_free)
    report = ffi.gc(call(lib.varve_report_new, plan), lib.varve_report_free)
    found = os.fsdecode(ffi.string(lib.varve_restoration_path(plan)))
    with Reader(found, bool(options.struct.salvage.on)) as reader:
        for line in findings(report, lib.VARVE_FINDING_MATCHED):
            if line.saved is None or CODES[line.saved[0]] != lib.VARVE_STRING:
                continue
            entry = fixed.get(lib.varve_find_path(
                graph.root, (line.program_path or '').encode()))
            if entry:
                yield entry, like(reader[line.file_path or ''].read(),
                                  entry.part.value)
