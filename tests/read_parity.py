#!/usr/bin/env python3
"""read_parity.py - Reads parity files as specified in docs/format.md and
rebuilds checkpoints from them, without any code of the library.

    read_parity.py FILE...      prints the content of each

SPDX-License-Identifier: MIT
"""
import json
import pathlib
import struct
import sys

from xxh3 import xxh3_128

MAGIC = b'\x89VPAR\r\n\0'
PARTNER, XOR = 1, 2


class Parity:
    """The content of a file. Raises ValueError if it violates a rule."""

    def __init__(self, data):
        demand(data[:8] == MAGIC, 'a magic')
        version, self.rank, block_digest, self.scheme, self.size, count, \
            members, self.number, self.set = struct.unpack_from(
                '<II16sIIIIQ16s', data, 8)
        demand(version == 1, 'version 1')
        demand(self.scheme in (PARTNER, XOR), 'a scheme')
        demand(2 <= self.size <= 32 and 2 <= members <= 64, 'a group')
        end = 72 + 32 * members + 4 * count
        demand(len(data) >= end + 16, 'a whole head')
        demand(xxh3_128(data[:end]) == data[end:end + 16], 'the digest')
        rows = [struct.unpack_from('<IIQ16s', data, 72 + 32 * i)
                for i in range(members)]
        demand(not any(zero for _, zero, _, _ in rows), 'zeros')
        self.members = [rank for rank, _, _, _ in rows]
        self.sizes = [size for _, _, size, _ in rows]
        self.digests = [digest for _, _, _, digest in rows]
        self.domains = struct.unpack_from(f'<{count}I', data,
                                          72 + 32 * members)
        self.block = data[end + 16:]
        demand(xxh3_128(self.block) == block_digest, 'the digest of a block')
        demand(self.members == self.group(self.rank), 'members of the group')
        demand(len(self.block) == self.block_size(), 'a whole block')

    def group(self, rank):
        """Returns the ranks of a rank's group, by the rule for groups."""
        order = sorted(range(len(self.domains)),
                       key=lambda r: (self.domains[r], r))
        crowd = max(self.domains.count(d) for d in self.domains)
        groups = max(len(order) // self.size, crowd)
        first = order.index(rank) % groups
        return order[first::groups]

    def block_size(self):
        if self.scheme == XOR:
            return self.segment_size()
        return self.sizes[self.members.index(self.rank) - 1]

    def segment_size(self):
        parts = len(self.members) - 1
        return (max(self.sizes) + parts - 1) // parts

    def segment(self, files, member, number):
        """Returns the padded checkpoint of a member as an integer."""
        size = self.segment_size()
        data = files[self.members[member]][number * size:(number + 1) * size]
        return int.from_bytes(data.ljust(size, b'\0'), 'little')

    def parity_of(self, files, keeper):
        """Returns the block that a member keeps."""
        if self.scheme == PARTNER:
            return files[self.members[keeper - 1]]
        found, count = 0, len(self.members)
        for j in range(count):
            if j != keeper:
                found ^= self.segment(files, j, (keeper - j - 1) % count)
        return found.to_bytes(self.segment_size(), 'little')


def demand(good, what):
    if not good:
        raise ValueError(f'expected {what}')


def rebuild(parities, files, lost):
    """Rebuilds the checkpoint of a rank from the others of its group: parity
    files and remaining checkpoints by rank."""
    any_of = next(p for p in parities.values() if lost in p.members)
    members, count = any_of.members, len(any_of.members)
    own = members.index(lost)
    if any_of.scheme == PARTNER:
        found = parities[members[(own + 1) % count]].block
    else:
        size = any_of.segment_size()
        found = b''
        for number in range(count - 1):
            keeper = (own + 1 + number) % count
            value = int.from_bytes(parities[members[keeper]].block, 'little')
            for j in range(count):
                if j not in (keeper, own):
                    value ^= any_of.segment(
                        files, j, (keeper - j - 1) % count)
            found += value.to_bytes(size, 'little')
        found = found[:any_of.sizes[own]]
    demand(len(found) == any_of.sizes[own] and
           xxh3_128(found) == any_of.digests[own],
           f'the checkpoint of rank {lost} as it was')
    return found


def check_set(parities, files):
    """Checks that the files of a set are consistent and complete."""
    ranks = range(len(parities))
    sums = b''.join(struct.pack('<Q', len(files[r])) + xxh3_128(files[r])
                    for r in ranks)
    for rank in ranks:
        p = parities[rank]
        demand(p.rank == rank and len(p.domains) == len(parities),
               'the rank of a file')
        demand(p.set == xxh3_128(sums), 'the digest of the set')
        for member, size, digest in zip(p.members, p.sizes, p.digests):
            demand(size == len(files[member]) and
                   digest == xxh3_128(files[member]), 'a member')
        demand(p.block == p.parity_of(files, p.members.index(rank)),
               'a block of the others')


def main():
    for argument in sys.argv[1:]:
        p = Parity(pathlib.Path(argument).read_bytes())
        print(json.dumps({
            'file': argument, 'rank': p.rank, 'number': p.number,
            'scheme': ['', 'partner', 'xor'][p.scheme],
            'members': p.members, 'sizes': p.sizes,
            'domains': list(p.domains), 'block': len(p.block)}))


if __name__ == '__main__':
    main()
