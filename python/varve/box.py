"""box.py - Converts an index of a saved array to the box that it selects.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, List, Tuple

if TYPE_CHECKING:
    from .reader import SavedNode

__all__ = ['box_of']


def box_of(node: 'SavedNode',
           index: Any) -> Tuple[List[int], List[int], List[int]]:
    """Returns the starts and extents of a box, and the shape without the
    dimensions of integer indices."""
    index = index if isinstance(index, tuple) else (index,)
    places = [i for i, part in enumerate(index) if part is Ellipsis]
    if places:
        at = places[0]
        missing = len(node.shape) - len(index) + 1
        index = index[:at] + (slice(None),) * missing + index[at + 1:]
    if len(index) > len(node.shape):
        raise IndexError(f'{node.path or "the root"}: {len(index)} indices '
                         f'for {len(node.shape)} dimensions')
    index += (slice(None),) * (len(node.shape) - len(index))
    starts, extents, shape = [], [], []
    for part, extent in zip(index, node.shape):
        if isinstance(part, slice):
            begin, end, step = part.indices(extent)
            if step != 1:
                raise IndexError(f'{node.path}: the step must be 1, not '
                                 f'{step}')
            shape.append(max(end - begin, 0))
        else:
            try:
                begin = range(extent)[operator.index(part)]
            except TypeError:
                raise IndexError(f'{node.path}: an index must be an integer or '
                                 f'a slice, not {type(part).__name__}'
                                 ) from None
            except IndexError:
                raise IndexError(f'{node.path}: index {part} is out of range '
                                 f'for the shape {node.shape}') from None
            end = begin + 1
        starts.append(begin)
        extents.append(max(end - begin, 0))
    return starts, extents, shape
