#!/usr/bin/env python3
"""make_torch.py - Writes small files with torch.save (PyTorch 2.15.0).

    pip install torch==2.15.0 numpy
    python3 make_torch.py DIRECTORY

torch_state.pt: a state dict with every element type, and views of them.
torch_training.pt: a model, an optimizer with two groups in a different order,
numbers, strings, and Python objects. torch_unnamed.pt: the same model and
optimizer without `param_names`, as written before PyTorch 2.6.
torch_module.pt: a pickled module. torch_big.pt: a file of a big-endian
machine. torch_new.pt: protocol 5, without checksums. torch_legacy.pt: the
format before torch 1.6.

tests/unit/foreign/test_torch_in.c contains the expected values.

SPDX-License-Identifier: MIT
"""
import argparse
import collections
import os
import sys

import torch
from torch import nn

os.chdir(sys.argv[1])
torch.manual_seed(1)

types = (
    'float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 '
    'uint32 uint64 bool complex64 complex128 float8_e4m3fn float8_e5m2').split()
state = collections.OrderedDict()
for name in types:
    state[name] = torch.arange(6).reshape(2, 3).to(getattr(torch, name))
count = torch.arange(24.).reshape(4, 6)
state['view.transposed'] = count.t()
state['view.slice'] = count[1:3, ::2]
state['view.expanded'] = torch.tensor([1., 2.]).reshape(2, 1).expand(2, 3)
state['view.conjugate'] = torch.tensor([1 + 2j, 3 - 4j]).conj()
state['view.negative'] = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
state['scalar'] = torch.tensor(7)
state['empty'] = torch.zeros(0, 3)
state['tied.a'] = count
state['tied.b'] = count
state['parameter'] = nn.Parameter(torch.ones(2))
state['sparse'] = torch.eye(2).to_sparse()
state['quantized'] = torch.quantize_per_tensor(
    torch.ones(2), 0.5, 1, torch.qint8)
torch.save(state, 'torch_state.pt')


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.norm = nn.BatchNorm1d(4)
        self.last = nn.Linear(4, 2)

    def forward(self, x):
        return self.last(self.norm(self.first(x)))


net = Net()
decayed = [(n, p) for n, p in net.named_parameters() if p.dim() > 1]
others = [(n, p) for n, p in net.named_parameters() if p.dim() == 1]
optimizer = torch.optim.AdamW(
    [{'params': others, 'weight_decay': 0.}, {'params': decayed}], lr=1e-3)
for _ in range(2):
    net(torch.randn(5, 3)).square().sum().backward()
    optimizer.step()
kept = optimizer.state_dict()
# Fixed values, so that other versions of PyTorch write the same.
for tensors in (net.state_dict(), *kept['state'].values()):
    for i, t in enumerate(tensors.values()):
        t.copy_(torch.arange(t.numel()).reshape(t.shape) + 10 * i)
training = {
    'epoch': 3,
    'best': 0.25,
    'is_done': False,
    'run': 'grün',
    'seed': 2**63 + 1,
    'huge': 2**70,
    'losses': [0.5, 0.25],
    'steps': (1, 2, 3),
    'mixed': [1, 'two', None, (3.5, [])],
    'none': None,
    (1, 2): 'a key that is no text',
    1: 'one',
    'options': argparse.Namespace(lr=0.1, weights=torch.ones(2)),
    'device': torch.device('cpu'),
    'kind': torch.float16,
    'model': net.state_dict(),
    'optimizer': kept,
}
torch.save(training, 'torch_training.pt')
for group in kept['param_groups']:
    del group['param_names']
torch.save({k: training[k] for k in ('model', 'optimizer')},
           'torch_unnamed.pt')

torch.save(nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1)),
           'torch_module.pt')

torch.serialization.set_default_load_endianness(None)
small = {'f32': torch.arange(3.), 'i16': torch.arange(3, dtype=torch.int16),
         'u8': torch.arange(3, dtype=torch.uint8),
         'c64': torch.tensor([1 + 2j])}
torch.serialization.set_crc32_options(False)
torch.save(small, 'torch_new.pt', pickle_protocol=5)
torch.serialization.set_crc32_options(True)


def swap(tensor):
    size = tensor.dtype.itemsize // (2 if tensor.is_complex() else 1)
    raw = tensor.view(torch.uint8).reshape(-1, size)
    return raw.flip(1).reshape(-1).view(tensor.dtype)


# Like torch/serialization.py on a big-endian machine: elements are in machine
# order, and the byteorder record contains "big".
torch.save({'model': net.state_dict(), 'tied': net.state_dict()['first.bias'],
            'row': net.state_dict()['first.weight'][1],
            'half': torch.arange(3.).half()}, 'torch_legacy.pt',
           _use_new_zipfile_serialization=False)

before = sys.byteorder
sys.byteorder = 'big'
torch.save({k: swap(t) for k, t in small.items()}, 'torch_big.pt')
sys.byteorder = before
