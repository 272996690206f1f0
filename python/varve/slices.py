"""slices.py - Defines arrays that are a part of a sharded value.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import operator
from typing import Any, Sequence, Tuple

from .errors import refuse

__all__ = ['Slice']


class Slice:
    """An array (or torch tensor) that is the part of a value of `shape` from
    `start` on that this process has. A restore fills the part, for any
    division of the value in the file, with `comm` or without. A save needs
    `comm`, because other processes have the rest of the value. Without `comm`
    it raises a MisuseError, unless the slice is the whole value.

    >>> import numpy as np, tempfile, varve
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = varve.write({'table': np.arange(8.0)}, folder.name + '/a.varve')
    >>> part = varve.Slice(np.zeros(3), shape=(8,), start=(4,))
    >>> _ = varve.restore({'table': part}, folder.name + '/a.varve')
    >>> part.array
    array([4., 5., 6.])
    >>> folder.cleanup()
    """

    def __init__(self, array: Any, shape: Sequence[int],
                 start: Sequence[int]):
        self.array = array
        self.shape: Tuple[int, ...] = tuple(map(operator.index, shape))
        self.start: Tuple[int, ...] = tuple(map(operator.index, start))
        own = tuple(array.shape)
        if not len(own) == len(self.shape) == len(self.start) or any(
                at < 0 or at + extent > whole for at, extent, whole
                in zip(self.start, own, self.shape)):
            raise refuse(f'invalid slice: the shape {own} from {self.start} on '
                         f'is not a part of {self.shape}')

    def __repr__(self) -> str:
        return (f'<varve.Slice {tuple(self.array.shape)} of {self.shape} from '
                f'{self.start} on>')
