#!/usr/bin/env python3
"""make_dcp.py - Writes dcp/ with torch.distributed.checkpoint (torch 2.15)
from two processes, and the files of torch_shards/ with torch.save, as Hugging
Face does.

    python3 make_dcp.py DIRECTORY

dcp/ contains the state dict of a model whose tensors are sharded by rows, by
columns or not at all, that of its optimizer, and objects that are not tensors.
tests/unit/foreign/test_dcp_in.c and test_torch_index.c contain the expected
values.

SPDX-License-Identifier: MIT
"""
import json
import os
import sys
import warnings

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.multiprocessing as mp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

os.chdir(sys.argv[1])
warnings.simplefilter('ignore')


def save(rank):
    dist.init_process_group('gloo', init_method=f'file://{os.getcwd()}/meet',
                            rank=rank, world_size=2)
    mesh = init_device_mesh('cpu', (2,))

    def shard(tensor, place):
        return distribute_tensor(tensor, mesh, [place])

    rows = torch.arange(15, dtype=torch.float32).reshape(5, 3)
    columns = torch.arange(20, dtype=torch.int64).reshape(4, 5)
    dcp.save({
        'model': {'w.rows': shard(rows, Shard(0)),
                  'w.columns': shard(columns, Shard(1)),
                  'w.turned': shard(columns.t(), Shard(0)),
                  'w.whole': shard(torch.tensor(1.5), Replicate())},
        'optim': {'state': {'w.rows': {'exp_avg': shard(-rows, Shard(0)),
                                       'step': torch.tensor(7.)}},
                  'param_groups': [{'params': ['w.rows'], 'lr': 0.5}]},
        'epoch': 3, 'pair': (torch.tensor([8, 9]), 'text')},
        checkpoint_id='dcp', no_dist=False)
    dist.barrier()
    dist.destroy_process_group()


mp.start_processes(save, nprocs=2, start_method='fork')
os.remove('meet') if os.path.exists('meet') else None

os.makedirs('torch_shards', exist_ok=True)
tied = torch.arange(6.).reshape(2, 3)
torch.save({'a.weight': tied, 'b.weight': tied},
           'torch_shards/pytorch_model-00001-of-00002.bin')
torch.save({'c.bias': torch.arange(4).to(torch.int16)},
           'torch_shards/pytorch_model-00002-of-00002.bin',
           _use_new_zipfile_serialization=False)
with open('torch_shards/pytorch_model.bin.index.json', 'w') as index:
    json.dump({'metadata': {'total_size': 32}, 'weight_map': {
        'a.weight': 'pytorch_model-00001-of-00002.bin',
        'b.weight': 'pytorch_model-00001-of-00002.bin',
        'c.bias': 'pytorch_model-00002-of-00002.bin'}}, index, indent=2)
    index.write('\n')
