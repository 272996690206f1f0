#!/usr/bin/env python3
"""make_torch_tar.py - Writes torch_tar.pt, a tar archive in the format of
torch.save before torch 0.1.10, and loads it with torch (PyTorch 2.15.0).

    pip install torch==2.15.0 numpy
    python3 make_torch_tar.py DIRECTORY

tests/unit/foreign/test_torch_tar.c contains the expected values.

SPDX-License-Identifier: MIT
"""
import collections
import os
import sys
import warnings

import torch
from torch import nn

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', '..', 'interop'))
import torch_tar  # noqa: E402


def main():
    os.chdir(sys.argv[1])
    state = collections.OrderedDict(
        (n, torch.arange(6).reshape(2, 3).to(getattr(torch, n)))
        for n in torch_tar.TYPES)
    rows = torch.arange(24.).reshape(4, 6)
    model = nn.Sequential(nn.Linear(2, 1))
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor([[1., 2.]]))
        model[0].bias.copy_(torch.tensor([3.]))
    o = {'types': state, 'epoch': 3, 'best': 0.25, 'losses': [0.5, 0.25],
         'name': 'grün', 'transposed': rows.t(), 'slice': rows[1:3, ::2],
         'tied': {'a': rows, 'b': rows}, 'view': torch_tar.View(rows, 6, 4),
         'model': model}
    torch_tar.save(o, 'torch_tar.pt')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        found = torch.load('torch_tar.pt', weights_only=False)
    for name, t in state.items():
        assert torch.equal(found['types'][name], t), name
    for name in ('transposed', 'slice'):
        assert torch.equal(found[name], o[name]), name
    assert torch.equal(found['view'], rows[1, :4])
    assert found['tied']['a'] is found['tied']['b']
    assert torch.equal(found['model'][0].weight, model[0].weight)
    assert torch.equal(found['model'][0].bias, model[0].bias)
    assert found['epoch'] == 3 and found['name'] == 'grün'


if __name__ == '__main__':
    main()
