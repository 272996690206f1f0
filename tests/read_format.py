#!/usr/bin/env python3
"""read_format.py - Reads checkpoint files as specified in docs/format.md,
without any code of the library.

    read_format.py FILE          checks every byte and prints the content as
                                 JSON, like `varve ls --json`
    read_format.py --dump FILE   prints the file's bytes with their meaning

Exits with 1 and a line on standard error if a rule is violated. 64-bit numbers
are not converted; strings are checked but not decoded.

SPDX-License-Identifier: MIT
"""
import hashlib
import itertools
import json
import math
import struct
import sys

import read_parts
import read_pieces
from read_cbor import Cbor, Damage, demand, is_text
from read_layers import Layered, check_layers, layers_of
from xxh3 import xxh3_64, xxh3_128

HEADER_MAGIC = b'\x89VRV\r\n\x1a\n'
FOOTER_MAGIC = b'VRV\x89end\n'
CHUNK = 1 << 20
KINDS = ['', 'object', 'variable', 'list', 'dict', 'state']
OBJECT, VARIABLE, LIST, DICT, STATE = 1, 2, 3, 4, 5
UINT8 = 6
TYPES = [None, ('bool', 1), ('int8', 1), ('int16', 2), ('int32', 4),
         ('int64', 8), ('uint8', 1), ('uint16', 2), ('uint32', 4),
         ('uint64', 8), ('float16', 2), ('bfloat16', 2), ('float32', 4),
         ('float64', 8), ('complex64', 8), ('complex128', 16),
         ('float8_e4m3fn', 1), ('float8_e5m2', 1), ('string', 16)]
SIZES = dict(TYPES[1:])
COLUMNS = {  # key: name, tag, element size, counted items
    0: ('names', None, 1, 'name byte'),
    1: ('name ends', 70, 4, 'name'),
    2: ('node kinds', 64, 1, 'node'),
    3: ('node edge ends', 70, 4, 'node'),
    4: ('edge names', 70, 4, 'edge'),
    5: ('edge children', 70, 4, 'edge'),
    6: ('value nodes', 70, 4, 'value'),
    7: ('value types', 64, 1, 'value'),
    8: ('value ranks', 64, 1, 'value'),
    9: ('value extents', 71, 8, 'extent'),
    10: ('value offsets', 71, 8, 'value'),
    11: ('value sizes', 71, 8, 'value'),
    12: ('digests', None, 16, 'digest'),
    13: ('slot owners', 70, 4, 'slot'),
    14: ('slot variables', 70, 4, 'slot'),
    15: ('slot names', 70, 4, 'slot'),
    16: ('slot nodes', 70, 4, 'slot'),
    17: ('nonces of layers', None, 16, 'layer'),
    18: ('sizes of layers', 71, 8, 'layer'),
    19: ('places', 71, 8, 'place'),
    20: ('layers of places', 70, 4, 'place'),
    21: ('offsets of places', 71, 8, 'place'),
    22: ('packed sizes of places', 70, 4, 'packed place'),
    23: ('plain sizes of places', 70, 4, 'packed place'),
    24: ('skips of places', 70, 4, 'packed place'),
    25: ('planes of places', 64, 1, 'packed place'),
    26: ('values in pieces', 70, 4, 'value in pieces'),
    27: ('piece ends', 70, 4, 'value in pieces'),
    28: ('boxes', 71, 8, 'number of a box'),
    29: ('chunks summed by pages', 71, 8, 'chunk summed by pages'),
    30: ('digests of pages', None, 16, 'digest of a page'),
    31: ('extents of wholes', 71, 8, 'extent of a whole'),
    32: ('starts of parts', 71, 8, 'extent of a whole'),
    128: ('tag nodes', 70, 4, 'tag'),
    129: ('tag names', 70, 4, 'tag'),
    132: ('nodes of global names', 70, 4, 'global name'),
    133: ('global names', 70, 4, 'global name'),
}
COUNTER, METADATA = 130, 131
LAYERS = range(17, 22)
PACKS = range(22, 26)
PIECES = range(26, 29)
PAGES = range(29, 31)
PARTS = range(31, 33)
PAGE = 4096


def align(offset, to):
    return (offset + to - 1) // to * to


# --- CBOR --------------------------------------------------------------------

def read_column(cbor, key):
    name, tag, size, _ = COLUMNS[key]
    if tag:
        demand(cbor.expect(6, 'a tag') == tag, f'tag {tag} of {name} expected')
    data = cbor.string(cbor.expect(2, 'a byte string'))
    demand(len(data) % size == 0, f'{name}: whole elements expected')
    if tag is None:
        return data
    code = {1: 'B', 4: 'I', 8: 'Q'}[size]
    return struct.unpack(f'<{len(data) // size}{code}', data)


def read_metadata_value(cbor):
    major, number = cbor.head()
    if major in (0, 1):
        demand(number < 1 << 63, 'an integer of 64 bits with sign expected')
        return number if major == 0 else -1 - number
    if major == 7:
        return number == 21
    if major == 3:
        data = cbor.string(number)
        demand(is_text(data), 'UTF-8 without NUL expected')
        return data.decode()
    demand(major == 6 and number == 86, 'a value of metadata expected')
    demand(cbor.expect(2, 'a byte string') == 8, '8 bytes of a real expected')
    return struct.unpack('<d', cbor.string(8))[0]


def read_metadata(cbor):
    metadata = {}
    last = None
    count = cbor.expect(5, 'a map')
    demand(count > 0, 'metadata that are not empty expected')
    for _ in range(count):
        name = cbor.name()
        demand(1 <= len(name) <= 65535, 'a name of metadata expected')
        order = (len(name), name)
        demand(last is None or order > last, 'sorted metadata expected')
        last = order
        metadata[name.decode()] = read_metadata_value(cbor)
    return metadata


def read_index(data):
    """Returns the columns by key, the counter and the metadata, and for the
    dump the offset of each pair."""
    cbor = Cbor(data)
    count = cbor.expect(5, 'a map')
    index = {COUNTER: 0, METADATA: {}, 128: (), 129: (), 132: (), 133: (),
             17: b'', 18: (), 19: (), 20: (), 21: (), 22: (), 23: (), 24: (),
             25: (), 26: (), 27: (), 28: (), 29: (), 30: b'', 31: (), 32: ()}
    pairs = []
    counts = {}
    last = -1
    for number in range(count):
        begin = cbor.at
        key = cbor.expect(0, 'a key')
        value_at = cbor.at
        demand(key > last, f'sorted keys expected, found {key}')
        last = key
        demand(number >= 17 or key == number, f'key {number} expected')
        demand(key <= 32 or key >= 128, f'required key {key} is unknown',
               'VARVE_TOO_NEW')
        if key in COLUMNS:
            index[key] = read_column(cbor, key)
            demand(key <= 16 or len(index[key]),
                   f'no empty column {key} expected')
            check_count(index, counts, key)
        elif key == COUNTER:
            index[key] = cbor.expect(0, 'an unsigned integer')
            demand(index[key] > 0, 'a counter above 0 expected')
        elif key == METADATA:
            index[key] = read_metadata(cbor)
        else:
            cbor.skip()
        pairs.append((key, begin, value_at, cbor.at))
    demand(count >= 17, 'all required keys expected')
    demand(cbor.at == len(data), 'nothing after the map expected')
    for key in COLUMNS:
        check_count(index, counts, key)
    present = {key in [pair[0] for pair in pairs] for key in LAYERS}
    demand(len(present) == 1, 'all keys of data files or none')
    present = {key in [pair[0] for pair in pairs] for key in PACKS}
    demand(len(present) == 1, 'all keys of compression or none')
    present = {key in [pair[0] for pair in pairs] for key in PIECES}
    demand(len(present) == 1, 'all keys of pieces or none')
    present = {key in [pair[0] for pair in pairs] for key in PAGES}
    demand(len(present) == 1, 'both keys of pages or none')
    present = {key in [pair[0] for pair in pairs] for key in PARTS}
    demand(len(present) == 1, 'both keys of parts or none')
    return index, pairs


def check_count(index, counts, key):
    """Checks that a column has as many elements as others of the same
    items."""
    name, tag, size, what = COLUMNS[key]
    count = len(index[key]) // (size if tag is None else 1)
    demand(counts.setdefault(what, count) == count,
           f'{name}: {counts[what]} expected, found {count}')


# --- Header and footer -------------------------------------------------------

def read_ends(data):
    """Returns offset and size of the index."""
    demand(data, 'empty', 'VARVE_EMPTY_FILE')
    demand(data[:8] == HEADER_MAGIC, 'no magic', 'VARVE_NOT_A_CHECKPOINT')
    demand(len(data) >= 64, 'shorter than a header', 'VARVE_TRUNCATED')
    version, zero, nonce, zeros, check = struct.unpack('<II16s24sQ',
                                                       data[8:64])
    demand(check == xxh3_64(data[:56]), 'checksum of the header')
    demand(version <= 1, f'version {version}', 'VARVE_TOO_NEW')
    demand(version == 1 and zero == 0 and not any(zeros), 'header')
    demand(len(data) >= 128, 'shorter than both ends', 'VARVE_TRUNCATED')
    footer = data[-64:]
    offset, size, digest, file_size, part, check, magic = struct.unpack(
        '<QQ16sQ8sQ8s', footer)
    good = [magic == FOOTER_MAGIC, check == xxh3_64(footer[:48])]
    demand(any(good), 'no footer', 'VARVE_TRUNCATED')
    demand(all(good), 'damaged footer')
    demand(file_size <= len(data), f'{file_size} bytes expected',
           'VARVE_TRUNCATED')
    demand(file_size == len(data), f'{file_size} bytes expected')
    demand(nonce == digest and part == nonce[:8], 'parts of two files')
    demand(offset % 64 == 0 and offset >= 64 and size > 0 and
           offset + size == len(data) - 64, 'place of the index')
    demand(xxh3_128(data[offset:offset + size]) == digest,
           'digest of the index')
    return offset, size


# --- Rules -------------------------------------------------------------------

def split_names(index):
    names = []
    begin = 0
    for end in index[1]:
        name = index[0][begin:end]
        demand(begin < end <= len(index[0]) and len(name) <= 65535 and
               is_text(name), f'name {len(names)}')
        demand(not names or names[-1] < name, f'sorted name {len(names)}')
        names.append(name)
        begin = end
    demand(begin == len(index[0]), 'names end with the last')
    used = {*index[4], *index[15], *index[129], *index[133]}
    demand(used == set(range(len(names))), 'names that are used')
    return names


def edges_of(index, node):
    begin = index[3][node - 1] if node else 0
    return range(begin, index[3][node])


def check_nodes(index, names):
    """Returns the path of each node."""
    kinds, ends = index[2], index[3]
    paths = ['']
    demand(kinds and all(1 <= kind <= 5 for kind in kinds), 'kinds of nodes')
    demand(list(ends) == sorted(ends) and ends[-1] == len(index[4]),
           'edges of nodes')
    for node, kind in enumerate(kinds):
        edges = edges_of(index, node)
        demand(not edges or (kind != VARIABLE and node < len(paths)),
               f'node {node} has edges before it is a child')
        for position, edge in enumerate(edges):
            name, child = index[4][edge], index[5][edge]
            if kind == LIST:
                demand(names[name] == b'%d' % position, f'position {edge}')
            else:
                demand(not position or index[4][edge - 1] < name,
                       f'sorted edge {edge}')
            demand(child <= len(paths) and child < len(kinds),
                   f'child of edge {edge}')
            if child == len(paths):
                paths.append(join(paths[node], escape(names[name])))
    check_slots(index, names, paths)
    demand(len(paths) == len(kinds), 'nodes that are reachable')
    tags = list(zip(index[128], index[129]))
    demand(tags == sorted(set(tags)), 'sorted tags')
    demand(all(node < len(kinds) for node, _ in tags), 'nodes of tags')
    check_global_names(index, kinds)
    return paths


def check_global_names(index, kinds):
    nodes, names = list(index[132]), list(index[133])
    demand(nodes == sorted(set(nodes)), 'sorted nodes of global names')
    demand(len(names) == len(set(names)), 'unique global names')
    demand(all(node < len(kinds) and kinds[node] in (VARIABLE, STATE)
               for node in nodes), 'nodes of global names')


def check_slots(index, names, paths):
    kinds, reached = index[2], len(paths)
    slots = list(zip(index[13], index[14], index[15]))
    demand(slots == sorted(set(slots)), 'sorted slots')
    own = set(index[16])
    demand(len(own) == len(index[16]) and not own & set(index[14]),
           'nodes of their own for slots')
    for (owner, variable, name), node in zip(slots, index[16]):
        demand(owner < reached and kinds[owner] != VARIABLE, 'owner')
        demand(variable < reached and kinds[variable] == VARIABLE, 'variable')
        demand(node <= len(paths) and node < len(kinds) and
               kinds[node] == VARIABLE, 'slot')
        if node == len(paths):
            paths.append('%s(%s)' % (
                join(paths[owner], escape(names[name])), paths[variable]))


def escape(name):
    text = b''.join(
        b'%%%02X' % c if c < 0x20 or c == 0x7f or c in b'/%*|()'
        else bytes([c]) for c in name)
    return text.decode()


def join(path, name):
    return f'{path}/{name}' if path else name


# --- Values ------------------------------------------------------------------

def check_strings(data, offset, size, count):
    total = 8 * count
    for at in range(offset, offset + 8 * count, CHUNK):
        lengths = data[at:min(at + CHUNK, offset + 8 * count)]
        total += sum(struct.unpack(f'<{len(lengths) // 8}Q', lengths))
    demand(total == size, 'lengths of strings')


def check_type(kind, dtype, shape, size):
    """Returns the number of elements."""
    demand(1 <= dtype < len(TYPES), 'element type')
    count = math.prod(shape)
    demand(count < 1 << 64 and count * TYPES[dtype][1] < 1 << 64, 'shape')
    demand(kind != STATE or (dtype == UINT8 and list(shape) == [size]),
           'a state as bytes')
    return count


def sum_of(chunk, pages):
    """Returns the digest of a chunk, computed from its page digests if it
    has any."""
    if pages is None:
        return xxh3_128(chunk)
    demand(len(chunk) == CHUNK, 'a whole chunk of pages')
    found = b''.join(xxh3_128(chunk[at:at + PAGE])
                     for at in range(0, CHUNK, PAGE))
    demand(found == pages, 'digests of pages')
    return xxh3_128(found)


def digests_of_value(data, begin, end, digests):
    """Returns the digest of a value (None if a chunk has page digests) and its
    SHA-256. Consumes one digest for each chunk."""
    taken = b''
    is_paged = False
    sha256 = hashlib.sha256()
    for at in range(begin, end, CHUNK):
        chunk = data[at:min(at + CHUNK, end)]
        expected, pages = next(digests, (None, None))
        found = sum_of(chunk, pages)
        demand(found == expected, f'digest of the bytes at {at}')
        taken += found
        is_paged = is_paged or pages is not None
        sha256.update(chunk)
    digest = taken if len(taken) == 16 else xxh3_128(taken)
    return None if is_paged else digest.hex(), sha256.hexdigest()


def piece_sizes(boxes, size):
    return [size * math.prod(extents) for _, extents in boxes]


def digests_of_pieces(data, begin, boxes, shape, size, digests):
    """Returns the SHA-256 of a sharded value as if it were stored in one
    piece."""
    at = begin
    for piece in piece_sizes(boxes, size):
        demand(digests_of_value(data, at, at + piece, digests)[0],
               'no pages in pieces')
        at += piece
    value = read_pieces.join(data[begin:at], boxes, shape, size)
    return hashlib.sha256(value).hexdigest()


def data_end_of(index):
    ends = [o + s for o, s in zip(index[10], index[11]) if o]
    return align(max(ends, default=64), 64)


def check_place(item, end, index_offset):
    """Returns the end offset."""
    offset, size = item['offset'], item['bytes']
    places = [align(end, 4096)] if size >= 65536 else [align(end, 64)]
    if size < 64:
        places.append(align(end, 8))
    demand(offset in places and offset + size <= index_offset,
           f'value at {places[-1]}')
    return offset + size


def check_value(item, count, boxes):
    """Returns the number of digests."""
    size, shape, dtype = item['bytes'], item['shape'], item['dtype']
    sizes = [size]
    if dtype == 'string':
        demand(size >= 8 * count and (count or not size), 'size of strings')
    else:
        demand(size == count * SIZES[dtype], 'size of a value')
    if boxes:
        demand(dtype != 'string' and item['kind'] == 'variable' and size,
               'a variable with elements in pieces')
        demand(read_pieces.are_a_cover(boxes, shape),
               'pieces that cover the value')
        sizes = piece_sizes(boxes, SIZES[dtype])
    return sum(align(size, CHUNK) // CHUNK for size in sizes)


def check_values(index, paths, index_offset):
    """Returns the values. The bytes of saved values are not read yet."""
    items = []
    end, chunks = 64, 0
    extents = iter(index[9])
    with_value = [n for n, k in enumerate(index[2]) if k in (VARIABLE, STATE)]
    demand(with_value == list(index[6]), 'a value for each variable and state')
    pieces = read_pieces.boxes_of(index)
    demand(pieces is not None, 'pieces of values')
    for number, (node, dtype, rank, offset, size) in enumerate(zip(
            index[6], index[7], index[8], index[10], index[11])):
        demand(rank <= 16, 'rank')
        shape = list(itertools.islice(extents, rank))
        demand(len(shape) == rank, 'extents')
        count = check_type(index[2][node], dtype, shape, size)
        is_saved = offset != 0
        item = {'path': paths[node], 'id': node, 'kind': KINDS[index[2][node]],
                'dtype': TYPES[dtype][0], 'shape': shape,
                'bytes': size if is_saved else None, 'digest': None,
                'offset': offset or None, 'saved': is_saved, 'sha256': None}
        items.append(item)
        if is_saved:
            end = check_place(item, end, index_offset)
            chunks += check_value(item, count, pieces.get(number))
        else:
            demand(size == 0, 'no size without a place')
            demand(number not in pieces, 'no pieces without a place')
    demand(next(extents, None) is None, 'no further extents')
    demand(read_parts.note(index, items, pieces, SIZES), 'parts of values')
    demand(16 * chunks == len(index[12]), f'{chunks} digests')
    demand(index_offset == align(end, 64), 'the index after the values')
    return items, pieces


def digests_of(index):
    """Yields each digest with the page digests of its chunk, or None."""
    chunks, sums = index[29], index[30]
    size = CHUNK // PAGE * 16
    demand(len(sums) == len(chunks) * size, 'digests of pages')
    demand(not chunks or index[17].strip(b'\0'), 'pages in layers only')
    demand(list(chunks) == sorted(set(chunks)), 'increasing chunks of pages')
    paged = {chunk: sums[i * size:(i + 1) * size]
             for i, chunk in enumerate(chunks)}
    demand(all(16 * chunk < len(index[12]) for chunk in chunks),
           'chunks of pages that are there')
    return iter([(index[12][at:at + 16], paged.get(at // 16))
                 for at in range(0, len(index[12]), 16)])


def read_values(data, index, items, pieces, index_offset):
    """Reads the bytes of the values and adds their digests."""
    end = 64
    digests = digests_of(index)
    for number, item in enumerate(items):
        if not item['saved']:
            continue
        offset, size = item['offset'], item['bytes']
        demand(not any(data[end:offset]), f'zeros from {end} to {offset}')
        end = offset + size
        demand(item['dtype'] != 'bool' or max(data[offset:end], default=0) < 2,
               f'bools of 0 or 1 at {offset}')
        if number in pieces:
            item['sha256'] = digests_of_pieces(
                data, offset, pieces[number], item['shape'],
                SIZES[item['dtype']], digests)
            continue
        item['digest'], item['sha256'] = digests_of_value(
            data, offset, end, digests)
        if item['dtype'] == 'string':
            check_strings(data, offset, size, math.prod(item['shape']))
    demand(not any(data[end:index_offset]), 'zeros before the index')


def read(data, open_layer=None):
    file_size = len(data)
    offset, size = read_ends(data)
    index, _ = read_index(data[offset:offset + size])
    names = split_names(index)
    paths = check_nodes(index, names)
    global_names = dict(zip(index[132], index[133]))
    end = data_end_of(index) if index[17] else offset
    items, pieces = check_values(index, paths, end)
    if index[17]:
        check_layers(index, end, offset)
        data = Layered(index, open_layer, data[:offset], end)
    read_values(data, index, items, pieces, end)
    objects = [{
        'id': node, 'kind': KINDS[kind], 'path': paths[node],
        'edges': [{'name': names[index[4][e]].decode(), 'node': index[5][e]}
                  for e in edges_of(index, node)],
        'slots': [{'name': names[name].decode(), 'variable': v, 'node': n}
                  for o, v, name, n in zip(index[13], index[14], index[15],
                                           index[16]) if o == node],
        'tags': [names[t].decode() for n, t in zip(index[128], index[129])
                 if n == node],
        'global_name': names[global_names[node]].decode()
        if node in global_names else None,
    } for node, kind in enumerate(index[2])]
    return {'schema': 'varve.ls/1', 'size': file_size,
            'counter': index[COUNTER], 'metadata': index[METADATA],
            'items': items, 'objects': objects}


# --- Dump --------------------------------------------------------------------

def rows(data, at, end, text):
    """Prints lines of up to 16 bytes, the first with a text."""
    while at < end:
        part = data[at:min(at + 16, end)]
        yield f'{at:6x}  {part.hex(" "):47}  {text}'.rstrip()
        at += len(part)
        text = ''


def dump_index(data, offset, size):
    index, pairs = read_index(data[offset:offset + size])
    yield from rows(data, offset, offset + pairs[0][1],
                    f'map of {len(pairs)} pairs')
    for key, begin, value_at, end in pairs:
        if key in COLUMNS:
            name, tag, _, _ = COLUMNS[key]
            text = f'{key} {name}: '
            text += f'tag {tag}, ' if tag else ''
            count = len(index[key])
            text += f'{count} ' + ('element' if tag else 'byte')
            text += '' if count == 1 else 's'
            if tag and 0 < count <= 4:
                text += ': ' + ', '.join(map(str, index[key]))
        else:
            text = f'{key} ' + {COUNTER: 'counter', METADATA: 'metadata'}.get(
                key, 'unknown, skipped')
        yield from rows(data, offset + begin, offset + end, text)


def dump(data):
    offset, size = read_ends(data)
    end = offset + size
    parts = [(0, 8, 'header: magic'), (8, 12, 'version 1'), (12, 16, 'zero'),
             (16, 32, 'nonce'), (32, 56, 'zero'),
             (56, 64, 'XXH3-64 of bytes 0 to 55'),
             (64, offset, f'data: {offset - 64} bytes')]
    tail = [(0, 8, f'footer: offset of the index, {offset}'),
            (8, 16, f'size of the index, {size}'),
            (16, 32, 'digest of the index'),
            (32, 40, f'size of the file, {len(data)}'),
            (40, 48, 'first half of the nonce'),
            (48, 56, 'XXH3-64 of the 48 bytes before'), (56, 64, 'magic')]
    for begin, finish, text in parts:
        yield from rows(data, begin, finish, text)
    yield from dump_index(data, offset, size)
    for begin, finish, text in tail:
        yield from rows(data, end + begin, end + finish, text)


def main(arguments):
    shows_bytes = arguments[:1] == ['--dump']
    paths = arguments[1:] if shows_bytes else arguments
    if len(paths) != 1 or paths[0].startswith('-'):
        sys.exit('usage: read_format.py [--dump] FILE')
    try:
        with open(paths[0], 'rb') as stream:
            data = stream.read()
        text = ('\n'.join(dump(data)) if shows_bytes
                else json.dumps(read(data, layers_of(paths[0])), indent=1,
                                ensure_ascii=False))
    except Damage as damage:
        sys.exit(f'{paths[0]}: {damage.args[0]}: expected: {damage.args[1]}')
    except OSError as error:
        sys.exit(str(error))
    sys.stdout.reconfigure(encoding='utf-8')
    print(text)


if __name__ == '__main__':
    main(sys.argv[1:])
