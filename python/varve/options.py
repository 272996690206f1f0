"""options.py - Converts keywords to the option structs of the library.

The keywords are the members of the structs (varve/options.h, varve/manager.h),
with two differences: `except` is `except_`, and members of nested structs are
keywords too. The default is 0, the safe default of C.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import difflib
import os
import threading
from typing import (Any, Callable, Collection, Dict, List, Mapping, Sequence,
                    Tuple, TypedDict, Union)

from ._native import ffi, lib
from .callbacks import Callbacks, Progress
from .errors import file_path, refuse, text

__all__ = ['ReadOptions', 'WriteOptions', 'ManagerOptions', 'LevelOptions']

PATHS = 'rename_file', 'base', 'prefix', 'certificates'  # of files
FEATURES = {  # keywords for members of nested structs
    'shard_size': 'foreign.shard_size', 'global_names': 'foreign.global_names',
    'base': 'increment.base', 'renames': 'rename.list',
    'rename_file': 'rename.file',
    'expect_missing': 'expect.missing',
    'expect_unexpected': 'expect.unexpected',
    'dots': 'foreign.dots', 'no_hdf5': 'foreign.no_hdf5',
    'follow_links': 'foreign.follow_links',
    'salvage': 'salvage.on', 'staging_size': 'resources.staging_size',
    'threads': 'resources.threads'}
Patterns = Union[str, Sequence[str]]
Metadata = Mapping[str, Union[bool, int, float, str]]


class WriteOptions(TypedDict, total=False):
    """Keywords of calls that write; see varve_write_options."""

    metadata: Metadata
    progress: Progress  # (done, total, what); true or an exception cancels
    no_replace: bool
    no_sync: bool
    keep_counter: bool
    format: str  # 'varve', 'safetensors', 'npz', 'npy', 'tensorflow'...
    shard_size: int
    global_names: bool
    incremental: bool
    base: str
    compress: int
    pending: str  # 'carry', 'fail' or 'omit': pending values


class ReadOptions(TypedDict, total=False):
    """Keywords of calls that read; see varve_read_options."""

    renames: Mapping[str, str]  # program path to file path
    rename_file: str
    subtree: str
    only: Patterns
    except_: Patterns
    any_shape: Union[bool, Patterns]  # arrays that may be replaced if the
    # file has another shape; True: all
    resize: Patterns
    copy_shared: bool
    reshape: bool
    cast: str  # 'none', 'widen' or 'any'
    cast_only: Patterns
    expect_missing: Patterns
    expect_unexpected: Patterns
    passes: str  # 'auto', 'one' or 'two'
    no_verify: bool
    dots: bool  # a.b of external formats is a/b
    no_hdf5: bool  # rejects files that libhdf5 would read
    follow_links: bool  # permits links to any files
    salvage: bool
    staging_size: int
    threads: int
    progress: Progress


class LevelOptions(TypedDict, total=False):
    """A storage level of a manager; see varve_level."""

    directory: Union[str, bytes, 'os.PathLike[Any]']  # the only required key
    every_steps: int
    every_seconds: int
    keep_last: int
    keep_every_steps: int
    keep_best: int
    bytes_per_second: int
    incremental: bool
    max_pending: int


class RedundancyOptions(TypedDict, total=False):
    """The redundancy of a manager, against the loss of nodes; see
    varve_redundancy."""

    scheme: str  # 'partner' or 'xor'; required
    group_size: int
    domain: int


class ManagerOptions(TypedDict, total=False):
    """Keywords of a manager; see varve_manager_options."""

    prefix: str
    keep_last: int
    keep_every_steps: int
    keep_every_seconds: int
    keep_best: int
    best_is_larger: bool
    metric: str
    keep_bytes: int
    keep_damaged: int
    retention_from_ledger: bool
    read_only: bool
    interval_steps: int
    interval_seconds: int
    number_by_step: bool
    record_time: bool
    levels: Sequence[LevelOptions]
    redundancy: RedundancyOptions
    lock_seconds: float
    must_resume: bool
    may_resume_older: bool
    may_start_new_run: bool
    may_change_metric: bool
    strict: bool
    run: str


READ_ONLY = (lib.VARVE_FORMAT_ONNX, lib.VARVE_FORMAT_FLAX,
             lib.VARVE_FORMAT_DCP)


def format_code(name: str) -> int:
    """Returns the number of a format by its name.

    >>> format_code('npz') == lib.VARVE_FORMAT_NPZ
    True
    """
    codes = {text(lib.varve_format_name(code)): int(code)
             for code in sorted(ffi.typeof('varve_format').elements)}
    if name not in codes:
        raise ValueError(f'{name!r} is not a format: use ' + ', '.join(
            repr(each) for each, code in codes.items()
            if code not in READ_ONLY))
    return codes[name]


def cast_code(name: str) -> int:
    for code, constant in ffi.typeof('varve_cast').elements.items():
        if constant == 'VARVE_CAST_' + name.upper():
            return int(code)
    raise ValueError(f"cast must be 'none', 'widen' or 'any', not {name!r}")


def passes_code(name: str) -> int:
    codes = {'auto': lib.VARVE_PASSES_AUTO, 'one': lib.VARVE_ONE_PASS,
             'two': lib.VARVE_TWO_PASSES}
    if name not in codes:
        raise ValueError(f"passes must be 'auto', 'one' or 'two', not {name!r}")
    return int(codes[name])


def pending_code(name: str) -> int:
    codes = {'carry': lib.VARVE_PENDING_CARRY, 'fail': lib.VARVE_PENDING_FAIL,
             'omit': lib.VARVE_PENDING_OMIT}
    if name not in codes:
        raise ValueError(
            f"pending must be 'carry', 'fail' or 'omit', not {name!r}")
    return int(codes[name])


def redirects_code(name: str) -> int:
    codes = {'any': lib.VARVE_REDIRECTS_ANY,
             'same_host': lib.VARVE_REDIRECTS_SAME_HOST,
             'none': lib.VARVE_REDIRECTS_NONE}
    if name not in codes:
        raise ValueError(
            f"redirects must be 'any', 'same_host' or 'none', not {name!r}")
    return codes[name]


def scheme_code(name: str) -> int:
    codes = {'partner': lib.VARVE_PARTNER, 'xor': lib.VARVE_XOR}
    if name not in codes:
        raise ValueError(f"scheme must be 'partner' or 'xor', not {name!r}")
    return int(codes[name])


class Options:
    """A struct of the library, and all objects that it points to."""

    def __init__(self, kind: str, keywords: Mapping[str, Any],
                 allowed: Collection[str]):
        self.keywords = dict(keywords)
        self.struct = ffi.new(kind + ' *')
        self.callbacks = Callbacks(keywords.get('progress'))
        self._kept: List[Any] = []
        for name, value in keywords.items():
            if name not in allowed:
                near = difflib.get_close_matches(name, list(allowed), 1)
                raise TypeError(
                    f'unknown option {name!r}' +
                    (f': did you mean {near[0]!r}?' if near else
                     f'; see the keywords of {kind}'))
            if value is not None:
                self._try_to_set(name, value)

    def _try_to_set(self, name: str, value: Any) -> None:
        """Names the option in the exception if its value has a wrong type."""
        try:
            self._set(name, value)
        except OverflowError as failure:
            raise ValueError(f'{name}: {value!r} is out of range') from failure
        except (TypeError, AttributeError) as failure:
            raise TypeError(f'{name}: {value!r} has a wrong type: '
                            f'{failure}') from failure

    def _set(self, name: str, value: Any) -> None:
        own: Dict[str, Callable[[Any], None]] = {
            'metadata': self._set_metadata, 'renames': self._set_renames,
            'progress': self._set_progress, 'levels': self._set_levels,
            'redundancy': self._set_redundancy}
        field = name.rstrip('_')
        if name in own:
            own[name](value)
        elif name == 'format':
            self.struct.format = format_code(value)
        elif name == 'cast':
            self.struct.cast = cast_code(value)
        elif name == 'passes':
            self.struct.passes = passes_code(value)
        elif name == 'pending':
            self.struct.pending = pending_code(value)
        elif name == 'redirects':
            self.struct.redirects = redirects_code(value)
        else:
            self._set_field(FEATURES.get(field, field), value, name)

    def _set_field(self, field: str, value: Any, name: str) -> None:
        struct = self.struct[0]
        *features, field = field.split('.')
        for feature in features:
            struct = getattr(struct, feature)
        kind = ffi.typeof(ffi.addressof(struct)).item
        if dict(kind.fields)[field].type.kind == 'pointer':
            value = self._text(value, name)
        setattr(struct, field, value)

    def _text(self, value: Any, name: str) -> Any:
        chars = as_path(value) if name in PATHS else as_patterns(value, name)
        self._kept.append(chars)
        return chars

    def _array(self, kind: str, count: int) -> Any:
        array = ffi.new(kind + '[]', count)
        self._kept.append(array)
        return array

    def _set_metadata(self, values: Metadata) -> None:
        array = self._array('varve_metadata', len(values))
        for item, (name, value) in zip(array, values.items()):
            item.name = self._text(name, 'metadata')
            kind, field = metadata_kind(name, value)
            item.kind = kind
            setattr(item, field, self._text(value, 'metadata')
                    if field == 'string' else value)
        self.struct.metadata = array
        self.struct.metadata_count = len(values)

    def _set_renames(self, values: Mapping[str, str]) -> None:
        array = self._array('varve_rename', len(values))
        for item, (program, file) in zip(array, values.items()):
            item.program = self._text(program, 'renames')
            item.file = self._text(file, 'renames')
        self.struct.rename.list = array
        self.struct.rename.count = len(values)

    def _set_levels(self, levels: Sequence[LevelOptions]) -> None:
        array = self._array('varve_level', len(levels))
        for item, level in zip(array, levels):
            for name, value in level.items():
                if name not in LevelOptions.__annotations__:
                    raise TypeError(f'levels: unknown key {name!r}')
                if name == 'directory':
                    value = as_path(value)
                    self._kept.append(value)
                setattr(item, name, value)
        self.struct.levels = array
        self.struct.level_count = len(levels)

    def _set_redundancy(self, redundancy: RedundancyOptions) -> None:
        item, = array = self._array('varve_redundancy', 1)
        for name, value in redundancy.items():
            if name not in RedundancyOptions.__annotations__:
                raise TypeError(f'redundancy: unknown key {name!r}')
            setattr(item, name, scheme_code(str(value)) if name == 'scheme'
                    else value)
        self.struct.redundancy = array

    def _set_progress(self, _: Progress) -> None:
        self.struct.progress = lib.varve_python_progress
        self.struct.progress_user = self.callbacks.handle

    def handle_signals(self) -> None:
        """Permits signal handlers to run during the call: they run in a
        callback in the main thread, and their exceptions cancel the call."""
        if not self.struct.progress \
                and threading.current_thread() is threading.main_thread():
            self.struct.progress = ffi.addressof(
                lib, 'varve_python_run_signal_handlers')
            self.struct.progress_user = self.callbacks.handle

    def note_losses(self) -> None:
        """Enables the callback that records lost values."""
        self.struct.foreign.loss = lib.varve_python_loss
        self.struct.foreign.loss_user = self.callbacks.handle


def as_path(value: Any) -> Any:
    return ffi.new('char[]', file_path(value))


def as_patterns(value: Any, name: str) -> Any:
    """Converts a string or several patterns for C; `name` is that of the
    option."""
    if isinstance(value, (list, tuple)):
        value = '|'.join(value)
    if '\0' in value:
        raise refuse(f'{name} must not contain NUL: {value!r:.200}')
    try:
        return ffi.new('char[]', value.encode('utf-8'))
    except UnicodeEncodeError:
        raise refuse(f'{name} must not contain a lone surrogate, which UTF-8 '
                     'cannot encode') from None


def metadata_kind(name: str, value: Any) -> Tuple[int, str]:
    """Returns the kind of a value and the member for it."""
    if isinstance(value, bool):
        return lib.VARVE_METADATA_BOOLEAN, 'integer'
    if isinstance(value, int):
        return lib.VARVE_METADATA_INTEGER, 'integer'
    if isinstance(value, float):
        return lib.VARVE_METADATA_REAL, 'real'
    if isinstance(value, str):
        return lib.VARVE_METADATA_STRING, 'string'
    raise TypeError(f'metadata {name} must be a bool, int, float or str, not '
                    f'{type(value).__name__}')


def metadata_value(item: Any) -> Union[bool, int, float, str]:
    """Returns the value of a metadata item."""
    if item.kind == lib.VARVE_METADATA_BOOLEAN:
        return bool(item.integer)
    if item.kind == lib.VARVE_METADATA_INTEGER:
        return int(item.integer)
    if item.kind == lib.VARVE_METADATA_REAL:
        return float(item.real)
    return text(item.string)


def write_options(keywords: Mapping[str, Any]) -> Options:
    options = Options('varve_write_options', keywords,
                      WriteOptions.__annotations__)
    options.note_losses()
    return options


def read_options(keywords: Mapping[str, Any]) -> Options:
    return Options('varve_read_options', keywords, ReadOptions.__annotations__)
