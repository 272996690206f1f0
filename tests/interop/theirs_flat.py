"""theirs_flat.py - Defines the cases that safetensors and NumPy write.

SPDX-License-Identifier: MIT
"""
import json
import os
import zipfile

import numpy as np
from cases import DTYPES, case, fill, floats
from numpy.lib import format as npy_format
from safetensors import numpy as st

# NumPy lacks names for these types; safetensors takes them from ml_dtypes.
EXTENSIONS = ('bfloat16', 'float8_e4m3fn', 'float8_e5m2')
PLAIN = [name for name in DTYPES if name not in EXTENSIONS]


def matrices(names):
    return {name: fill(name, 3, 7) for name in names}


# --- safetensors -----------------------------------------------------------


@case('safetensors', opens='.safetensors')
def st_all_types(path):
    st.save_file(matrices(n for n in DTYPES if n != 'complex128'),
                 path + '.safetensors')


@case('safetensors', opens='.safetensors')
def st_shapes_and_metadata(path):
    st.save_file({'scalar': floats(), 'none': floats(0), 'hollow':
                  floats(2, 0, 3), 'deep': floats(*[2, 1] * 4)},
                 path + '.safetensors',
                 metadata={'format': 'np', 'empty': '',
                           'gr\u00fc\u00dfe': '"\u65e5\u672c"\n'})


@case('safetensors', opens='.safetensors')
def st_nothing(path):
    st.save_file({}, path + '.safetensors', metadata={'only': 'this'})


@case('safetensors', opens='.safetensors')
def st_names(path):
    texts = ['model.layers.0.weight', 'a/b', 'a', 'a/b/c', '\u65e5\u672c',
             'quote"back\\slash', 'new\nline', ' ', '/', '\U0001f600',
             'x' * 300]
    st.save_file({t: np.full(1, i, 'i4') for i, t in enumerate(texts)},
                 path + '.safetensors')


@case('safetensors', opens='.safetensors', refused='VARVE_LIMIT')
def st_rank_17(path):
    st.save_file({'a': floats(*[1] * 17)}, path + '.safetensors')


@case('safetensors', opens='.safetensors')
def st_without_name(path):
    """It is listed as skipped."""
    st.save_file({'': floats(2)}, path + '.safetensors')


@case('safetensors_index', opens='.safetensors.index.json')
def st_sharded(path):
    """Two files and an index, as written by the tools of Hugging Face."""
    parts = [{'a.weight': floats(2, 3), 'a.bias': floats(3)},
             {'b.weight': fill('float16', 3, 2)}]
    weight_map, size = {}, 0
    for i, part in enumerate(parts):
        name = f'{path}-{i + 1:05}-of-{len(parts):05}.safetensors'
        st.save_file(part, name, metadata={'format': 'pt'})
        weight_map.update(dict.fromkeys(part, os.path.basename(name)))
        size += sum(a.nbytes for a in part.values())
    with open(path + '.safetensors.index.json', 'w',
              encoding='utf-8') as stream:
        json.dump({'metadata': {'total_size': size},
                   'weight_map': weight_map}, stream, indent=2)


@case('safetensors', golden=False, opens='.safetensors')
def st_large(path):
    st.save_file({'a': floats(1031, 1033), 'b': fill('uint8', 3 << 20),
                  'c': fill('bfloat16', 5)}, path + '.safetensors')


# --- npy -------------------------------------------------------------------


def npy_case(name, array, version=None, golden=True, refused=None):
    def write(path):
        with open(path + '.npy', 'wb') as stream:
            if version:
                npy_format.write_array(stream, array, version)
            else:
                np.save(stream, array)
    write.__name__ = name
    case('npy', golden, refused, '.npy')(write)


for _name in PLAIN:
    npy_case(f'npy_{_name}', fill(_name, 2, 5), golden=False)
    npy_case(f'npy_{_name}_big', fill(_name, 2, 5).astype(
        DTYPES[_name].newbyteorder('>')), golden=False)
npy_case('npy_version_1', floats(2, 3), (1, 0))
npy_case('npy_version_2', floats(2, 3), (2, 0))
npy_case('npy_version_3', floats(2, 3), (3, 0))
npy_case('npy_big', fill('float64', 2, 3).view('>f8'))
npy_case('npy_complex_big', fill('complex64', 5).byteswap().view('>c8'))
npy_case('npy_fortran', np.asfortranarray(floats(3, 4)))
npy_case('npy_fortran_big', np.asfortranarray(
    fill('int16', 2, 3, 4).astype('>i2')))
npy_case('npy_fortran_large', np.asfortranarray(floats(517, 1031)),
         golden=False)
npy_case('npy_scalar', np.float64(0.1))
npy_case('npy_empty', floats(0, 3))
npy_case('npy_bools', fill('bool', 11))
npy_case('npy_bytes', np.array([b'a', b'', b'long one'], 'S8'))
npy_case('npy_text', np.array([['a', '\u65e5\u672c'], ['', '\U0001f600']]))
npy_case('npy_text_big', np.array(['a', 'gr\u00fc\u00df']).astype('>U6'))
npy_case('npy_objects', np.array([1, 'two', None], object),
         refused='VARVE_NOT_A_CHECKPOINT')
npy_case('npy_objects_inside', np.array([(1, [])], [('x', 'i4'), ('y', 'O')]),
         refused='VARVE_NOT_A_CHECKPOINT')
npy_case('npy_rank_17', floats(*[1] * 17), refused='VARVE_LIMIT')
# Types that Varve lacks are kept unchanged.
npy_case('npy_record', np.array([(1.5, 2), (3.25, 4)],
                                [('x', 'f4'), ('y', '>i2')]))
npy_case('npy_dates', np.array(['2020-01-01', 'NaT'], 'M8[D]'))
npy_case('npy_bfloat16', fill('bfloat16', 5))
npy_case('npy_longdouble', np.array([0.1, -2], np.longdouble), golden=False)


# --- npz -------------------------------------------------------------------


def some():
    return {'weights': floats(3, 4), 'step': np.int64(12),
            'layer/bias': fill('float16', 3), 'fortran':
            np.asfortranarray(fill('int32', 2, 5)),
            'big': fill('uint16', 4).astype('>u2'), 'empty': floats(0),
            'words': np.array(['a', '\u00fc']),
            '\u65e5\u672c': fill('bool', 2)}


@case('npz', opens='.npz')
def npz_stored(path):
    np.savez(path + '.npz', **some())


@case('npz', opens='.npz', needs='zlib')
def npz_deflated(path):
    np.savez_compressed(path + '.npz', **some())


@case('npz', opens='.npz', needs='zlib')
def npz_all_types(path):
    np.savez_compressed(path + '.npz', **matrices(PLAIN))


def archive(file, method):
    """NumPy writes archives with 64-bit sizes; other programs write them
    like this."""
    with zipfile.ZipFile(file, 'w', method) as made:
        for name, array in some().items():
            entry = zipfile.ZipInfo(name + '.npy')
            entry.compress_type = method
            with made.open(entry, 'w') as stream:
                npy_format.write_array(stream, np.asanyarray(array))


@case('npz', opens='.npz')
def npz_zip32(path):
    archive(path + '.npz', zipfile.ZIP_STORED)


@case('npz', golden=False, opens='.npz', needs='zlib')
def npz_zip32_deflated(path):
    archive(path + '.npz', zipfile.ZIP_DEFLATED)


class Pipe:
    """A stream that is not seekable, so the sizes follow the data."""

    def __init__(self, stream):
        self.write, self.flush = stream.write, stream.flush


@case('npz', opens='.npz')
def npz_streamed(path):
    with open(path + '.npz', 'wb') as stream:
        archive(Pipe(stream), zipfile.ZIP_STORED)


@case('npz', golden=False, opens='.npz', needs='zlib')
def npz_streamed_deflated(path):
    with open(path + '.npz', 'wb') as stream:
        archive(Pipe(stream), zipfile.ZIP_DEFLATED)


@case('npz', golden=False, opens='.npz', needs='zlib')
def npz_large(path):
    np.savez_compressed(path + '.npz', a=np.tile(floats(1000), 2000),
                        b=floats(513, 1027), c=fill('uint8', 3 << 20))


@case('npz', opens='.npz')
def npz_none(path):
    np.savez(path + '.npz')


@case('npz', opens='.npz')
def npz_objects(path):
    np.savez(path + '.npz', good=floats(2), bad=np.array([{}, None]))
