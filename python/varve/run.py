"""run.py - the usual program around a loop: resume, save when due, end.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterator, List,
                    Mapping, Optional, Type)

from .checkpoint import Checkpoint, Path
from .communicator import Communicator, together
from .errors import refuse
from .manager import Manager
from .options import ManagerOptions, ReadOptions, WriteOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ['Run']


class Run:
    """A checkpoint, a manager of its directory, and the loop in between.

    Entering resumes, or calls `initialize` where there is nothing to resume
    from; a directory of another program is an UnmatchedError, and nothing is
    written to it. The first step after a resume, or leaving without one, is an
    UnmatchedError unless everything in the checkpoint was used and everything
    of the program was restored; then nothing is saved. `read` says what is
    renamed (`renames`), and what may be missing or unused (`expect_missing`,
    `expect_unexpected`); `allow_partial` permits everything. A step that was
    done before the resume is a MisuseError, unless `may_repeat_steps` is set.
    Leaving saves the last step, unless it is saved or `last_save` is False,
    with the values as they are then, and waits for what is in flight, and up
    to `drain_seconds` (negative: for ever) until each level has the last
    checkpoint that is due there; a level without it is a WaitError, or the
    failure of its copy. Leaving by an exception saves nothing more, and does
    not wait for levels. With `handle_signals` SIGTERM and SIGINT let the step
    that is under way be the last, which is saved; a second SIGINT is a
    KeyboardInterrupt. All else is the Manager's, which is `run.manager`.

    >>> import numpy as np, tempfile, varve
    >>> folder = tempfile.TemporaryDirectory()
    >>> def train(end):
    ...     ckpt = varve.Checkpoint(w=np.zeros(2))
    ...     with varve.Run(ckpt, folder.name, interval_steps=10) as run:
    ...         for step in run.steps(end):
    ...             ckpt.w += 1
    ...     return ckpt.w
    >>> train(15)
    array([15., 15.])
    >>> train(20)
    array([20., 20.])
    >>> folder.cleanup()
    """

    def __init__(self, checkpoint: Checkpoint, directory: Path,
                 initialize: Optional[Callable[[], Any]] = None,
                 handle_signals: bool = False, last_save: bool = True,
                 background: bool = False,
                 comm: Optional[Communicator] = None,
                 write: Optional[WriteOptions] = None,
                 read: Optional[ReadOptions] = None,
                 drain_seconds: float = 30,
                 allow_partial: bool = False,
                 may_repeat_steps: bool = False,
                 **options: 'Unpack[ManagerOptions]'):
        self._checkpoint = checkpoint
        self._directory = directory
        self._initialize = initialize
        self._heeds_signals = handle_signals
        self._last_save = last_save
        self._drain_seconds = drain_seconds
        self._comm = comm
        self._handlers: Dict[int, Any] = {}
        self._is_asked = False     # to stop, this process
        self._is_stopping = False  # by the word of all
        self._last: Dict[str, Any] = {}  # the last step, unless it is saved
        self._failure: Optional[BaseException] = None  # of a save: the first
        self._is_background = background
        if allow_partial and options.get('strict'):
            raise refuse('Run: expected `allow_partial` or `strict`, found '
                         'both')
        options['strict'] = self._is_strict = not allow_partial
        self._may_repeat_steps = may_repeat_steps
        self._is_unchecked = False  # what a resume has left
        self._manager = Manager(checkpoint, directory, background, comm, write,
                                read, **options)
        self.resumed_step: Optional[int] = None
        self.skipped: List[str] = []  # by the resume, and why

    @property
    def manager(self) -> Manager:
        """That of the directory."""
        return self._manager

    # --- Beginning ---

    def __enter__(self) -> 'Run':
        try:
            with together(self._comm):
                if self._heeds_signals:
                    self._heed_signals()
            self._resume()
        except BaseException:
            self._leave_signals()
            self._manager.close()
            raise
        return self

    def _resume(self) -> None:
        restoration = self._manager.resume()
        self.skipped = self._manager.skipped
        if restoration is None:
            with together(self._comm):
                if self._initialize:
                    self._initialize()
            return
        self._is_unchecked = self._is_strict
        step = restoration.metadata('step')
        is_number = isinstance(step, int) and not isinstance(step, bool)
        self.resumed_step = step if is_number and step >= 0 else None

    @property
    def warning(self) -> Optional[str]:
        """What went wrong beside the last save, or was passed over by the
        resume; None: nothing."""
        return self._manager.warning or '\n'.join(self.skipped) or None

    @property
    def is_resumed(self) -> bool:
        """Whether something was restored; else it has begun anew."""
        return self._manager.restoration is not None

    # --- Signals ---

    def _heed_signals(self) -> None:
        """Where they are as by default; only the main thread may."""
        for number, usual in ((signal.SIGTERM, signal.SIG_DFL),
                              (signal.SIGINT, signal.default_int_handler)):
            if signal.getsignal(number) is usual:
                self._handlers[number] = usual
                signal.signal(number, self._note_signal)

    def _note_signal(self, number: int, _frame: Optional[FrameType]) -> None:
        self._is_asked = True
        if number == signal.SIGINT:
            signal.signal(number, self._handlers[number])

    def _leave_signals(self) -> None:
        for number, usual in self._handlers.items():
            signal.signal(number, usual)
        self._handlers.clear()

    # --- Steps ---

    def stop(self) -> None:
        """Lets the step that is under way be the last. For any thread, and of
        many processes for any of them."""
        self._is_asked = True

    @property
    def was_stopped(self) -> bool:
        """Whether it was asked to stop, which ends the loop before its own
        end: true in the `with` block after the loop, and behind it."""
        return self._is_stopping or (self._comm is None and self._is_asked)

    def should_continue(self) -> bool:
        """False once it was asked to stop, or a save has failed."""
        return self._failure is None and not self._is_stopping and (
            self._comm is not None or not self._is_asked)

    def step(self, step: int, metric: Optional[float] = None,
             metadata: Optional[Mapping[str, Any]] = None,
             force: bool = False, pin: bool = False) -> Optional[str]:
        """A step is done: saves it if a save is due, if the run was asked to
        stop, or by force; what is saved then is pinned by `pin`. Gives the
        path of what was written; None: nothing (yet). Once one has failed the
        run has: leaving it raises that again."""
        if self._failure is not None:
            raise self._failure
        try:
            self._check_step(step)
        except BaseException as failure:
            self._failure = failure
            raise
        self._agree_to_stop()
        self._last = {'step': step, 'metric': metric, 'metadata': metadata,
                      'pin': pin}
        try:
            return self._save(force or self._is_stopping)
        except BaseException as failure:
            self._failure = failure
            raise

    def _check_step(self, step: int) -> None:
        """Whether it may be done, and all of a resume has come."""
        done = self.resumed_step
        if done is not None and not self._may_repeat_steps:
            with together(self._comm):
                if step <= done:
                    raise refuse(
                        f'Run.step: step {step} was already done: the run resumed '
                        f'from step {done}: continue with step {done + 1} '
                        '(resumed_step + 1), or set may_repeat_steps')
        self._check_resume()

    def _check_resume(self) -> None:
        if self._is_unchecked:
            self._manager.assert_consumed()
            self._is_unchecked = False

    def check_resume(self) -> None:
        """The program is built: checks now what the first step would check,
        before the program acts on what came back, by truncating a file for
        instance. What the first step would raise is raised here, and nothing
        is saved then. Values that wait with permission go on waiting. Of many
        processes each makes the call."""
        if self._failure is not None:
            raise self._failure
        try:
            self._check_resume()
        except BaseException as failure:
            self._failure = failure
            raise

    def steps(self, end: int, start: Optional[int] = None) -> Iterator[int]:
        """Each step behind the one that was resumed (or `start`, which is done
        already), up to `end`; each is a `step` once the body of the loop is
        through with it. The last one is saved then, unless `last_save` is
        False."""
        done = start if start is not None else self.resumed_step or 0
        while done < end and self.should_continue():
            yield done + 1
            done += 1
            self.step(done, force=done == end and self._last_save)

    def _agree_to_stop(self) -> None:
        asked = self._is_asked
        self._is_stopping |= self._comm.any(asked) if self._comm else asked

    def _save(self, force: bool) -> Optional[str]:
        begins = self._is_background and (
            force or self._manager.is_due(self._last['step']))
        path = self._manager.save(force=force, **self._last)
        if path or begins or self._last['step'] == self.resumed_step:
            self._last = {}
        return path

    # --- The end ---

    def __exit__(self, kind: Optional[Type[BaseException]],
                 exception: Optional[BaseException],
                 _traceback: Optional[TracebackType]) -> None:
        try:
            if kind is None:
                self._end()
            else:
                self._leave(exception)
        finally:
            self._leave_signals()

    def _end(self) -> None:
        try:
            if self._failure is not None:
                raise self._failure
            if self._last or self._is_unchecked:
                self._agree_to_stop()
            if not self._is_stopping:
                self._check_resume()
            if self._last:
                if self._is_stopping or self._last_save:
                    self._save(True)
            self._manager.wait()
            self._manager.drain(self._drain_seconds)
        finally:
            self._manager.close()

    def _leave(self, exception: Optional[BaseException]) -> None:
        """What went wrong in flight does not hide what went wrong first."""
        try:
            self._manager.close()
        except Exception as late:  # pylint: disable=broad-except
            if exception is not None and exception.__context__ is None:
                exception.__context__ = late
