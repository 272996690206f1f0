"""maps.py - Maps the files of a reader into memory, for values without a copy.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple, Union

import numpy as np

from .errors import refuse

if TYPE_CHECKING:
    from .reader import SavedNode


class Maps:
    """The mapped files, each mapped once."""

    def __init__(self, path: str):
        self._maps: Dict[str, mmap.mmap] = {}
        self._opened = {path: identity(path)}

    def array(self, node: 'SavedNode') -> np.ndarray:
        """Returns the elements of a value that is not empty."""
        path = node.file or ''
        if path not in self._maps:
            self._maps[path] = self._map(path)
        return np.ndarray(node.shape, node.dtype, self._maps[path],
                          node.offset)

    def _map(self, path: str) -> mmap.mmap:
        with io_open(path) as file:
            expected = self._opened.get(path)
            if expected not in (None, identity(file.fileno())):
                raise refuse(f'{path}: the file was replaced after it was '
                             'opened; open it again')
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def io_open(path: str) -> Any:
    """The built-in open function."""
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC), 'rb')


def identity(path: Union[str, int]) -> Optional[Tuple[int, int]]:
    """Identifies a file independently of its name."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
