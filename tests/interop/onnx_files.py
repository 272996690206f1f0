#!/usr/bin/env python3
"""onnx_files.py - Tests the command on random models of the package onnx, bit
for bit.

    onnx_files.py VARVE [COUNT [SEED]]

Models have tensors of any type and shape, in every field that may contain them
and in external files, in initializers, constants, attributes, subgraphs,
functions and training information. The package is imported from the running
Python or from the virtual environment in VARVE_INTEROP; skipped if neither has
it.

SPDX-License-Identifier: MIT
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import urllib.parse

from elsewhere import need

NAME = 'onnx files'

need('onnx', 'numpy')
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

BITS = {'FLOAT': 32, 'UINT8': 8, 'INT8': 8, 'UINT16': 16, 'INT16': 16,
        'INT32': 32, 'INT64': 64, 'BOOL': 8, 'FLOAT16': 16, 'DOUBLE': 64,
        'UINT32': 32, 'UINT64': 64, 'COMPLEX64': 64, 'COMPLEX128': 128,
        'BFLOAT16': 16, 'FLOAT8E4M3FN': 8, 'FLOAT8E4M3FNUZ': 8,
        'FLOAT8E5M2': 8, 'FLOAT8E5M2FNUZ': 8, 'UINT4': 4, 'INT4': 4,
        'FLOAT4E2M1': 4, 'FLOAT8E8M0': 8, 'UINT2': 2, 'INT2': 2,
        'FLOAT6E2M3': 6, 'FLOAT6E3M2': 6}
STATES = {name for name, bits in BITS.items() if bits < 8} | {
    'FLOAT8E4M3FNUZ', 'FLOAT8E5M2FNUZ', 'FLOAT8E8M0'}
OURS = {'FLOAT': 'float32', 'DOUBLE': 'float64', 'FLOAT8E4M3FN':
        'float8_e4m3fn', 'FLOAT8E5M2': 'float8_e5m2'}
KNOWN = [name for name in BITS if hasattr(TensorProto, name)]


# --- Models ----------------------------------------------------------------


class Model:
    """A model that will be written, and the expected bytes."""

    def __init__(self, folder, path):
        self.folder, self.path = folder, path
        self.expected = {}
        self.names = 0

    def expect(self, name, kind, shape, data):
        assert name not in self.expected, name
        self.expected[name] = (kind, list(shape), data)

    def tensor(self, name, place):
        """Adds a random tensor named `name`, expected at `place`."""
        kind = random.choice(KNOWN + ['STRING'])
        t = TensorProto(name=name)
        shape = [random.choice((0, 1, 1, 2, 3, 5))
                 for _ in range(random.randrange(4))]
        t.dims.extend(shape)
        t.data_type = getattr(TensorProto, kind)
        count = int(np.prod(shape, dtype=np.int64))
        if kind == 'STRING':
            texts = [bytes(random.choices(b'abc\xc3 \xff', k=random.randrange(
                5))) for _ in range(count)]
            t.string_data.extend(texts)
            self.expect(place, kind, shape, texts)
            return t
        data = random_bytes(kind, count)
        fill(t, kind, count, data)
        if not t.raw_data and data:
            self.check_with_onnx(t, kind, data)
        if t.raw_data and random.random() < .3:
            self.move_outside(t)
        self.expect(place, kind, shape, data)
        return t

    def check_with_onnx(self, t, kind, data):
        """Checks that the package reads the filled field correctly."""
        array = numpy_helper.to_array(t)
        raw = numpy_helper.from_array(array).raw_data
        nan = kind in ('FLOAT16', 'FLOAT', 'DOUBLE', 'COMPLEX64', 'COMPLEX128')
        if not nan and raw != data:
            raise AssertionError(f'onnx reads {kind}: {raw} for {data}')

    def move_outside(self, t):
        name = random.choice(('a.bin', 'b.onnx.data'))
        data = t.raw_data
        with open(os.path.join(self.folder, name), 'ab') as file:
            file.write(bytes(random.randrange(9)))
            offset = file.tell()
            file.write(data)
        t.ClearField('raw_data')
        t.data_location = TensorProto.EXTERNAL
        entries = [('location', name), ('offset', str(offset)),
                   ('checksum', '00')]
        if random.random() < .7:
            entries.append(('length', str(len(data))))
        random.shuffle(entries)
        for key, value in entries:
            t.external_data.add(key=key, value=value)

    def name(self):
        self.names += 1
        return random.choice(('w', 'layer.0.w', '/x/w', 'onnx::W', 'a/b/w',
                              'gr\u00fcn')) + f'_{self.names}'

    def graph(self, prefix, depth):
        g = onnx.GraphProto(name='g')
        for _ in range(random.randrange(5)):
            name = self.name()
            g.initializer.append(self.tensor(name, prefix + name))
        if random.random() < .1:
            name = self.name()
            self.sparse(g.sparse_initializer.add(), name, prefix + name)
        g.node.extend(self.nodes(prefix, depth))
        return g

    def sparse(self, sparse, name, place):
        sparse.values.CopyFrom(self.tensor(name, place + '/values'))
        sparse.indices.CopyFrom(self.tensor('', place + '/indices'))
        dims = [random.randrange(2**40) for _ in range(random.randrange(1, 4))]
        sparse.dims.extend(dims)
        self.expect(place + '/dims', 'INT64', [len(dims)],
                    np.array(dims, 'i8').tobytes())

    def nodes(self, prefix, depth):
        nodes, called = [], set()
        for i in range(random.randrange(4)):
            node = onnx.NodeProto()
            node.op_type = random.choice(('If', 'Constant', 'Mine'))
            if random.random() < .7:
                node.name = random.choice(('n', 'n', '/n', 'If_1', 'n_2', 'm'))
            node.output.append(self.name())
            place = node.name or f'{node.op_type}_{i}'
            for _ in range(2):
                if place in called:
                    place += f'_{i}'
            if place in called:
                continue
            if self.attributes(node, prefix, place, depth):
                called.add(place)
            node.attribute.add(name='axis', i=1, type=2)
            nodes.append(node)
            if random.random() < .5:
                nodes.append(helper.make_node('Relu', ['a'], ['b']))
            while len(nodes) < i + 1:
                nodes.append(helper.make_node('Relu', ['a'], ['b']))
            del nodes[i + 1:]
        return nodes

    def attributes(self, node, prefix, place, depth):
        """Adds random attributes to a node. Returns true if an expected name
        contains that of the node."""
        is_called = False
        if node.op_type == 'Constant' and random.random() < .8:
            node.attribute.add(name='value', type=4, t=self.tensor(
                'other', prefix + node.output[0]))
        if random.random() < .3:
            is_called = True
            a = node.attribute.add(name='list', type=9)
            for i in range(2):
                a.tensors.append(self.tensor('', f'{prefix}{place}/list/{i}'))
        if random.random() < .2:
            is_called = True
            a = node.attribute.add(name='sp', type=11)
            self.sparse(a.sparse_tensor, 'v', f'{prefix}{place}/sp')
        if depth and random.random() < .6:
            is_called = True
            for name in 'then_branch', 'else_branch':
                node.attribute.add(name=name, type=5, g=self.graph(
                    f'{prefix}{place}/{name}/', depth - 1))
        if depth and random.random() < .2:
            is_called = True
            a = node.attribute.add(name='many', type=10)
            for i in range(2):
                a.graphs.append(self.graph(f'{prefix}{place}/many/{i}/',
                                           depth - 1))
        return is_called

    def whole(self):
        m = onnx.ModelProto(ir_version=random.randrange(3, 15))
        m.opset_import.add(domain='', version=21)
        m.producer_name = random.choice(('', 'pytorch'))
        m.graph.CopyFrom(self.graph('', 2))
        for i in range(random.randrange(2)):
            f = m.functions.add(name=f'f{i}', domain='d')
            f.node.extend(self.nodes(f'functions/d.f{i}/', 1))
        for i in range(random.randrange(2)):
            t = m.training_info.add()
            t.initialization.CopyFrom(
                self.graph(f'training/{i}/initialization/', 0))
            t.algorithm.CopyFrom(self.graph(f'training/{i}/algorithm/', 0))
        m.metadata_props.add(key='key', value='value')
        with open(self.path, 'wb') as file:
            file.write(m.SerializeToString())


def random_bytes(kind, count):
    bits = BITS[kind]
    data = bytearray(random.randbytes((count * bits + 7) // 8))
    if kind == 'BOOL':
        data = bytearray(b & 1 for b in data)
    rest = count * bits % 8
    if rest:
        data[-1] &= (1 << rest) - 1
    return bytes(data)


def fill(t, kind, count, data):
    """Stores the bytes in raw_data, or in the field of their type."""
    if random.random() < .5:
        t.raw_data = data
    elif kind in ('FLOAT', 'COMPLEX64'):
        t.float_data.extend(np.frombuffer(data, '<f4'))
    elif kind in ('DOUBLE', 'COMPLEX128'):
        t.double_data.extend(np.frombuffer(data, '<f8'))
    elif kind == 'INT64':
        t.int64_data.extend(np.frombuffer(data, '<i8').tolist())
    elif kind in ('UINT32', 'UINT64'):
        t.uint64_data.extend(
            np.frombuffer(data, f'<u{BITS[kind] // 8}').tolist())
    elif BITS[kind] == 6:
        whole = int.from_bytes(data, 'little')
        t.int32_data.extend(whole >> 6 * i & 63 for i in range(count))
    else:
        signed = kind in ('INT8', 'INT16', 'INT32')
        size = max(BITS[kind] // 8, 1)
        t.int32_data.extend(np.frombuffer(
            data, f'<{"i" if signed else "u"}{size}').tolist())


# --- What comes ------------------------------------------------------------


def run(command, text=True):
    done = subprocess.run(command, capture_output=True, text=text)
    if done.returncode:
        raise AssertionError(f'{command}: {done.stderr}')
    return done.stdout


def signalling(kind, data):
    """Stores NaNs in the form that Python's floats have in a field."""
    types = {'FLOAT': '<f4', 'COMPLEX64': '<f4'}
    if kind not in types:
        return data
    array = np.frombuffer(data, types[kind])
    return np.where(np.isnan(array), np.float32('nan'), array).tobytes()


def check_file(varve, model):
    out = model.path + '.npz'
    listed = json.loads(run([varve, 'ls', '--json', model.path]))
    if listed['format'] != 'onnx':
        raise AssertionError(listed['format'])
    run([varve, 'convert', '--force', model.path, out])
    arrays = np.load(out)
    found = {item['global_name'] or urllib.parse.unquote(item['path']): item
             for item in listed['items']}
    if set(found) != set(model.expected):
        raise AssertionError(
            f'{set(found) ^ set(model.expected)} on one side only')
    for name, (kind, shape, data) in model.expected.items():
        item = found[name]
        path = item['path']
        ours = OURS.get(kind, kind.lower())
        if kind in STATES:
            ours, shape = 'uint8', [len(data)]
        if kind not in STATES and [item['dtype'], item['shape']] != [
                ours, shape]:
            raise AssertionError(f'{name}: {item} for {kind} {shape}')
        if kind in STATES:
            got = run([varve, 'cat', model.path, path], text=False)
        elif kind == 'STRING':
            got = arrays[urllib.parse.unquote(path)].reshape(-1).tolist()
        else:
            got = arrays[urllib.parse.unquote(path)].tobytes()
        if got != data and (kind == 'STRING' or signalling(
                kind, got) != signalling(kind, data)):
            raise AssertionError(f'{name}: {kind}: {got} for {data}')
    return len(model.expected)


def main():
    varve = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    values = 0
    for i in range(seed, seed + count):
        random.seed(i)
        with tempfile.TemporaryDirectory() as folder:
            model = Model(folder, os.path.join(folder, 'file.onnx'))
            model.whole()
            try:
                values += check_file(varve, model)
            except AssertionError as error:
                print(f'{NAME}: seed {i}: {error}')
                return 1
    print(f'{NAME}: {count} files, {values} values, onnx {onnx.__version__}')
    return 0 if values else 1


sys.exit(main())
