"""hdf5_objects.py - Writes random HDF5 files with unusual types, names, links
and layouts, and checks how the command reads them.

SPDX-License-Identifier: MIT
"""
import hashlib
import json
import os
import random
import re
import sys

from elsewhere import need

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..'))

need('h5py', 'numpy')
import h5py  # noqa: E402
import numpy as np  # noqa: E402
import read_format  # noqa: E402

OURS = {'i1': 'int8', 'i2': 'int16', 'i4': 'int32', 'i8': 'int64',
        'u1': 'uint8', 'u2': 'uint16', 'u4': 'uint32', 'u8': 'uint64',
        'f2': 'float16', 'f4': 'float32', 'f8': 'float64',
        'c8': 'complex64', 'c16': 'complex128'}
NAMES = ['a', 'b.c', '@slots', '%40', 'x@slots', '%2F', 'vars', 'layers',
         'gr\u00fcn', '\u6f22', ' ', '..', '...', 'name:0', 'a' * 300, '(m)',
         '\\', '"', '\n', '@', '%', 'optimizer', '@state', '%40slots']


def mark(tag):
    return 'object', None, None, tag


def value(kind, array):
    array = np.asarray(array)
    return kind, list(array.shape), array.tobytes(), None


def state(tag, array):
    data = np.asarray(array).tobytes()
    return 'state', [len(data)], data, tag


def texts(words, shape):
    lengths = np.array([len(word) for word in words], '<u8')
    return 'string', list(shape), lengths.tobytes() + b''.join(words), None


def random_shape():
    return [random.choice((0, 1, 2, 3, 5)) for _ in range(random.randrange(4))]


def noise(kind, shape):
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(random.randbytes(count * np.dtype(kind).itemsize),
                         kind).reshape(shape)


def low_dataset(file, name, type_id, shape, data, memory=None, plist=None):
    """Creates a dataset of a type that NumPy lacks; `data` has the type in
    memory."""
    space = h5py.h5s.create_simple(tuple(shape)) if shape else \
        h5py.h5s.create(h5py.h5s.SCALAR)
    dataset = h5py.h5d.create(file.id, name.encode(), type_id, space, plist)
    if data.size:
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, data, memory)
    return dataset


# --- One of each -----------------------------------------------------------


def odd_integers(file, name):
    """Returns integer types of 3, 5, 6 and 7 bytes, or with fewer bits than
    their size (libhdf5 supports at most half unused)."""
    size = random.choice((1, 2, 3, 4, 5, 6, 7, 8))
    signed = random.random() < .5
    kind = ('i' if signed else 'u') + str(next(
        n for n in (1, 2, 4, 8) if n >= size))
    bits = random.randint(4 * size + 1, 8 * size)
    type_id = h5py.h5t.STD_I64LE.copy() if signed else \
        h5py.h5t.STD_U64LE.copy()
    type_id.set_precision(bits)
    offset = random.randint(0, 8 * size - bits)
    type_id.set_offset(0)
    type_id.set_size(size)
    type_id.set_offset(offset)
    type_id.set_order(random.choice((h5py.h5t.ORDER_LE, h5py.h5t.ORDER_BE)))
    shape = random_shape()
    count = int(np.prod(shape, dtype=np.int64))
    low = -(1 << (bits - 1)) if signed else 0
    data = np.array([random.randrange(low, low + (1 << bits))
                     for _ in range(count)], kind).reshape(shape)
    low_dataset(file, name, type_id, shape, data)
    return value(OURS[kind], data)


def enums(file, name):
    kind = random.choice(('i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8'))
    order = random.choice('<>')
    shape = random_shape()
    count = int(np.prod(shape, dtype=np.int64))
    data = np.array(random.choices((0, 3, 7), k=count),
                    order + kind).reshape(shape)
    file.create_dataset(name, data=data, dtype=h5py.enum_dtype(
        {'NO': 0, 'A': 3, 'B': 7}, order + kind))
    return value(OURS[kind], data.astype('<' + kind))


def compounds(file, name):
    kind = np.dtype(random.choice((
        [('a', '<i4'), ('b', 'S3')], [('x', '>f8')],
        [('i', '<f4'), ('r', '<f4')], [('r', '<f4'), ('i', '<f8')],
        [('in', [('a', '<i2'), ('b', '<f4', (2,))]), ('c', 'u1')])))
    data = noise(f'V{kind.itemsize}', random_shape()).view(kind) \
        if random.random() < .9 else np.zeros((), kind)
    file.create_dataset(name, data=data)
    if data.nbytes == 0:
        return 'state', [0], b'', 'hdf5:compound'
    return state('hdf5:compound', data)


def opaque(file, name):
    data = noise(f'V{random.randint(1, 40)}', random_shape())
    file.create_dataset(name, data=data)
    return state('hdf5:opaque', data)


def bitfields(file, name):
    data = noise('u1', random_shape())
    low_dataset(file, name, h5py.h5t.STD_B8LE, data.shape, data,
                h5py.h5t.STD_B8LE)
    return state('hdf5:bitfield', data)


def long_doubles(file, name):
    data = np.array(random.random(), 'longdouble')
    file.create_dataset(name, data=data)
    return 'state', [16], None, 'hdf5:float128'


def arrays(file, name):
    kind, order = random.choice(list(OURS)), random.choice('<>')
    inner = tuple(random.randint(1, 3) for _ in range(random.randint(1, 3)))
    shape = random_shape()
    data = noise(kind, shape + list(inner))
    file.create_dataset(name, shape, np.dtype((order + kind, inner)))
    if data.size:
        file[name][...] = data
    return value(OURS[kind], data)


def pieces(file, name):
    """Adds lists and references to other objects."""
    kind, tag = random.choice((
        (h5py.vlen_dtype(np.dtype('i4')), 'vlen'),
        (h5py.ref_dtype, 'reference'), (h5py.regionref_dtype, 'reference'),
        (np.dtype([('a', 'i4'), ('b', h5py.string_dtype())]), 'compound'),
        (np.dtype((h5py.string_dtype(), (2,))), 'array')))
    file.create_dataset(name, (2,), kind)
    return mark('hdf5:' + tag)


def padded_texts(file, name):
    """Returns fixed-size strings, terminated or padded with NUL, or padded
    with spaces."""
    size = random.randint(1, 9)
    pad = random.choice((h5py.h5t.STR_NULLTERM, h5py.h5t.STR_NULLPAD,
                         h5py.h5t.STR_SPACEPAD))
    type_id = h5py.h5t.C_S1.copy()
    type_id.set_size(size)
    type_id.set_strpad(pad)
    if random.random() < .5:
        type_id.set_cset(h5py.h5t.CSET_UTF8)
    shape = random_shape()
    count = int(np.prod(shape, dtype=np.int64))
    words = [bytes(random.choices(b'xyz', k=random.randrange(size + 1)))
             for _ in range(count)]
    fill = b' ' if pad == h5py.h5t.STR_SPACEPAD else b'\0'
    data = np.frombuffer(b''.join(w.ljust(size, fill) for w in words),
                         f'S{size}').reshape(shape)
    low_dataset(file, name, type_id, shape, data, type_id)
    return texts(words, shape)


def varying_texts(file, name):
    shape = random_shape()
    count = int(np.prod(shape, dtype=np.int64))
    words = [random.choice((b'', b'a', 'gr\u00fcn'.encode(), b'x' * 5000))
             for _ in range(count)]
    array = np.array(words, object).reshape(shape)
    options = {'chunks': True, 'compression': 'gzip'} \
        if shape and count and random.random() < .4 else {}
    file.create_dataset(name, data=array, dtype=h5py.string_dtype(
        random.choice(('ascii', 'utf-8'))), **options)
    return texts(words, shape)


def scalar_text(file, name):
    file[name] = 'gr\u00fcn'
    return texts(['gr\u00fcn'.encode()], [])


def never_written(file, name):
    shape = [3, 4]
    options = random.choice(({}, {'chunks': (2, 3)},
                             {'chunks': (2, 3), 'compression': 'gzip'}))
    fill = random.choice((None, 7))
    file.create_dataset(name, shape, '>f4', fillvalue=fill, **options)
    data = np.full(shape, fill or 0, '<f4')
    if random.random() < .5:
        file[name][1:2, 1:3] = data[1:2, 1:3] = 5
    return value('float32', data)


def cut_short(file, name):
    """Adds a chunked dataset that was shrunk and extended again."""
    data = np.arange(24, dtype='<i4').reshape(4, 6)
    file.create_dataset(name, data=data, chunks=(2, 4), maxshape=(None, None))
    file[name].resize((3, 5))
    file[name].resize((4, 5))
    data = data[:4, :5].copy()
    data[3] = 0
    return value('int32', data)


def compact(file, name):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    data = noise('i4', random_shape())
    low_dataset(file, name, h5py.h5t.STD_I32LE, data.shape, data, plist=plist)
    return value('int32', data)


def nothing(file, name):
    kind = random.choice(('f4', 'i8', 'S3'))
    file[name] = h5py.Empty(kind)
    return ('none', [], None, None)


def named_type(file, name):
    file[name] = np.dtype('f4')
    return mark('hdf5:type')


def elsewhere(file, name):
    kind = random.randrange(4)
    if kind == 0:
        file[name] = h5py.ExternalLink('other.h5', '/x')
        return mark('hdf5:external:other.h5')
    if kind == 1:
        file[name] = h5py.SoftLink('/no/where')
        return mark('hdf5:soft:/no/where')
    if kind == 2:
        file.create_dataset(name, (4,), 'i4', external=[('o.bin', 0, 16)])
        return mark('hdf5:elsewhere:o.bin')
    layout = h5py.VirtualLayout((4,), 'i4')
    layout[:] = h5py.VirtualSource('other.h5', 'x', (4,))
    file.create_virtual_dataset(name, layout)
    return mark('hdf5:elsewhere:virtual')


def packed_texts(file, name):
    """Uses the LZF filter of h5py, which libhdf5 lacks."""
    data = np.array([b'abc'] * 50, 'S10')
    file.create_dataset(name, data=data, chunks=(10,), compression='lzf')
    return texts([b'abc'] * 50, [50])


def packed_numbers(file, name):
    """Returns runs, near and far repetitions, and incompressible data."""
    data = np.concatenate([
        np.zeros(random.randint(1, 5000), 'u1'), noise('u1', (3000,)),
        np.tile(noise('u1', (random.randint(1, 300),)), 40),
        np.arange(9000).astype('u1')])
    file.create_dataset(name, data=data, compression='lzf',
                        chunks=(random.randint(100, len(data)),),
                        shuffle=random.random() < .5)
    return value('uint8', data)


def matlab_complex(file, name):
    """Adds complex numbers like MATLAB 7.3."""
    half = random.choice(('<f4', '<f8', '>f4', '>f8'))
    data = noise(half[1:], (4, 2)).astype(half)
    file[name] = data.view([('real', half), ('imag', half)]).reshape(2, 2)
    return ('complex64' if half[2] == '4' else 'complex128', [2, 2],
            data.astype('<' + half[1:]).tobytes(), None)


class Uncut(bytes):
    """Adds strings of variable length with NUL, which h5py truncates."""


def uncut(words):
    kind, shape, data, tag = texts(words, [len(words)])
    return kind, shape, Uncut(data), tag


def texts_with_nul(file, name):
    words = [b'a\0b', b'\0\0x', b'', b'abcd']
    file[name] = np.array(words, 'S4')
    return uncut(words)


EACH = (odd_integers, enums, compounds, opaque, bitfields, long_doubles, arrays,
        pieces, padded_texts, varying_texts, scalar_text, never_written,
        cut_short, compact, nothing, named_type, elsewhere, packed_texts,
        packed_numbers, matlab_complex, texts_with_nul)


# --- A file ----------------------------------------------------------------


def random_name(group):
    name = random.choice(NAMES)
    return name if name not in group else name + str(len(group))


def write_file(path):
    """Writes a file. Returns the expected values by path, pairs of paths that
    lead to the same object, and the names in each group."""
    expected, same = {}, []
    options = {'libver': random.choice(
        ('earliest', ('earliest', 'v110'), ('v108', 'v110'), 'v110')),
        'track_order': random.random() < .3}
    if random.random() < .2:
        options['userblock_size'] = random.choice((512, 2048))
    with h5py.File(path, 'w', **options) as file:
        groups = {(): file['/']}
        for _ in range(random.randint(1, 25)):
            way = random.choice(list(groups))
            group = groups[way]
            name = random_name(group)
            to = way + (name,)
            kind = random.random()
            if kind < .15:
                groups[to] = group.create_group(name)
            elif kind < .25:
                other = random.choice(list(groups))
                group[name] = groups[other]
                same.append((other, to))
            elif kind < .35 and expected:
                other = random.choice(list(expected))
                if expected[other][0] != 'object':
                    group[name] = groups[other[:-1]][other[-1]]
                    same.append((other, to))
            else:
                expected[to] = random.choice(EACH)(group, name)
        files = {way: set(group) for way, group in groups.items()}
        for group in groups.values():
            if random.random() < .3:
                group.attrs['about'] = random.choice(
                    ('text', 3, [1.5, 2], np.bool_(True), h5py.Empty('f4'),
                     ['a', 'b'], np.zeros((2, 2)), np.zeros(2000)))
    if 'userblock_size' in options:
        with open(path, 'r+b') as file:
            file.write(random.choice((b'#!/bin/sh\n', b'\0')))
    return expected, same, files


def in_graph(way, files):
    """Yields each name as in the graph: unescaped, unless the group also has
    that name."""
    for i, name in enumerate(way):
        plain = name.replace('%2F', '/')
        if re.fullmatch('%40(slots|state)', name):
            plain = name.replace('%40', '@')
        yield name if plain in files.get(way[:i], ()) else plain


def find(nodes, way):
    at = 0
    for name in way:
        found = [e['node'] for e in nodes[at]['edges'] if e['name'] == name]
        if len(found) != 1:
            raise AssertionError(f'{way}: {name} is missing')
        at = found[0]
    return at


def check_node(found, way, wanted):
    """Compares a value. Returns true if there was one."""
    kind, shape, data, tag = wanted
    node = found['objects'][find(found['objects'], way)]
    item = found['values'].get(node['id'])
    if (tag in node['tags']) != (tag is not None) or \
            (item is None) != (kind == 'object'):
        raise AssertionError(f'{way}: {node}, {item} for {wanted}')
    if item is None:
        return False
    if kind == 'none':
        return not item['saved']
    if (item['dtype'], item['shape']) != (
            'uint8' if kind == 'state' else kind, shape) or (
            node['kind'] == 'state') != (kind == 'state'):
        raise AssertionError(f'{way}: {item} for {wanted}')
    if data is None:
        return True
    if item['sha256'] != hashlib.sha256(data).hexdigest():
        raise AssertionError(f'{way}: the bytes differ from {wanted}')
    return True


def read_ours(path):
    with open(path, 'rb') as file:
        found = json.loads(json.dumps(read_format.read(file.read())))
    found['values'] = {item['id']: item for item in found['items']}
    return found


# --- What is written -------------------------------------------------------


def in_file(way, files):
    """Names that would conflict with slots and states are escaped."""
    for name in in_graph(way, files):
        name = re.sub('^%((25)*40(slots|state))$', r'%25\1', name)
        name = re.sub('^@(slots|state)$', r'%40\1', name)
        yield name.replace('/', '%2F')


def object_at(file, way, files):
    for name in in_file(way, files):
        file = file[name]
    return file


def raw(dataset):
    array = dataset[()]
    if h5py.check_string_dtype(dataset.dtype):
        return texts(np.asarray(array, object).reshape(-1).tolist(), [])[2]
    if dataset.dtype.kind == 'V' and not dataset.dtype.names:
        return array.tobytes()
    return array.astype(dataset.dtype.newbyteorder('<')).tobytes()


def check_type(one, other):
    """Compares type, shape and elements of a dataset that is a state."""
    if one.id.get_type() != other.id.get_type() or one.shape != other.shape:
        raise AssertionError(f'{one}, {other}: types or shapes differ')
    if np.asarray(one[()]).tobytes() != np.asarray(other[()]).tobytes():
        raise AssertionError(f'{one}, {other}: elements differ')


def check_types(path, out, expected, files):
    """Checks that types that Varve lacks are kept from HDF5 to HDF5."""
    with h5py.File(path) as file, h5py.File(out) as written:
        for way, (kind, *_) in expected.items():
            if kind == 'state':
                check_type(file['/'.join(way)],
                           object_at(written, way, files))


def check_written(path, expected, same, files, has_states):
    with h5py.File(path) as file:
        for way, (kind, shape, data, tag) in expected.items():
            if kind == 'state' and not has_states:
                continue
            if data is None or isinstance(data, Uncut):
                continue
            dataset = object_at(file, way, files)
            if list(dataset.shape) != shape or raw(dataset) != data:
                raise AssertionError(f'{way}: written {dataset} of {kind}')
        for one, other in same:
            one, other = (object_at(file, way, files)
                          for way in (one, other))
            if one.id != other.id and (h5py.h5o.get_info(one.id).addr !=
                                       h5py.h5o.get_info(other.id).addr):
                raise AssertionError(f'{one}, {other}: written as two')


def check_file(run, varve, path):
    """Converts an HDF5 file to a Varve file and to HDF5. Returns the numbers
    of compared values and of objects without a value."""
    expected, same, files = write_file(path)
    out = path + '.varve'
    run([varve, 'convert', '--force', path, out])
    found = read_ours(out)
    values = sum(check_node(found, tuple(in_graph(way, files)), wanted)
                 for way, wanted in expected.items())
    for source in path, out:
        run([varve, 'convert', '--force', source, path + '.out.h5'])
        check_written(path + '.out.h5', expected, same, files, source == out)
        if source == path:
            check_types(path, path + '.out.h5', expected, files)
    for one, other in same:
        if find(found['objects'], in_graph(one, files)) != find(
                found['objects'], in_graph(other, files)):
            raise AssertionError(f'{one}, {other}: two nodes')
    return values, len(expected) - values
