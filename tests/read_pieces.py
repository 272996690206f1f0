#!/usr/bin/env python3
"""read_pieces.py - Assembles a sharded value, as specified in docs/format.md,
and checks that its boxes cover it.

SPDX-License-Identifier: MIT
"""
import itertools
import math


def boxes_of(index):
    """Returns the boxes of each value as pairs of start and extents; None if a
    rule of columns 26 to 28 is violated, except that the boxes cover the
    value."""
    values, ends, numbers = index[26], index[27], index[28]
    found = {}
    at = 0
    if list(values) != sorted(set(values)) or any(
            value >= len(index[8]) for value in values):
        return None
    for value, begin, end in zip(values, [0, *ends], ends):
        rank = index[8][value]
        if rank < 1 or end - begin < 2:
            return None
        boxes = []
        for _ in range(begin, end):
            box = numbers[at:at + rank], numbers[at + rank:at + 2 * rank]
            if len(box[1]) < rank:
                return None
            boxes.append(box)
            at += 2 * rank
        found[value] = boxes
    return found if at == len(numbers) else None


def elements_of(box, shape):
    """Returns the element numbers within the tensor, in the order of the
    box."""
    ranges = [range(start, start + extent) for start, extent in zip(*box)]
    for element in itertools.product(*ranges):
        number = 0
        for place, extent in zip(element, shape):
            number = number * extent + place
        yield number


def meet(one, other):
    return all(a < b + size_b and b < a + size_a
               for a, size_a, b, size_b in zip(*one, *other))


def are_a_cover(boxes, shape):
    """Returns true if the boxes are sorted, within the shape, cover all its
    elements, and do not overlap."""
    starts = [tuple(start) for start, _ in boxes]
    if starts != sorted(set(starts)):
        return False
    if any(extent < 1 or start + extent > most for box in boxes
           for start, extent, most in zip(*box, shape)):
        return False
    for number, box in enumerate(boxes):
        behind = box[0][0] + box[1][0]  # no later box can overlap it
        others = itertools.takewhile(lambda other: other[0][0] < behind,
                                     boxes[number + 1:])
        if any(meet(box, other) for other in others):
            return False
    return sum(math.prod(extents) for _, extents in boxes) == math.prod(shape)


def join(data, boxes, shape, size):
    """Returns the value in row-major order; `size` is that of an element."""
    value = bytearray(len(data))
    at = 0
    for box in boxes:
        for element in elements_of(box, shape):
            value[element * size:(element + 1) * size] = data[at:at + size]
            at += size
    return bytes(value)
