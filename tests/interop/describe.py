"""describe.py - Describes the content of a file as the other programs report
it, as JSON.

    {"values": {NAME: {"dtype": D, "shape": S, "sha256": H}}, ...}

The digest covers the elements in row-major order, little-endian. For strings
it covers the lengths of all elements as 8 bytes each and then their bytes. The
description of an object graph also has "nodes": their children, attributes and
slots by number.

SPDX-License-Identifier: MIT
"""
import hashlib
import json
import os
import struct

import numpy as np
from cases import DTYPES

NAMES = {'object': 'string', 'qint8': 'int8', 'quint8': 'uint8',
         'qint16': 'int16', 'quint16': 'uint16', 'qint32': 'int32'}
GRAPH = '_CHECKPOINTABLE_OBJECT_GRAPH'


def bytes_of(array):
    array = np.asarray(array)
    if array.dtype.kind in 'OSU':
        parts = [p.encode() if isinstance(p, str) else bytes(p)
                 for p in array.ravel().tolist()]
        lengths = struct.pack(f'<{len(parts)}Q', *map(len, parts))
        return lengths + b''.join(parts)
    if array.dtype.byteorder == '>' or (
            array.dtype.byteorder == '=' and not is_little()):
        array = array.astype(array.dtype.newbyteorder('<'))
    return array.tobytes(order='C')


def is_little():
    return struct.pack('=H', 1) == b'\1\0'


def value(array, dtype=None):
    array = np.asarray(array)
    name = dtype or array.dtype.name
    if array.dtype.kind in 'SU':
        name = 'string'
    content = bytes_of(array)
    made = {'dtype': NAMES.get(name, name), 'shape': list(array.shape),
            'sha256': hashlib.sha256(content).hexdigest()}
    if made['dtype'] == 'string' and not made['shape']:
        made['content'] = hashlib.sha256(content[8:]).hexdigest()
    return made


def bundle(path):
    """Describes a TensorFlow checkpoint with this prefix."""
    import tensorflow as tf
    reader = tf.train.load_checkpoint(path)
    dtypes = reader.get_variable_to_dtype_map()
    values = {}
    for key in sorted(dtypes):
        if key == GRAPH:
            continue
        name = NAMES.get(dtypes[key].name, dtypes[key].name)
        if name in ('variant', 'resource'):
            values[key] = {'state': f'tensorflow:{name}'}
            continue
        values[key] = value(reader.get_tensor(key), name)
        if name != 'string' and name not in DTYPES:
            values[key]['state'] = f'tensorflow:{name}'
    found = {'values': values}
    if GRAPH in dtypes:
        found['nodes'] = nodes(reader.get_tensor(GRAPH))
        if 'save_counter/.ATTRIBUTES/VARIABLE_VALUE' in values:
            found['counter'] = int(reader.get_tensor(
                'save_counter/.ATTRIBUTES/VARIABLE_VALUE'))
    return found


def nodes(text):
    from tensorflow.core.protobuf import trackable_object_graph_pb2 as protos
    graph = protos.TrackableObjectGraph()
    graph.ParseFromString(getattr(text, 'item', lambda: text)())
    return [{'children': [[c.local_name, c.node_id] for c in node.children],
             'attributes': [[a.name, a.checkpoint_key, a.full_name]
                            for a in node.attributes],
             'slots': [[s.slot_name, s.original_variable_node_id,
                        s.slot_variable_node_id]
                       for s in node.slot_variables]}
            for node in graph.nodes]


def saved_model(path):
    return bundle(os.path.join(path, 'variables', 'variables'))


def managed(path):
    import tensorflow as tf
    return bundle(tf.train.latest_checkpoint(path))


def safetensors(path):
    from safetensors import safe_open
    # Entries that the package cannot convert to arrays are read from the
    # header.
    with open(path, 'rb') as stream:
        size, = struct.unpack('<Q', stream.read(8))
        header = json.loads(stream.read(size))
        data = stream.read()
    metadata = header.pop('__metadata__', None)
    with safe_open(path, 'np') as opened:
        if set(opened.keys()) != set(header):
            raise ValueError(f'{path}: the names differ from the header')
    values = {}
    for name, entry in header.items():
        if not name:
            continue  # no value can have this name
        begin, end = entry['data_offsets']
        values[name] = {
            'dtype': SAFETENSORS[entry['dtype']], 'shape': entry['shape'],
            'sha256': hashlib.sha256(data[begin:end]).hexdigest()}
    return {'values': values, 'metadata': metadata or {}}


SAFETENSORS = {
    'BOOL': 'bool', 'I8': 'int8', 'I16': 'int16', 'I32': 'int32',
    'I64': 'int64', 'U8': 'uint8', 'U16': 'uint16', 'U32': 'uint32',
    'U64': 'uint64', 'F16': 'float16', 'BF16': 'bfloat16', 'F32': 'float32',
    'F64': 'float64', 'C64': 'complex64', 'F8_E4M3': 'float8_e4m3fn',
    'F8_E5M2': 'float8_e5m2'}


def safetensors_index(path):
    with open(path, encoding='utf-8') as stream:
        index = json.load(stream)
    values = {}
    for name in sorted(set(index['weight_map'].values())):
        beside = os.path.join(os.path.dirname(path), name)
        values.update(safetensors(beside)['values'])
    return {'values': values}


def numpy_value(array):
    if array.dtype.name in DTYPES or array.dtype.kind in 'SU':
        return value(array)
    descr = np.lib.format.dtype_to_descr(array.dtype)
    tag = descr.lstrip('|') if isinstance(descr, str) else repr(descr)
    return {'state': 'numpy:' + tag,
            'sha256': hashlib.sha256(array.tobytes()).hexdigest()}


def npy(path):
    return {'values': {'': numpy_value(np.load(path))}}


def npz(path):
    """Describes arrays except those of Python objects, which NumPy does not
    load by default."""
    values = {}
    with np.load(path) as archive:
        for name in archive:
            try:
                values[name] = numpy_value(archive[name])
            except ValueError as error:
                if 'allow_pickle' not in str(error):
                    raise
    return {'values': values}


DESCRIBE = {f.__name__: f for f in (
    bundle, saved_model, managed, safetensors, safetensors_index, npy, npz)}


def describe(one, path):
    """Returns the description of a case for JSON; `path` excludes the
    suffix."""
    found = {} if one.refused else DESCRIBE[one.kind](path + one.opens)
    found['kind'] = one.kind
    if one.needs:
        found['needs'] = one.needs
    if one.refused:
        found['refused'] = one.refused
    return found
