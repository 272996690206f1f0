"""bundle.py - Parses a TensorFlow index: entries by key, and the object graph.
Written for the tests from the description of the formats; does not verify
checksums.

SPDX-License-Identifier: MIT
"""
import pathlib
import struct

GRAPH = b'_CHECKPOINTABLE_OBJECT_GRAPH'


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Yields number and value of each field of a message."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        elif tag & 7 == 5:
            value, at = struct.unpack_from('<I', data, at)[0], at + 4
        else:
            value, at = struct.unpack_from('<Q', data, at)[0], at + 8
        yield tag >> 3, value


def unsnappy(data):
    size, at = varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            length = (tag >> 2) + 1
            if length > 60:
                count = length - 60
                length = int.from_bytes(data[at:at + count], 'little') + 1
                at += count
            out += data[at:at + length]
            at += length
            continue
        if tag & 3 == 1:
            length, offset = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at]
            at += 1
        else:
            width = 2 if tag & 3 == 2 else 4
            length = (tag >> 2) + 1
            offset = int.from_bytes(data[at:at + width], 'little')
            at += width
        for _ in range(length):
            out.append(out[-offset])
    assert len(out) == size
    return bytes(out)


def block(data, handle):
    """Yields keys and values of a block."""
    offset, at = varint(handle, 0)
    size, _ = varint(handle, at)
    content = data[offset:offset + size]
    if data[offset + size] == 1:
        content = unsnappy(content)
    restarts = struct.unpack('<I', content[-4:])[0]
    at, end, key = 0, len(content) - 4 - 4 * restarts, b''
    while at < end:
        shared, at = varint(content, at)
        rest, at = varint(content, at)
        value, at = varint(content, at)
        key = key[:shared] + content[at:at + rest]
        yield key, content[at + rest:at + rest + value]
        at += rest + value


class Bundle:
    """`entries` contains for each key the type, extents, (shard, offset,
    size), and a flag for sliced tensors."""

    def __init__(self, index):
        self.index = str(index)
        data = pathlib.Path(index).read_bytes()
        _, at = varint(data[-48:], 0)
        _, at = varint(data[-48:], at)
        self.entries, self.shards = {}, 1
        for _, handle in block(data, data[-48:][at:]):
            for key, value in block(data, handle):
                if key:
                    self.entries[key] = self.entry(value)
                else:
                    self.shards = dict(fields(value)).get(1, 1)

    @staticmethod
    def entry(value):
        known, extents = {}, []
        for number, content in fields(value):
            known[number] = content
            if number == 2:
                extents = [dict(fields(dim)).get(1, 0)
                           for field, dim in fields(content) if field == 2]
        return (known.get(1, 0), extents,
                (known.get(3, 0), known.get(4, 0), known.get(5, 0)),
                7 in known)

    def stored(self, key):
        shard, offset, size = self.entries[key][2]
        path = f'{self.index[:-6]}.data-{shard:05}-of-{self.shards:05}'
        with open(path, 'rb') as stream:
            stream.seek(offset)
            return stream.read(size)

    def graph(self):
        """Returns the description of each object under the first path at which
        it is found, with children sorted by name."""
        if GRAPH not in self.entries:
            return None
        stored = self.stored(GRAPH)
        size, at = varint(stored, 0)
        nodes = [Node(content) for number, content
                 in fields(stored[at + 4:at + 4 + size]) if number == 1]
        paths, queue = {0: ()}, [0]
        for node in queue:
            for name, child in sorted(nodes[node].children):
                if child not in paths:
                    paths[child] = paths[node] + (name,)
                    queue.append(child)
        for node in list(paths):
            for variable, name, slot in nodes[node].slots:
                if variable in paths:
                    paths.setdefault(
                        slot, (paths[node], name, paths[variable]))
        return {paths[i]: node.said(paths) for i, node in enumerate(nodes)
                if i in paths}


class Node:
    def __init__(self, content):
        self.children, self.attributes = [], []
        self.slots, self.others = [], []
        for number, value in fields(content):
            if number == 1:
                known = dict(fields(value))
                self.children.append((known.get(2, b''), known.get(1, 0)))
            elif number == 2:
                self.attributes.append(sorted(fields(value)))
            elif number == 3:
                known = dict(fields(value))
                self.slots.append((known.get(1, 0), known.get(2, b''),
                                   known.get(3, 0)))
            elif number != 5:
                self.others.append((number, value))

    def said(self, paths):
        return {
            'children': sorted((name, str(paths[child]))
                               for name, child in self.children),
            'attributes': sorted(self.attributes),
            'slots': sorted((str(paths[variable]), name, str(paths[slot]))
                            for variable, name, slot in self.slots
                            if variable in paths),
            'others': sorted(self.others),
        }
