"""torch_tar.py - Writes tar archives like torch.save before torch 0.1.10.

No later version of torch writes this format. Its reader is the function
`legacy_load` of torch/serialization.py. Keys, which were addresses, are
sequential here.

SPDX-License-Identifier: MIT
"""
import collections
import copyreg
import io
import pickle
import struct
import tarfile

import torch
from torch import nn

# The element types of that version.
TYPES = 'float32 float64 float16 int8 int16 int32 int64 uint8'.split()

FIRST_KEY = 140000000000000  # an address on a 64-bit machine


class Writer:
    def __init__(self):
        self.keys = {}       # keys by address of the elements
        self.storages = {}   # (bytes, class) by key
        self.views = []      # (key, root, offset, count)
        self.tensors = {}    # (tensor, key of the storage) by key
        self.classes = set()

    def key(self, what):
        return self.keys.setdefault(what, FIRST_KEY + 16 * len(self.keys))

    def storage(self, tensor):
        untyped = tensor.untyped_storage()
        key = self.key(('storage', untyped._cdata))
        kind = tensor.type().replace('Tensor', 'Storage')[len('torch.'):]
        self.storages[key] = bytes(untyped), getattr(torch, kind)
        return key

    def tensor(self, tensor, storage=None):
        # Equal objects were one tensor in that version.
        key = self.key((tensor.untyped_storage()._cdata, tensor.shape,
                        tensor.stride(), tensor.storage_offset(), storage))
        self.tensors[key] = tensor, storage or self.storage(tensor)
        return key

    def view(self, tensor, offset, count):
        """A storage that is part of another."""
        key = self.key(('view', len(self.views)))
        self.views.append((key, self.storage(tensor), offset, count))
        return key


class View:
    """A tensor on a part of another tensor's storage."""

    def __init__(self, tensor, offset, count):
        self.of, self.offset, self.count = tensor, offset, count


class Pickler(pickle.Pickler):
    def __init__(self, file, writer):
        super().__init__(file, 2)
        self.writer = writer

    def persistent_id(self, o):
        if isinstance(o, type) and issubclass(o, nn.Sequential) and \
                o not in self.writer.classes:
            self.writer.classes.add(o)
            return o, 'container.py', ''
        if isinstance(o, View):
            storage = self.writer.view(o.of, o.offset, o.count)
            flat = o.of.flatten()[:o.count]
            return str(self.writer.tensor(flat, storage))
        if type(o) is torch.Tensor:
            return str(self.writer.tensor(o))
        return None

    def reducer_override(self, o):
        if type(o) is nn.Parameter:  # as with torch.autograd.Variable
            return (copyreg.__newobj__, (nn.Parameter, o.data),
                    (o.requires_grad, False, collections.OrderedDict()))
        return NotImplemented


def dump(o):
    return pickle.dumps(o, 2)


def add(tar, name, data):
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(data), 0o600, 1485000000.5
    tar.addfile(info, io.BytesIO(data))


def save(o, path):
    writer, objects = Writer(), io.BytesIO()
    Pickler(objects, writer).dump(o)
    tensors = dump(len(writer.tensors))
    views = [key for key, *_ in writer.views]
    for key, (t, storage) in writer.tensors.items():
        kind = getattr(torch, t.type()[len('torch.'):])
        tensors += dump((key, storage, kind))
        offset = 0 if storage in views else t.storage_offset()
        tensors += struct.pack(f'<q{2 * t.dim() + 1}q', t.dim(), *t.shape,
                               *t.stride(), offset)
    storages = dump(len(writer.storages))
    for key, (data, kind) in writer.storages.items():
        storages += dump((key, 'cpu', kind))
        count = len(data) // torch.tensor([], dtype=kind._dtype).itemsize
        storages += struct.pack('<q', count) + data
    storages += dump(writer.views)
    with tarfile.open(path, 'w:', format=tarfile.PAX_FORMAT) as tar:
        add(tar, 'sys_info', dump({
            'protocol_version': 1000, 'little_endian': True,
            'type_sizes': {'short': 2, 'int': 4, 'long': 8}}))
        add(tar, 'pickle', objects.getvalue())
        add(tar, 'tensors', tensors)
        add(tar, 'storages', storages)
