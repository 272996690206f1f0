"""manager.py - Manages a directory of checkpoints of one run.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import math
import os
from typing import (TYPE_CHECKING, Any, Callable, List, Mapping, NamedTuple,
                    Optional, Union)

from ._native import ffi, lib
from .checkpoint import Checkpoint, Files, Path, guarded
from .communicator import Communicator, together
from .errors import MismatchError, Status, UnmatchedError, file_path, text
from .filling import call_with_types, check_new_objects, fill
from .fitting import check_fit
from .graph import Graph
from .options import (ManagerOptions, Options, ReadOptions, WriteOptions,
                      read_options, write_options)
from .restoration import Restoration

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ['LevelState', 'Managed', 'Manager']


class Managed(NamedTuple):
    """A checkpoint of a directory."""

    path: str
    number: int
    counter: int
    step: Optional[int]
    metric: Optional[float]
    size: int
    kept: Optional[str]  # the reason why it is kept
    is_pinned: bool
    is_damaged: bool
    run: Optional[str]  # identifier of the run that has saved it
    identity: Optional[int]  # copies at levels have the same
    parent: Optional[int]  # identity of the one that its run resumed


class LevelState(NamedTuple):
    """The progress of a storage level."""

    directory: str
    latest: Optional[str]  # path of the newest known checkpoint of the level
    step: Optional[int]
    waiting: int   # checkpoints due at the level, including one being copied
    left_out: int  # checkpoints skipped because too many were pending
    copied: int    # bytes
    failure: Optional[str]  # the last error; None if a later copy succeeded


class Manager:
    """Saves, retains and resumes the checkpoints of one directory.

    A manager holds the lock of its prefix until it is closed. Opening a second
    one raises a SystemError with Status.EXISTS that names the host, process
    and run of the holder. A `read_only` manager needs no lock.

    >>> import numpy as np, tempfile, varve
    >>> folder = tempfile.TemporaryDirectory()
    >>> ckpt = varve.Checkpoint(w=np.zeros(2))
    >>> with varve.Manager(ckpt, folder.name, keep_last=2) as manager:
    ...     for step in range(1, 5):
    ...         ckpt.w += 1
    ...         _ = manager.save(step)
    ...     [managed.step for managed in manager.checkpoints]
    [3, 4]
    >>> again = varve.Checkpoint(w=np.zeros(2))
    >>> with varve.Manager(again, folder.name) as manager:
    ...     _ = manager.resume()
    >>> again.w
    array([4., 4.])
    >>> folder.cleanup()
    """

    def __init__(self, checkpoint: Checkpoint, directory: Path,
                 background: bool = False,
                 comm: Optional[Communicator] = None,
                 write: Optional[WriteOptions] = None,
                 read: Optional[ReadOptions] = None,
                 **options: 'Unpack[ManagerOptions]'):
        if not isinstance(checkpoint, Checkpoint):
            raise TypeError(
                'a manager or run needs a varve.Checkpoint, not '
                f'{type(checkpoint).__name__}: for example '
                'varve.Checkpoint(model=model)')
        self._files: Files = vars(checkpoint)['_varve_files']
        self._checkpoint = checkpoint
        self._comm = comm
        self._write = write_options(write or {})
        keywords: Any = dict(read or {})
        self._any_shape = keywords.pop('any_shape', None)
        self._read = read_options(keywords)
        self._options = Options('varve_manager_options', options,
                                ManagerOptions.__annotations__)
        if not background:
            self._write.handle_signals()
            self._read.handle_signals()
        struct = self._options.struct
        setattr(struct, 'async', background)
        struct.write = self._write.struct
        struct.read = self._read.struct
        struct.comm = comm.handle if comm else ffi.NULL
        self._handle = ffi.gc(
            self._call(lib.varve_manager_new, self._files.graph.root,
                       file_path(directory), struct),
            lib.varve_manager_free)
        self._restoration: Optional[Restoration] = None
        self._is_strict = bool(options.get('strict'))
        self._is_unchecked = False  # the last resume was not checked yet
        self._warning = ''  # the last one, after the manager is closed

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        callbacks = self._write.callbacks
        if callbacks.exception is None and self._read.callbacks.exception:
            callbacks = self._read.callbacks
        with self._files.graph.lock:
            return guarded(callbacks, None, function, *arguments)

    @property
    def graph(self) -> Graph:
        """The graph that is saved."""
        return self._files.graph

    @property
    def handle(self) -> Any:
        """The manager of the library."""
        if self._handle is None:
            raise ValueError('the manager is closed')
        return self._handle

    def close(self) -> None:
        """Waits for asynchronous saves, and releases the lock."""
        if self._handle is None:
            return
        try:
            self.wait()
        finally:
            self._warning = self.warning or ''
            if self._restoration:
                self._restoration.close()
            ffi.release(self._handle)
            self._handle = None

    def __enter__(self) -> 'Manager':
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def resume(self) -> Optional[Restoration]:
        """Restores the newest intact checkpoint. Returns None if there is
        none. Damaged checkpoints are skipped: see `skipped`. Raises a
        SystemError if the newest one cannot be read at the moment, and a
        DamagedError if all are damaged, unless `may_resume_older` is set."""
        graph = self._files.graph
        with graph.lock:
            if self._restoration:
                self._restoration.close()
            graph.begin_read()
            with together(self._comm):
                graph.let_take_any_shape(self._any_shape)
                graph.sync(to_fill=True)
                newest = fs_text(lib.varve_manager_latest(self.handle))
            tried: List[Optional[str]] = []
            while self._any(newest not in tried):
                tried.append(newest)
                try:
                    newest = self._resume_from(newest)
                except MismatchError:
                    older = [found.path for found in self.checkpoints
                             if found.path not in tried]
                    # Lists were created for a file that was then skipped.
                    if not self._any(bool(self.skipped and older)):
                        raise
                    newest = older[-1] if older else newest
            with together(self._comm):
                graph.push(Status.PARTIALLY_RESTORED)
            handle = lib.varve_manager_restoration(self.handle)
            self._restoration = None if handle == ffi.NULL else Restoration(
                graph, handle, self._read)
            self._is_unchecked = self._is_strict and bool(self._restoration)
            return self._restoration

    def _any(self, value: bool) -> bool:
        """Returns true if the value is true at any process."""
        return self._comm.any(value) if self._comm else value

    def _resume_from(self, newest: Optional[str]) -> Optional[str]:
        """Creates the values that only that file has, resumes, and returns the
        path of the checkpoint that was resumed. If it is another file, the
        created values are removed."""
        graph = self._files.graph
        with together(self._comm):
            graph.unfolded.clear()
            survey = graph.sync(to_fill=True)
            filled = fill(graph, survey, lambda: newest, self._read)
        try:
            with together(self._comm):
                if filled or graph.unfolded:
                    graph.sync(to_fill=True)
                if newest:
                    check_fit(graph, file_path(newest), self._read)
            call_with_types(
                lambda: self._call(lib.varve_manager_resume, self.handle),
                graph, self._comm, lambda: newest, self._read, filled)
        except BaseException:
            filled.undo()
            raise
        handle = lib.varve_manager_restoration(self.handle)
        found = None if handle == ffi.NULL else os.fsdecode(
            ffi.string(lib.varve_restoration_path(handle)))
        if found != newest:
            filled.undo()
        return found

    def assert_consumed(self) -> None:
        """Raises UnmatchedError unless all values of the checkpoint were used
        and all values that the program had at the resume were restored.
        Collective if the manager has a communicator. Does nothing if nothing
        was resumed. Numbers and strings that the program has set since, and
        elements that it has added to lists and dicts, are ignored. An object
        with arrays that it has set as an attribute since counts as not
        restored."""
        graph = self._files.graph
        with graph.lock:
            try:
                self._call(lib.varve_manager_assert_consumed, self.handle)
            except UnmatchedError:
                with together(self._comm):
                    graph.sync()  # raises the reason if an update is needed
                raise
            with together(self._comm):
                if self._restoration:
                    check_new_objects(graph, self._read)
            self._is_unchecked = False

    def finish_resume(self) -> None:
        """Discards the pending values of the last resume. With `strict` this
        requires that assert_consumed succeeds."""
        with self._files.graph.lock:
            if self._is_unchecked:
                self.assert_consumed()
            with together(self._comm):
                self._files.graph.sync()
            self._call(lib.varve_manager_finish_resume, self.handle)

    @property
    def restoration(self) -> Optional[Restoration]:
        """The restoration of the last resume; None if nothing was restored."""
        return self._restoration

    @property
    def skipped(self) -> List[str]:
        """The checkpoints that the last resume skipped, with reasons."""
        return list(strings(lib.varve_manager_skipped, self.handle))

    def save(self, step: int, metric: Optional[float] = None,
             metadata: Optional[Mapping[str, Any]] = None,
             force: bool = False, pin: bool = False) -> Optional[str]:
        """Saves if a save is due, and deletes checkpoints that no policy
        keeps. Returns the path; None if nothing was saved or an asynchronous
        save was started."""
        check_step(step, metric)
        is_due = force or self.is_due(step)
        if not (self._comm.any(is_due) if self._comm else is_due):
            return None
        options = Options('varve_manager_save_options',
                          {'metadata': metadata, 'force': force, 'pin': pin},
                          {'metadata', 'force', 'pin'})
        options.struct.has_metric = metric is not None
        options.struct.metric = 0.0 if metric is None else metric
        with self._files.graph.lock:
            if self._is_unchecked:
                self.assert_consumed()
            with together(self._comm):
                self._files.graph.is_own_format = \
                    self._write.struct.format == lib.VARVE_FORMAT_VARVE
                self._files.graph.sync()
            self._call(lib.varve_manager_save_with, self.handle, step,
                       options.struct)
            return fs_text(lib.varve_manager_saved(self.handle))

    def is_due(self, step: int) -> bool:
        """True if a save of this step would be made now."""
        check_step(step)
        return bool(lib.varve_manager_is_due(self.handle, step))

    def request_save(self) -> None:
        """Makes the next save due, for example in a signal handler."""
        lib.varve_manager_request_save(self.handle)

    def wait(self) -> None:
        """Waits for asynchronous saves, and raises their errors."""
        self._call(lib.varve_manager_wait, self.handle)

    def drain(self, seconds: Optional[float] = None) -> None:
        """Waits up to `seconds` until each storage level has the checkpoints
        that are due there. Otherwise raises a WaitError that names a level."""
        self._call(lib.varve_manager_drain, self.handle,
                   -1.0 if seconds is None else seconds)

    @property
    def levels(self) -> List[LevelState]:
        """The progress of each storage level."""
        with self._files.graph.lock:
            found = ffi.new('varve_level_state *')
            return [level_state(found) for i in
                    range(self._options.struct.level_count)
                    if lib.varve_manager_level_at(self.handle, i, found)]

    @property
    def run(self) -> str:
        """The identifier of this run, which its checkpoints contain."""
        return text(lib.varve_manager_run(self.handle))

    @property
    def latest(self) -> Optional[str]:
        """The path of the newest checkpoint, or None."""
        return fs_text(lib.varve_manager_latest(self.handle))

    @property
    def warning(self) -> Optional[str]:
        """The warning of the last save or prune, or None; also after the
        manager is closed."""
        if self._handle is None:
            return self._warning or None
        return text(lib.varve_manager_warning(self._handle)) or None

    @property
    def checkpoints(self) -> List[Managed]:
        """All checkpoints, the oldest first."""
        with self._files.graph.lock:
            found = ffi.new('varve_checkpoint_info *')
            return [managed(found) for i in
                    range(lib.varve_manager_count(self.handle))
                    if lib.varve_manager_at(self.handle, i, found)]

    def refresh(self) -> None:
        """Reads the directory again."""
        self._call(lib.varve_manager_refresh, self.handle)

    def prune(self) -> None:
        """Deletes checkpoints that no policy keeps."""
        self._call(lib.varve_manager_prune, self.handle)

    def pin(self, number: int) -> None:
        """Keeps a checkpoint permanently."""
        self._call(lib.varve_manager_pin, self.handle, number)

    def unpin(self, number: int) -> None:
        """Removes the pin."""
        self._call(lib.varve_manager_unpin, self.handle, number)


def check_step(step: Any, metric: Any = None) -> None:
    """Raises a TypeError that names the argument with a wrong type."""
    if not hasattr(step, '__index__'):
        raise TypeError('step: an integer is required, not '
                        + type(step).__name__)
    if metric is not None and not hasattr(metric, '__float__') \
            and not hasattr(metric, '__index__'):
        raise TypeError('metric: a number is required, not '
                        + type(metric).__name__)


def fs_text(chars: Any) -> Optional[str]:
    return os.fsdecode(ffi.string(chars)) if chars else None


def strings(function: Callable[..., Any], handle: Any) -> Any:
    index = 0
    while function(handle, index):
        yield text(function(handle, index))
        index += 1


def level_state(found: Any) -> LevelState:
    return LevelState(
        fs_text(found.directory) or '', fs_text(found.latest),
        None if found.step < 0 else found.step, found.waiting, found.left_out,
        found.copied, text(found.failure) if found.failure else None)


def managed(found: Any) -> Managed:
    return Managed(
        fs_text(found.path) or '', found.number, found.counter,
        None if found.step < 0 else found.step,
        None if math.isnan(found.metric) else found.metric, found.size,
        text(found.kept) or None, bool(found.is_pinned),
        bool(found.is_damaged), text(found.run) if found.run else None,
        found.identity or None, found.parent or None)
