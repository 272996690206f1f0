#!/usr/bin/env python3
"""make_onnx.py - Writes a small model with the package onnx (1.23.2).

    pip install onnx==1.23.2
    python3 make_onnx.py DIRECTORY

onnx_model.onnx: initializers of every element type, in raw_data (`raw.*`) and
in typed fields (`field.*`), strings, a sparse initializer, one in
onnx_model.data, a constant, and named and unnamed graphs in attributes of
nodes. tests/unit/foreign/test_onnx_in.c contains the expected values.

SPDX-License-Identifier: MIT
"""
import os
import sys

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

os.chdir(sys.argv[1])

BYTES = {'FLOAT': 'f4', 'UINT8': 'u1', 'INT8': 'i1', 'UINT16': 'u2',
         'INT16': 'i2', 'INT32': 'i4', 'INT64': 'i8', 'BOOL': '?',
         'FLOAT16': 'f2', 'DOUBLE': 'f8', 'UINT32': 'u4', 'UINT64': 'u8',
         'COMPLEX64': 'c8', 'COMPLEX128': 'c16'}
COUNT = np.arange(6).reshape(2, 3)

initializers = []
for name, kind in BYTES.items():
    number = getattr(TensorProto, name)
    values = COUNT.astype('<' + kind)
    raw = TensorProto(name=f'raw.{name}', dims=[2, 3], data_type=number,
                      raw_data=values.tobytes())
    field = helper.make_tensor(f'field.{name}', number, [2, 3],
                               values.reshape(-1))
    initializers += [raw, field]
for name in ('BFLOAT16', 'FLOAT8E4M3FN', 'FLOAT8E5M2'):
    initializers.append(helper.make_tensor(
        f'field.{name}', getattr(TensorProto, name), [2, 3],
        COUNT.reshape(-1).astype('f4')))
for name, data in (('INT4', b'\x21\x03'), ('FLOAT8E8M0', b'\x7f\x80\x81')):
    for field in ({'raw_data': data}, {'int32_data': list(data)}):
        initializers.append(TensorProto(
            name=f'{"raw" if "raw_data" in field else "field"}.{name}',
            dims=[3], data_type=getattr(TensorProto, name), **field))
initializers.append(TensorProto(
    name='words', dims=[2], data_type=TensorProto.STRING,
    string_data=[b'one', 'gr\u00fcn'.encode()]))
initializers.append(TensorProto(name='empty', dims=[0, 3], data_type=1))
outside = TensorProto(name='outside', dims=[2, 2], data_type=1,
                      data_location=TensorProto.EXTERNAL)
for key, value in (('location', 'onnx_model.data'), ('offset', '16'),
                   ('length', '16')):
    outside.external_data.add(key=key, value=value)
initializers.append(outside)
with open('onnx_model.data', 'wb') as file:
    file.write(bytes(16) + np.array([1, 2, 3, 4], '<f4').tobytes())


def branch(value):
    graph = helper.make_graph([], 'branch', [], [])
    graph.initializer.append(
        numpy_helper.from_array(np.array([value], 'f4'), 'w'))
    return graph


inner = branch(3)
inner.node.append(helper.make_node('If', ['c'], ['y'], name='deep',
                                   then_branch=branch(4)))
nodes = [
    helper.make_node('Constant', [], ['constant_output'],
                     value=numpy_helper.from_array(np.array([7, 8], 'i4'))),
    helper.make_node('If', ['c'], ['y'], then_branch=branch(1),
                     else_branch=branch(2)),
    helper.make_node('Loop', [], ['z'], name='loop', body=inner),
]
graph = helper.make_graph(nodes, 'main', [], [], initializers)
sparse = graph.sparse_initializer.add()
sparse.values.CopyFrom(numpy_helper.from_array(np.array([5], 'f4'), 'sparse'))
sparse.indices.CopyFrom(numpy_helper.from_array(np.array([2], 'i8')))
sparse.dims.append(9)
model = ModelProto(ir_version=10, producer_name='make_onnx', model_version=3,
                   doc_string='all of it')
model.graph.CopyFrom(graph)
model.opset_import.add(domain='', version=21)
model.opset_import.add(domain='mine', version=1)
model.metadata_props.add(key='author', value='me')
with open('onnx_model.onnx', 'wb') as file:
    file.write(model.SerializeToString(deterministic=True))
