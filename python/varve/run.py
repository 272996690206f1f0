"""run.py - Combines a checkpoint directory with a training loop: resumes,
saves when due, and ends.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import signal
import warnings
from types import FrameType, TracebackType
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterator, List,
                    Mapping, Optional, Type)

from .checkpoint import Checkpoint, Path
from .communicator import Communicator, together
from .errors import refuse
from .manager import Manager, check_step
from .options import ManagerOptions, ReadOptions, WriteOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ['Run']


class Run:
    """A checkpoint, a manager of its directory, and the training loop.

    Entering the block resumes, or calls `initialize` if there is no
    checkpoint. A directory of another program raises an UnmatchedError, and
    nothing is written to it.

    The first step after a resume, or the end of the block if there is no step,
    raises an UnmatchedError unless all values of the checkpoint were used and
    all values of the program were restored; nothing is saved then. `read` maps
    renamed paths (`renames`) and permits differences (`expect_missing`,
    `expect_unexpected`); `allow_partial` permits all differences. A step up to
    the resumed one raises a MisuseError unless `may_repeat_steps` is set.

    Leaving the block saves the last step with the current values, unless it is
    saved already or `last_save` is False. It then waits for asynchronous
    saves, and up to `drain_seconds` (negative: without limit) until each
    storage level has the last checkpoint that is due there; otherwise it
    raises a WaitError or the error of the copy. If an exception leaves the
    block, nothing is saved and the storage levels are not waited for.

    With `handle_signals` SIGTERM and SIGINT end the run after the current
    step, which is saved; a second SIGINT raises KeyboardInterrupt. The other
    keywords are those of Manager, which is `run.manager`.

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
        self._handles_signals = handle_signals
        self._last_save = last_save
        self._drain_seconds = drain_seconds
        self._comm = comm
        self._handlers: Dict[int, Any] = {}
        self._is_stop_requested = False  # of this process
        self._is_stopping = False  # all processes stop
        self._last: Dict[str, Any] = {}  # the last step, unless it is saved
        self._begun: Optional[int] = None  # the step in the loop's body
        self._done: Optional[int] = None  # the last step
        self._failure: Optional[BaseException] = None  # of a save
        self._is_entered = False
        self._is_ended = False
        self._is_background = background
        if allow_partial and options.get('strict'):
            raise refuse('Run: allow_partial and strict cannot be combined')
        options['strict'] = self._is_strict = not allow_partial
        self._may_repeat_steps = may_repeat_steps
        self._is_unchecked = False  # the resume was not checked yet
        self._manager = Manager(checkpoint, directory, background, comm, write,
                                read, **options)
        self.resumed_step: Optional[int] = None
        self.skipped: List[str] = []  # by the resume, with reasons

    @property
    def manager(self) -> Manager:
        """The manager of the directory."""
        return self._manager

    # --- Beginning ---

    def __enter__(self) -> 'Run':
        try:
            with together(self._comm):
                if self._handles_signals:
                    self._install_handlers()
            self._resume()
        except BaseException:
            self._restore_handlers()
            self._manager.close()
            raise
        self._is_entered = True
        return self

    def _resume(self) -> None:
        restoration = self._manager.resume()
        self.skipped = self._manager.skipped
        if self.skipped:
            warnings.warn('varve.Run: the resume skipped checkpoints: '
                          + '; '.join(self.skipped), RuntimeWarning,
                          stacklevel=3)
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
        """The warning of the last save, or the checkpoints that the resume
        skipped; None if there is none."""
        return self._manager.warning or '\n'.join(self.skipped) or None

    @property
    def is_resumed(self) -> bool:
        """True if a checkpoint was restored."""
        return self._manager.restoration is not None

    # --- Signals ---

    def _install_handlers(self) -> None:
        """Replaces only default handlers, and only in the main thread."""
        for number, usual in ((signal.SIGTERM, signal.SIG_DFL),
                              (signal.SIGINT, signal.default_int_handler)):
            if signal.getsignal(number) is usual:
                self._handlers[number] = usual
                signal.signal(number, self._note_signal)

    def _note_signal(self, number: int, _frame: Optional[FrameType]) -> None:
        self._is_stop_requested = True
        if number == signal.SIGINT:
            signal.signal(number, self._handlers[number])

    def _restore_handlers(self) -> None:
        for number, usual in self._handlers.items():
            signal.signal(number, usual)
        self._handlers.clear()

    # --- Steps ---

    def stop(self) -> None:
        """Ends the run after the current step. May be called from any thread;
        with a communicator in any process."""
        self._is_stop_requested = True

    @property
    def was_stopped(self) -> bool:
        """True if the run was asked to stop, in the `with` block after the
        loop and after the block."""
        return self._is_stopping or (
            self._comm is None and self._is_stop_requested)

    def should_continue(self) -> bool:
        """False after the run was asked to stop or a save has failed."""
        return self._failure is None and not self._is_stopping and (
            self._comm is not None or not self._is_stop_requested)

    def step(self, step: int, metric: Optional[float] = None,
             metadata: Optional[Mapping[str, Any]] = None,
             force: bool = False, pin: bool = False) -> Optional[str]:
        """Ends a step. Saves it if a save is due, if the run was asked to
        stop, or with `force`; `pin` pins that checkpoint. Returns the path;
        None if nothing was saved or an asynchronous save was started. After a
        failure the run has failed, and leaving the block raises the error
        again."""
        if self._failure is not None:
            raise self._failure
        check_step(step, metric)
        try:
            self._check_step(step)
        except BaseException as failure:
            self._failure = failure
            raise
        self._agree_to_stop()
        self._last = {'step': step, 'metric': metric, 'metadata': metadata,
                      'pin': pin}
        self._begun, self._done = None, step
        try:
            return self._save(force or self._is_stopping)
        except BaseException as failure:
            self._failure = failure
            raise

    def _check_entered(self) -> None:
        self._check_not_ended()
        if not self._is_entered:
            raise refuse('Run: the run has not resumed yet: enter it by '
                         '"with varve.Run(...) as run"')

    def _check_not_ended(self) -> None:
        if self._is_ended:
            raise refuse('Run: the run has ended')

    def _check_step(self, step: int) -> None:
        """Checks that the step may be done and that the resume was
        complete."""
        self._check_entered()
        # A step that repeats can be the result of a difference.
        self._check_resume()
        done = self.resumed_step
        if done is not None and not self._may_repeat_steps:
            with together(self._comm):
                if step <= done:
                    raise refuse(
                        f'run: step {step} was done before the resume at step '
                        f'{done}: continue with step {done + 1}, which is '
                        'resumed_step + 1, or set may_repeat_steps')

    def _check_resume(self) -> None:
        self._check_not_ended()
        if self._is_unchecked:
            self._manager.assert_consumed()
            self._is_unchecked = False

    def check_resume(self) -> None:
        """Makes the check of the first step now. Call it when all objects
        exist, before the program uses restored values, for example to truncate
        a file. It raises the exceptions of the first step, and nothing is
        saved then. Pending values that `read` permits remain pending.
        Collective if the run has a communicator."""
        if self._failure is not None:
            raise self._failure
        try:
            self._check_resume()
        except BaseException as failure:
            self._failure = failure
            raise

    def steps(self, end: int, start: Optional[int] = None) -> Iterator[int]:
        """Yields each step from the one after the last one (or `start`, which
        is done already) up to `end`. Each calls `step` after the body of the
        loop. The last one is saved unless `last_save` is False.

        A loop that is left in its body, by `break`, `return` or the end of
        another iterator in `zip`, leaves a step that is not counted: the end
        of the run, or another loop, raises a MisuseError and saves nothing.
        Call `stop` to end the loop after the step, or `step` if the step is
        complete.

        In the loop a saved value must not replace one that the program
        assigns: the assignment of an attribute raises a MisuseError if a value
        is still pending for it."""
        self._check_entered()
        self._check_begun()
        done = start if start is not None else \
            self.resumed_step or 0 if self._done is None else self._done
        self._manager.graph.is_stepping = True
        try:
            while done < end and self.should_continue():
                self._begun = done + 1
                yield done + 1
                done += 1
                self.step(done, force=done == end and self._last_save)
        finally:
            self._manager.graph.is_stepping = False

    def _check_begun(self) -> None:
        if self._begun is not None:
            raise refuse(
                f'run: the loop over steps() was left in step {self._begun}, '
                'which is neither counted nor saved: call '
                f'step({self._begun}) if it is complete, or stop() to end the '
                'loop after a step')

    def _agree_to_stop(self) -> None:
        requested = self._is_stop_requested
        self._is_stopping |= self._comm.any(requested) \
            if self._comm else requested

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
            self._is_ended = True
            self._restore_handlers()

    def _end(self) -> None:
        try:
            if self._failure is not None:
                raise self._failure
            self._check_begun()
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
        """An error of an asynchronous save does not hide an earlier
        exception."""
        try:
            self._manager.close()
        except Exception as late:  # pylint: disable=broad-except
            if exception is not None and exception.__context__ is None:
                exception.__context__ = late
