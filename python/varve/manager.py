"""manager.py - a directory of checkpoints of one run.

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
from .filling import check_new_objects, fill
from .fitting import check_fit
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
    kept: Optional[str]  # why it stays
    is_pinned: bool
    is_damaged: bool
    run: Optional[str]  # identity of the run that has saved it
    identity: Optional[int]  # its copies at levels have the same one
    parent: Optional[int]  # identity of what its run was resumed from


class LevelState(NamedTuple):
    """How far a level is."""

    directory: str
    latest: Optional[str]  # the path of the newest that is known of there
    step: Optional[int]
    waiting: int   # that are due there, with the one being copied
    left_out: int  # as more waited than may
    copied: int    # bytes
    failure: Optional[str]  # what went wrong last; None: it went well since


class Manager:
    """Saves, keeps and resumes the checkpoints of one directory.

    A manager holds the lock of its prefix until it is closed. Another one of
    the same prefix is a SystemError with Status.EXISTS, which names the host,
    the process and the run of the holder; with `read_only` it works beside it.

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
        self._is_unchecked = False  # what the last resume has left

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        callbacks = self._write.callbacks
        if callbacks.exception is None and self._read.callbacks.exception:
            callbacks = self._read.callbacks
        with self._files.graph.lock:
            return guarded(callbacks, None, function, *arguments)

    @property
    def handle(self) -> Any:
        """The library's manager."""
        if self._handle is None:
            raise ValueError('the manager is closed')
        return self._handle

    def close(self) -> None:
        """Waits for what is in flight, and ends it and its lock."""
        if self._handle is None:
            return
        try:
            self.wait()
        finally:
            if self._restoration:
                self._restoration.close()
            ffi.release(self._handle)
            self._handle = None

    def __enter__(self) -> 'Manager':
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def resume(self) -> Optional[Restoration]:
        """Restores the newest checkpoint that is good; None where there is
        none. One that is damaged is passed over: see `skipped`. One that
        cannot be read now is a SystemError, unless `may_resume_older` is
        set."""
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
                    # Lists were made as a file has them that was passed over.
                    if not self._any(bool(self.skipped and older)):
                        raise
                    newest = older[-1] if older else newest
            with together(self._comm):
                graph.push(Status.HALF_RESTORED)
            handle = lib.varve_manager_restoration(self.handle)
            self._restoration = None if handle == ffi.NULL else Restoration(
                graph, handle, self._read)
            self._is_unchecked = self._is_strict and bool(self._restoration)
            return self._restoration

    def _any(self, value: bool) -> bool:
        """Whether it is so at any process."""
        return self._comm.any(value) if self._comm else value

    def _resume_from(self, newest: Optional[str]) -> Optional[str]:
        """Fills what that file has, resumes, and gives the path of what was
        resumed; what was filled from another file is taken back."""
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
            self._call(lib.varve_manager_resume, self.handle)
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
        """UnmatchedError unless everything in the checkpoint of the last
        resume was used, and everything that the program had then was restored;
        of many processes at all of them. Nothing where nothing was resumed.
        What the program has put into lists and dicts since, and numbers and
        strings that it has set, are its own; an object that it has set as an
        attribute since, with arrays in it, is one that was not restored."""
        graph = self._files.graph
        with graph.lock:
            try:
                self._call(lib.varve_manager_assert_consumed, self.handle)
            except UnmatchedError:
                with together(self._comm):
                    graph.sync()  # which says what waits for an update
                raise
            with together(self._comm):
                if self._restoration:
                    check_new_objects(graph, self._read)
            self._is_unchecked = False

    def finish_resume(self) -> None:
        """Ends the waiting of the last resume: what waits is given up. With
        `strict` only where assert_consumed holds."""
        with self._files.graph.lock:
            if self._is_unchecked:
                self.assert_consumed()
            with together(self._comm):
                self._files.graph.sync()
            self._call(lib.varve_manager_finish_resume, self.handle)

    @property
    def restoration(self) -> Optional[Restoration]:
        """That of the last resume; None where nothing was restored."""
        return self._restoration

    @property
    def skipped(self) -> List[str]:
        """What the last resume passed over, and why."""
        return list(strings(lib.varve_manager_skipped, self.handle))

    def save(self, step: int, metric: Optional[float] = None,
             metadata: Optional[Mapping[str, Any]] = None,
             force: bool = False, pin: bool = False) -> Optional[str]:
        """Saves if a save is due, and deletes what nothing keeps. Gives the
        path of what was written; None: nothing (yet, in the background)."""
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
        """Whether a save of this step would be made now."""
        return bool(lib.varve_manager_is_due(self.handle, step))

    def request_save(self) -> None:
        """Makes the next save due, as when a signal asks for it."""
        lib.varve_manager_request_save(self.handle)

    def wait(self) -> None:
        """Waits for what is in flight; raises what it failed with."""
        self._call(lib.varve_manager_wait, self.handle)

    def drain(self, seconds: Optional[float] = None) -> None:
        """Waits until each level has what is due there, at most so long;
        WaitError names one that has not."""
        self._call(lib.varve_manager_drain, self.handle,
                   -1.0 if seconds is None else seconds)

    @property
    def levels(self) -> List[LevelState]:
        """How far each is."""
        with self._files.graph.lock:
            found = ffi.new('varve_level_state *')
            return [level_state(found) for i in
                    range(self._options.struct.level_count)
                    if lib.varve_manager_level_at(self.handle, i, found)]

    @property
    def run(self) -> str:
        """The identity of this run, which its checkpoints have."""
        return text(lib.varve_manager_run(self.handle))

    @property
    def latest(self) -> Optional[str]:
        """The path of the newest checkpoint, or None."""
        return fs_text(lib.varve_manager_latest(self.handle))

    @property
    def warning(self) -> Optional[str]:
        """What went wrong beside the last save or prune, or None."""
        return text(lib.varve_manager_warning(self.handle)) or None

    @property
    def checkpoints(self) -> List[Managed]:
        """What there is, the oldest first."""
        with self._files.graph.lock:
            found = ffi.new('varve_checkpoint_info *')
            return [managed(found) for i in
                    range(lib.varve_manager_count(self.handle))
                    if lib.varve_manager_at(self.handle, i, found)]

    def refresh(self) -> None:
        """Looks at the directory anew."""
        self._call(lib.varve_manager_refresh, self.handle)

    def prune(self) -> None:
        """Deletes now what no policy keeps."""
        self._call(lib.varve_manager_prune, self.handle)

    def pin(self, number: int) -> None:
        """Keeps a checkpoint for ever."""
        self._call(lib.varve_manager_pin, self.handle, number)

    def unpin(self, number: int) -> None:
        """Keeps it no longer."""
        self._call(lib.varve_manager_unpin, self.handle, number)


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
