#!/usr/bin/env python3
"""make_hdf5.py - Writes small files with h5py (3.14) and Keras (3.15).

    pip install h5py==3.14.0 keras==3.15.1 tensorflow==2.21.0 tf_keras==2.21.0
    python3 make_hdf5.py DIRECTORY

hdf5_types.h5: every element type and layout, links of every kind, attributes.
hdf5_latest.h5: groups and links in the format of later versions of HDF5.
hdf5_texts.h5: unreadable strings, and groups with names that Varve uses.
hdf5_odd.h5: complex numbers of MATLAB, strings with NUL, LZF of every kind.
hdf5_newer.h5: types of HDF5 2.0, which 1.10 cannot read. hdf5_ways.keras: a
layer of few groups with very many paths through them. hdf5_model.keras,
hdf5_model.weights.h5, hdf5_model.h5: a trained model of Keras 3;
hdf5_keras2.h5: one of Keras 2. tests/unit/foreign/test_hdf5_in.c and related
tests contain the expected values.

SPDX-License-Identifier: MIT
"""
import json
import os
import sys
import zipfile

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['KERAS_BACKEND'] = 'tensorflow'

import h5py
import numpy as np

os.chdir(sys.argv[1])

COUNT = np.arange(6).reshape(2, 3)
KINDS = ('i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', 'f4', 'f8',
         'c8', 'c16')


def write_types(file):
    for kind in KINDS:
        file[f'little/{kind}'] = COUNT.astype('<' + kind)
        file[f'big/{kind}'] = COUNT.astype('>' + kind)
    file['bool'] = COUNT > 2
    file['bfloat16'] = np.array([b'\x80\x3f', b'\x00\x40'], 'V2')
    file['bfloat16'].attrs['dtype'] = 'bfloat16'
    file['enum'] = np.array([1, 2], h5py.enum_dtype({'a': 1, 'b': 2}, 'i2'))
    file['text'] = 'hello'
    file['texts'] = ['one', '', 'three']
    file['fixed'] = np.array([b'ab', b'', b'abcd'])
    file['compound'] = np.array([(1, 2.5, b'x')],
                                [('a', '<i4'), ('b', '<f8'), ('c', 'S4')])
    file['opaque'] = np.array([b'abc', b'def'], 'V3')
    file['long'] = np.array([1.5], np.longdouble)
    array = file.create_dataset('array', (2,), np.dtype(('<f4', (3,))))
    array[...] = COUNT
    file.create_dataset('lists', (2,), h5py.vlen_dtype('i4'))
    file.create_dataset('references', (2,), h5py.ref_dtype)
    file['null'] = h5py.Empty('f4')
    file['none'] = np.zeros((0, 3), 'f4')
    file['scalar'] = np.float64(3.5)
    file['type'] = np.dtype('f4')


def write_layouts(file):
    data = np.arange(1000, dtype='<i4').reshape(10, 100)
    options = {'plain': {}, 'gzip': {'compression': 'gzip'},
               'shuffled': {'compression': 'gzip', 'shuffle': True},
               'summed': {'fletcher32': True},
               'scaled': {'scaleoffset': 0},
               'lzf': {'compression': 'lzf'}}
    for name, kind in options.items():
        file.create_dataset(f'chunked/{name}', data=data, chunks=(3, 40),
                            **kind)
    file.create_dataset('fill/chunked', (4, 4), 'i2', chunks=(2, 2),
                        fillvalue=7)
    file.create_dataset('fill/contiguous', (4,), 'i2', fillvalue=-1)
    file.create_dataset('fill/huge', (1 << 20, 1 << 20), 'i2',
                        chunks=(64, 64))
    kind = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    kind.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((3,))
    small = h5py.h5d.create(file['fill'].id, b'compact', h5py.h5t.STD_I32LE,
                            space, kind)
    small.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(3, dtype='i4'))
    kind = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    kind.set_external(b'hdf5_model.h5', 0, 8)
    h5py.h5d.create(file.id, b'outside', h5py.h5t.STD_I8LE,
                    h5py.h5s.create_simple((8,)), kind)
    kind = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    kind.set_chunk((4,))
    kind.set_deflate(9)
    kind.set_deflate(9)
    piled = h5py.h5d.create(file.id, b'piled', h5py.h5t.STD_I32LE,
                            h5py.h5s.create_simple((4,)), kind)
    piled.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(4, dtype='i4'))
    layout = h5py.VirtualLayout((1,), 'f4')
    layout[...] = h5py.VirtualSource('hdf5_model.h5', 'x', (1,))
    file.create_virtual_dataset('virtual', layout)


def write_links(file):
    file['links/hard'] = file['little/f4']
    file['links/up'] = file['/']
    file['links/soft'] = h5py.SoftLink('/little/f8')
    file['links/beside'] = h5py.SoftLink('./hard')
    file['links/group'] = h5py.SoftLink('/little')
    file['links/through'] = h5py.SoftLink('group/i4')
    file['links/nowhere'] = h5py.SoftLink('/no/where')
    file['links/round'] = h5py.SoftLink('round')
    file['links/external'] = h5py.ExternalLink('hdf5_model.h5', '/x')
    file['links/beyond'] = h5py.SoftLink('external/model_weights')


def write_odd_texts(file):
    file.create_dataset('packed', data=np.array([b'ab'] * 20, 'S9'),
                        chunks=(10,), compression='lzf')
    file.create_dataset('long', (100, 1000), 'S1000', chunks=(10, 10))
    file['text'] = 'hello'
    file.create_group('owner/@slots/m')
    file.create_group('other/@slots')


def write_odd(file):
    for half in ('<f4', '<f8', '>f4', '>f8'):
        kind = [('real', half), ('imag', half)]
        file[f'complex/{half[1:]}{half[0] == ">":d}'] = np.array(
            [(0, 1), (2, 3), (4, 5)], kind)
    file['complex/integers'] = np.array([(1, 2)], [('real', 'i4'),
                                                   ('imag', 'i4')])
    words = [b'a\0b', b'', b'\0c']
    file['nul/fixed'] = np.array(words, 'S4')
    file['nul/fixed'].attrs['text'] = np.bytes_(b'x\0y')
    # (h5py cannot write such strings; see set_nuls.)
    file.create_dataset('nul/varying', data=['a<N>b', '', 'c'],
                        dtype=h5py.string_dtype())
    random = np.random.default_rng(1)
    near = np.tile(random.integers(0, 256, 7, 'u1'), 300)
    far = np.concatenate([random.integers(0, 256, 8000, 'u1')] * 2)
    for name, data in (('zeros', np.zeros(5000, 'u1')), ('near', near),
                       ('far', far), ('noise', far[:500]),
                       ('steps', np.arange(3000, dtype='<i4'))):
        file.create_dataset(f'lzf/{name}', data=data, chunks=data.shape,
                            compression='lzf', shuffle=name == 'steps')
        file.create_dataset(f'plain/{name}', data=data)


def set_nuls():
    with open('hdf5_odd.h5', 'rb') as file:
        data = file.read()
    assert data.count(b'a<N>b') == 1
    with open('hdf5_odd.h5', 'wb') as file:
        file.write(data.replace(b'a<N>b', b'a\0\0\0b'))


def write_newer(file):
    file['plain'] = COUNT.astype('<f4')
    file['inner/plain'] = COUNT.astype('<f4')
    kind = h5py.h5t.COMPLEX_IEEE_F32LE
    h5py.h5d.create(file.id, b'complex', kind, h5py.h5s.create_simple((2,)))
    file.create_group('attributes').attrs['odd'] = np.zeros(
        2, [('a', 'i4'), ('b', 'f8')])


def write_ways():
    config = {'config': {'layers': [{'module': 'keras.layers',
                                     'class_name': 'Dense',
                                     'config': {'name': 'a'}}]}}
    with h5py.File('ways.h5', 'w') as file:
        file['optimizer/vars/0'] = np.zeros(3, 'f4')
        file['optimizer/vars'].attrs['name'] = 'adam'
        group = file.create_group('layers/dense')
        for _ in range(5):
            below = file.create_group(None)
            for i in range(120):
                group[str(i)] = below
            group = below
    with zipfile.ZipFile('hdf5_ways.keras', 'w') as archive:
        archive.writestr('metadata.json', '{}')
        archive.writestr('config.json', json.dumps(config))
        archive.write('ways.h5', 'model.weights.h5')
    os.remove('ways.h5')


def write_attributes(file):
    file.attrs['text'] = 'a text'
    file.attrs['bytes'] = np.bytes_(b'some bytes')
    file.attrs['number'] = -3
    file.attrs['large'] = np.uint64(1 << 63)
    file.attrs['real'] = 0.5
    file.attrs['numbers'] = [1, 2, 3]
    file.attrs['many'] = np.arange(100)
    file.attrs['words'] = ['a', 'b "c"']
    file.attrs['layer_names'] = ['x']
    file['little'].attrs['of'] = 'group'
    file['scalar'].attrs['unit'] = 'm'


def write_keras():
    import keras
    keras.utils.set_random_seed(1)
    layers = keras.layers
    first = keras.Input((4,), name='first')
    hidden = layers.Dense(5, name='hidden')(first)
    normal = layers.BatchNormalization(name='normal')(hidden)
    inner = keras.Sequential([keras.Input((5,)), layers.Dense(3, name='deep')],
                             name='inner')
    last = layers.Dense(5, use_bias=False, name='last')(inner(normal))
    model = keras.Model(first, last)
    model.compile('adam', 'mse')
    model.fit(np.ones((2, 4)), np.ones((2, 5)), verbose=0)
    model.save('hdf5_model.keras')
    model.save_weights('hdf5_model.weights.h5')
    model.save('hdf5_model.h5')


def write_keras2():
    import tf_keras as keras
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((2,)),
                              keras.layers.Dense(3, name='only')])
    model.compile('adam', 'mse')
    model.fit(np.ones((2, 2)), np.ones((2, 3)), verbose=0)
    model.save('hdf5_keras2.h5')


with h5py.File('hdf5_types.h5', 'w') as file:
    write_types(file)
    write_layouts(file)
    write_links(file)
    write_attributes(file)
with h5py.File('hdf5_latest.h5', 'w', libver='latest') as file:
    for i in range(40):
        file[f'many/{i}'] = np.int32(i)
        file['many'].attrs[f'text{i}'] = str(i)
    file.create_dataset('chunked', data=COUNT.astype('<f4'), chunks=(1, 2),
                        compression='gzip', maxshape=(None, 3))
with h5py.File('hdf5_texts.h5', 'w') as file:
    write_odd_texts(file)
with h5py.File('hdf5_odd.h5', 'w') as file:
    write_odd(file)
set_nuls()
if h5py.version.hdf5_version_tuple >= (2,):
    with h5py.File('hdf5_newer.h5', 'w', libver='latest') as file:
        write_newer(file)
write_ways()
with h5py.File('hdf5_block.mat', 'w', userblock_size=512) as file:
    file['value'] = COUNT.astype('<f8')
with open('hdf5_block.mat', 'r+b') as file:
    file.write(b'MATLAB 7.3 MAT-file'.ljust(116))
if len(sys.argv) < 3:
    write_keras()
    write_keras2()
