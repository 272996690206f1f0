#!/usr/bin/env python3
"""read_parts.py - Finds the values of a file that are parts of larger ones,
whose rest is in files of other processes, as specified in docs/format.md.

SPDX-License-Identifier: MIT
"""
import math


def part_of(whole, start, item, sizes):
    """Returns the part of the whole that a value is; None if it is a whole
    value, False if a rule is violated."""
    here = item['shape']
    if any(s + e > w for s, e, w in zip(start, here, whole)):
        return False
    if math.prod(whole) * sizes[item['dtype']] >= 1 << 64:
        return False
    if whole == here:
        return None
    if item['kind'] != 'variable' or item['dtype'] == 'string':
        return False
    return {'shape': whole, 'start': start} if item['saved'] else False


def note(index, items, pieces, sizes):
    """Adds `part` to partial values. Returns true if columns 31 and 32 follow
    the rules."""
    wholes, starts = index[31], index[32]
    if not wholes:
        return True
    if len(wholes) != len(index[9]):
        return False
    end = 0
    for number, item in enumerate(items):
        first, end = end, end + len(item['shape'])
        part = part_of(list(wholes[first:end]), list(starts[first:end]), item,
                       sizes)
        if part is False or (part and number in pieces):
            return False
        if part:
            item['part'] = part
    return any('part' in item for item in items)
