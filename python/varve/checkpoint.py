"""checkpoint.py - Saves and restores the objects of a program.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Tuple, Union

from ._native import ffi, lib
from .callbacks import Callbacks
from .communicator import Communicator, together
from .errors import Error, Status, call, file_path, refuse
from .filling import call_with_types, fill, planned_path
from .fitting import check_fit
from .graph import Graph
from .options import Options, read_options, write_options
from .restoration import Restoration
from .states import is_own_name

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import ReadOptions, WriteOptions

__all__ = ['Checkpoint', 'Tracked', 'write', 'save', 'read', 'restore',
           'dry_run', 'latest', 'compare_golden']

# The collective form of each call.
ALL = {lib.varve_write: lib.varve_write_all,
       lib.varve_save: lib.varve_save_all,
       lib.varve_read: lib.varve_read_all,
       lib.varve_restore: lib.varve_restore_all}

Path = Union[str, 'os.PathLike[str]']


def guarded(callbacks: Callbacks, comm: Optional[Communicator],
            function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function with callbacks, and raises the exception of a
    callback."""
    try:
        result = (comm.call if comm else call)(function, *arguments)
    except Error:
        callbacks.raise_own()
        raise
    callbacks.raise_own()  # too late to cancel
    return result


class Files:
    """The calls that write and read, for one graph."""

    def __init__(self, root: Any):
        self.graph = Graph(root)

    def _write(self, how: Any, path: Path, comm: Optional[Communicator],
               keywords: Any) -> Options:
        options = write_options(keywords)
        options.handle_signals()
        with together(comm):
            self.graph.is_own_format = \
                options.struct.format == lib.VARVE_FORMAT_VARVE
            self.graph.sync()
        guarded(options.callbacks, comm, ALL[how] if comm else how,
                self.graph.root, file_path(path), options.struct)
        return options

    def write(self, path: Path, comm: Optional[Communicator],
              keywords: Any) -> List[Tuple[str, str]]:
        with self.graph.lock:
            options = self._write(lib.varve_write, path, comm, keywords)
            return options.callbacks.losses

    def save(self, prefix: Path, comm: Optional[Communicator],
             keywords: Any) -> str:
        with self.graph.lock:
            self._write(lib.varve_save, prefix, comm, keywords)
            return f'{os.fspath(prefix)}-{self.counter}.varve'

    def read(self, how: Any, path: Path, comm: Optional[Communicator],
             keywords: Any) -> Restoration:
        keywords = dict(keywords)
        any_shape = keywords.pop('any_shape', None)
        options = read_options(keywords)
        if how != lib.varve_dry_run:
            options.handle_signals()
        with self.graph.lock:
            self.graph.begin_read()
            with together(comm):
                self.graph.let_take_any_shape(any_shape)
                survey = self.graph.sync(to_fill=True)
                filled = fill(
                    self.graph, survey, lambda: planned_path(
                        self.graph, file_path(path), options), options)
            try:
                with together(comm):
                    if filled or self.graph.unfolded:
                        self.graph.sync(to_fill=True)
                handle = call_with_types(
                    lambda: self._read_into(how, path, comm, options),
                    self.graph, comm,
                    lambda: planned_path(self.graph, file_path(path), options),
                    options, filled)
            except BaseException:
                filled.undo()
                raise
            if how == lib.varve_dry_run:
                filled.undo()
            else:
                with together(comm):
                    self.graph.push(Status.PARTIALLY_RESTORED)
            return Restoration(
                self.graph, ffi.gc(handle, lib.varve_restoration_free),
                options)

    def _read_into(self, how: Any, path: Path, comm: Optional[Communicator],
                   options: Options) -> Any:
        """Reads the file. Values that `fill` has created already belong to the
        program."""
        with together(comm):
            if how != lib.varve_dry_run:
                check_fit(self.graph, file_path(path), options)
        return guarded(options.callbacks, comm, ALL[how] if comm else how,
                       self.graph.root, file_path(path), options.struct)

    def compare_golden(self, path: Path, absolute: float, relative: float,
                       keywords: Any) -> None:
        read = read_options(keywords)
        tolerance = ffi.new('varve_tolerance *',
                            {'absolute': absolute, 'relative': relative})
        options = ffi.new('varve_golden_options *', {'read': read.struct})
        if absolute or relative:
            options.tolerances = tolerance
            options.tolerance_count = 1
        with self.graph.lock:
            self.graph.sync()
            guarded(read.callbacks, None, lib.varve_compare_golden,
                    self.graph.root, file_path(path), options)

    @property
    def counter(self) -> int:
        return int(lib.varve_save_counter(self.graph.root))


def verified_first(options: Any) -> Any:
    """Returns the options of a read into a new graph, which has no record of
    the earlier state of the tree."""
    return {'passes': 'two', **options}


def write(tree: Any, path: Path, comm: Optional[Communicator] = None,
          **options: 'Unpack[WriteOptions]') -> List[Tuple[str, str]]:
    """Writes nested dicts, lists and objects of arrays, numbers and strings to
    exactly this file. Returns the values that the format cannot represent, as
    pairs of path and reason. With `comm` the call is collective, and the trees
    of all ranks must have the same names.

    >>> import numpy as np, tempfile, varve
    >>> folder = tempfile.TemporaryDirectory()
    >>> varve.write({'w': np.eye(2)}, folder.name + '/w.npz', format='npz')
    []
    >>> sorted(np.load(folder.name + '/w.npz'))
    ['w']
    >>> folder.cleanup()
    """
    return Files(tree).write(path, comm, options)


def compare_golden(tree: Any, path: Path, absolute: float = 0,
                   relative: float = 0,
                   **options: 'Unpack[ReadOptions]') -> None:
    """Compares a tree with a golden file: its names, types, shapes and values.
    Real and complex numbers may differ by `absolute + relative * abs(golden)`;
    all other values must be equal bit for bit. Differences raise an
    UnmatchedError or a MismatchError that names them. The tree does not
    change. The pytest plug-in has a fixture for this call: varve_golden.

    >>> import numpy as np, tempfile, varve
    >>> folder = tempfile.TemporaryDirectory()
    >>> varve.write({'w': np.eye(2)}, folder.name + '/golden.varve')
    []
    >>> varve.compare_golden({'w': np.eye(2) + 1e-9},
    ...                      folder.name + '/golden.varve', absolute=1e-6)
    >>> folder.cleanup()
    """
    Files(tree).compare_golden(path, absolute, relative, options)


def save(tree: Any, prefix: Path, comm: Optional[Communicator] = None,
         **options: 'Unpack[WriteOptions]') -> str:
    """Writes `prefix-N.varve` for the next N, and returns its path."""
    return Files(tree).save(prefix, comm, options)


def read(tree: Any, path: Path, comm: Optional[Communicator] = None,
         **options: 'Unpack[ReadOptions]') -> Restoration:
    """Reads exactly this file into existing arrays, numbers and strings; see
    restore."""
    return Files(tree).read(lib.varve_read, path, comm,
                            verified_first(options))


def restore(tree: Any, path: Path, comm: Optional[Communicator] = None,
            **options: 'Unpack[ReadOptions]') -> Restoration:
    """Reads a file, or the newest of a prefix, into existing objects: arrays
    are filled, numbers and strings replaced. If the file is damaged, nothing
    changes (except with `passes='one'`, which reads the file once).

    >>> import numpy as np, tempfile, varve
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = varve.write({'w': np.ones(3), 'step': 7}, folder.name + '/a.varve')
    >>> tree = {'w': np.zeros(3), 'step': 0}
    >>> with varve.restore(tree, folder.name + '/a.varve') as restoration:
    ...     _ = restoration.assert_consumed()
    >>> tree
    {'w': array([1., 1., 1.]), 'step': 7}
    >>> folder.cleanup()
    """
    return Files(tree).read(lib.varve_restore, path, comm,
                            verified_first(options))


def dry_run(tree: Any, path: Path,
            **options: 'Unpack[ReadOptions]') -> Restoration:
    """Makes a dry run of restore: no values are read, and nothing changes. The
    result has a report."""
    return Files(tree).read(lib.varve_dry_run, path, None, options)


def latest(prefix: Path) -> str:
    """Returns the path of the newest numbered file of a prefix."""
    chars = ffi.new('char[4096]')
    call(lib.varve_latest, file_path(prefix), chars, 4096)
    return os.fsdecode(ffi.string(chars))


SCALARS = (bool, int, float, complex, str)
HELD = ('the saved value is pending, and would replace the one that the loop '
        'over Run.steps has assigned: create the array, list or object before '
        'the run resumes')


class Tracked:
    """An object whose pending values are assigned as soon as an attribute is
    set. Other objects get them at the next update, assertion or save."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if not is_own_name(name):
            for graph in list(vars(self).get('_varve_graphs', ())):
                if not graph.is_waiting():
                    continue
                if graph.is_stepping and not isinstance(value, SCALARS):
                    graph.sync_attribute(self, name, held_reason=HELD)
                    continue
                graph.sync_attribute(self, name)
                self._check_replaced(graph, name, value)

    def _check_replaced(self, graph: Graph, name: str, value: Any) -> None:
        """Fails if a saved number or string has replaced one that a loop over
        Run.steps has assigned."""
        saved = vars(self)[name]
        if graph.is_stepping and saved is not value and saved != value:
            raise refuse(f'{name}: the saved value {saved!r} was pending, and '
                         f'has replaced {value!r}, which the loop over '
                         'Run.steps has assigned: set the attribute before the '
                         'run resumes')

    if TYPE_CHECKING:
        # The program chooses the names of attributes.
        def __getattr__(self, name: str) -> Any: ...

    def _varve_follow(self, graph: Graph) -> None:
        graphs = vars(self).setdefault('_varve_graphs', weakref.WeakSet())
        graphs.add(graph)

    def __getstate__(self) -> Any:
        state = dict(vars(self))
        state.pop('_varve_graphs', None)
        return state


class Checkpoint(Tracked):
    """Objects whose attributes become edges: arrays, numbers, strings, lists,
    dicts and objects of these. An attribute that cannot be saved raises a
    MisuseError with its path. A class excludes attributes with
    `__varve_ignore__`.

    >>> import numpy as np, tempfile, varve
    >>> folder = tempfile.TemporaryDirectory()
    >>> class Model:
    ...     def __init__(self, value):
    ...         self.kernel = np.full((2, 2), value)
    >>> varve.Checkpoint(model=Model(3.0), step=7).save(
    ...     folder.name + '/ckpt')[-12:]
    'ckpt-1.varve'
    >>> later = varve.Checkpoint(step=0)
    >>> restoration = later.restore(folder.name + '/ckpt')
    >>> later.step, restoration.pending_count
    (7, 1)
    >>> later.model = Model(0.0)
    >>> print(later.model.kernel[1, 1])
    3.0
    >>> _ = restoration.assert_consumed()
    >>> folder.cleanup()
    """

    def __init__(self, **objects: Any):
        self._varve_files = Files(self)
        for name, value in objects.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if hasattr(Checkpoint, name):
            raise AttributeError(f'{name} is a method of Checkpoint and cannot '
                                 'be the name of an attribute')
        super().__setattr__(name, value)

    def write(self, path: Path, comm: Optional[Communicator] = None,
              **options: 'Unpack[WriteOptions]') -> List[Tuple[str, str]]:
        """Writes to exactly this file. Returns the values that the format
        cannot represent."""
        return self._varve_files.write(path, comm, options)

    def save(self, prefix: Path, comm: Optional[Communicator] = None,
             **options: 'Unpack[WriteOptions]') -> str:
        """Writes `prefix-N.varve` for the next N, and returns its path."""
        return self._varve_files.save(prefix, comm, options)

    def read(self, path: Path, comm: Optional[Communicator] = None,
             **options: 'Unpack[ReadOptions]') -> Restoration:
        """Reads exactly this file."""
        return self._varve_files.read(lib.varve_read, path, comm, options)

    def restore(self, path: Path, comm: Optional[Communicator] = None,
                **options: 'Unpack[ReadOptions]') -> Restoration:
        """Reads a file, or the newest of a prefix."""
        return self._varve_files.read(lib.varve_restore, path, comm, options)

    def dry_run(self, path: Path,
                **options: 'Unpack[ReadOptions]') -> Restoration:
        """Makes a dry run of restore, which changes nothing."""
        return self._varve_files.read(lib.varve_dry_run, path, None, options)

    @property
    def save_counter(self) -> int:
        """The number of the last save or of the restored file."""
        return self._varve_files.counter
