#!/usr/bin/env python3
"""read_cbor.py - Parses the subset of CBOR that docs/format.md allows.

SPDX-License-Identifier: MIT
"""


MOST_MAPS = 64  # nesting depth of the value of a skipped key


class Damage(Exception):
    """Raises an error with status and message if a rule is violated."""


def demand(holds, message, status='VARVE_CORRUPT'):
    if not holds:
        raise Damage(status, message)


def is_text(data):
    try:
        data.decode('utf-8')
    except UnicodeDecodeError:
        return False
    return b'\0' not in data


class Items:
    """The remaining items of an array, a map or a tag."""

    def __init__(self, left, is_map):
        self.left = left
        self.is_map = is_map
        self.begin = None  # beginning of the current key
        self.last = None   # the previous key

    def count(self, data, at):
        """Ends an item of this container."""
        self.left -= 1
        if self.is_map and self.left % 2:
            key = data[self.begin:at]
            demand(self.last is None or self.last < key,
                   f'sorted keys expected at {self.begin}')
            self.last = key


class Cbor:
    """Parses items of the deterministic profile, one at a time."""

    def __init__(self, data):
        self.data = data
        self.at = 0
        self.heads = []  # (offset, end of the head, description) for the dump

    def head(self):
        at = self.at
        demand(at < len(self.data), f'an item expected at {at} of the index')
        major, short = self.data[at] >> 5, self.data[at] & 31
        demand(short <= 27, f'a definite length expected at {at}')
        size = 0 if short < 24 else 1 << (short - 24)
        demand(at + 1 + size <= len(self.data),
               f'a whole head expected at {at}')
        number = short
        if size:
            number = int.from_bytes(self.data[at + 1:at + 1 + size], 'big')
            low = 24 if size == 1 else 1 << (4 * size)
            demand(number >= low, f'the shortest head expected at {at}')
        if major == 7:
            demand(short in (20, 21), f'no float or null expected at {at}')
        if major == 6:
            demand(number >= 24, f'a tag of 24 or more expected at {at}')
        self.at = at + 1 + size
        return major, number

    def string(self, size):
        demand(size <= len(self.data) - self.at, 'a whole string expected')
        self.at += size
        return self.data[self.at - size:self.at]

    def expect(self, major, what):
        at = self.at
        found, number = self.head()
        demand(found == major, f'{what} expected at {at} of the index')
        return number

    def skip(self):
        """Skips an item; the keys of each map in it must be sorted by their
        bytes."""
        # a stack, since nesting may exceed the recursion limit
        within = [Items(1, False)]
        maps = 0
        while within:
            items = within[-1]
            if items.left == 0:
                maps -= within.pop().is_map
                if within:
                    within[-1].count(self.data, self.at)
                continue
            items.begin = self.at
            major, number = self.head()
            if major in (2, 3):
                data = self.string(number)
                demand(major == 2 or is_text(data), 'UTF-8 expected')
            left = {4: number, 5: 2 * number, 6: 1}.get(major, 0)
            demand(left <= len(self.data) - self.at, 'fewer items expected')
            within.append(Items(left, major == 5 and left > 0))
            maps += within[-1].is_map
            demand(maps <= MOST_MAPS, 'fewer maps within each other',
                   'VARVE_LIMIT')

    def name(self):
        data = self.string(self.expect(3, 'a text string'))
        demand(is_text(data), 'UTF-8 without NUL expected')
        return data
