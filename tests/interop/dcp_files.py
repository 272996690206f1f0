#!/usr/bin/env python3
"""dcp_files.py - Tests the command on files of torch.distributed.checkpoint
and on sharded files of Hugging Face, bit for bit.

    dcp_files.py VARVE [COUNT [SEED]]

Directories are written by one process, and by four that have a shard of every
tensor: along one dimension or two, even or uneven, some empty. Parts of
sharded tensors are read too. Models have optimizers, whose slots must refer to
the right parameters. Torch is found as by torch_files.py.

SPDX-License-Identifier: MIT
"""
import json
import logging
import os
import random
import sys
import tempfile
import time
import warnings

from torch_objects import File, np, raw, random_object, run, torch, values_of

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.multiprocessing as mp
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions, get_state_dict)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

NAME = 'dcp files'
WORLD = 4
KEYS = ['a', 'weight', 'x/y', 'layer 1']
TYPES = [torch.float32, torch.float64, torch.bfloat16, torch.int64,
         torch.uint8, torch.complex64, torch.bool]


# --- By four processes -----------------------------------------------------


def random_whole():
    kind = random.choice(TYPES)
    shape = [random.randrange(1, 12) for _ in range(random.randrange(1, 4))]
    noise = np.random.bytes(int(np.prod(shape)) * kind.itemsize)
    if kind == torch.bool:
        noise = bytes(b & 1 for b in noise)
    return torch.frombuffer(bytearray(noise), dtype=kind).reshape(shape)


def random_places(rank, dimensions):
    return [Replicate() if random.random() < .2 else
            Shard(random.randrange(rank)) for _ in range(dimensions)]


def random_sharded(meshes):
    """A tensor and the shard of this process."""
    whole = random_whole()
    mesh = random.choice(meshes)
    while True:
        places = random_places(whole.dim(), mesh.ndim)
        shards = [p.dim for p in places if isinstance(p, Shard)]
        if len(set(shards)) == len(shards) or random.random() < .3:
            break
    if random.random() < .2 and whole.dim() > 1:
        whole = whole.transpose(0, -1)
    return whole, distribute_tensor(whole, mesh, places)


def save_shards(rank, folder, count, seed):
    """Runs in every process: writes the shards of the same tensors."""
    warnings.simplefilter('ignore')
    logging.disable()
    torch.set_num_threads(1)
    dist.init_process_group('gloo', init_method=f'file://{folder}/meet',
                            rank=rank, world_size=WORLD)
    meshes = [init_device_mesh('cpu', (WORLD,)),
              init_device_mesh('cpu', (2, WORLD // 2))]
    for i in range(count):
        random.seed(seed + i)
        np.random.seed(seed + i)
        every = {name: random_sharded(meshes)
                 for name in ('a', 'b.c', 'd', 'x/y')}
        state = {name: shard for name, (_, shard) in every.items()}
        dcp.save({'model': state, 'epoch': i, 'rates': [0.5, i]},
                 checkpoint_id=f'{folder}/{i}', no_dist=False)
        if rank == 0:
            torch.save({name: whole for name, (whole, _) in every.items()},
                       f'{folder}/{i}.whole')
    dist.barrier()
    dist.destroy_process_group()


def random_part(shape):
    """Returns a slice as NumPy has it, and as text."""
    part = []
    for extent in shape:
        begin = random.randrange(extent)
        part.append(slice(begin, random.randrange(begin, extent) + 1))
    return tuple(part), ','.join(f'{s.start}:{s.stop}' for s in part)


def check_part(varve, path, name, whole):
    part, text = random_part(whole.shape)
    out = path + '.part'
    run([varve, 'cat', '--force', '--output', out, f'--slice={text}', path,
         'model/' + name.replace('/', '%2F')])
    with open(out, 'rb') as file:
        if file.read() != raw(whole[part]):
            raise AssertionError(f'{path}: {name}[{text}] differs')


def check_shards(varve, folder, number):
    path = f'{folder}/{number}'
    whole = torch.load(path + '.whole', weights_only=True)
    file = File(varve, path)
    for name, tensor in whole.items():
        found = file.bytes_of(('model', name))
        if found != raw(tensor):
            raise AssertionError(f'{path}: {name}: {found} for {tensor}')
        check_part(varve, path, name, tensor)
    if file.bytes_of(('epoch',)) != number.to_bytes(8, 'little'):
        raise AssertionError(f'{path}: the epoch differs')
    run([varve, 'verify', path])
    return count_pieces(path), len(whole)


def count_pieces(path):
    metadata = dcp.FileSystemReader(path).read_metadata()
    return sum(len(getattr(m, 'chunks', ()))
               for m in metadata.state_dict_metadata.values())


def check_processes(varve, folder, count, seed):
    """Returns the numbers of shards and of slices read."""
    os.makedirs(folder)
    mp.start_processes(save_shards, (folder, count, seed), nprocs=WORLD,
                       start_method='fork')
    every = [check_shards(varve, folder, i) for i in range(count)]
    return [sum(c) for c in zip(*every)]


# --- By one ----------------------------------------------------------------


def check_object(varve, path):
    tensors = []
    o = {f'k{i}': random_object(2, tensors, KEYS) for i in range(8)}
    dcp.save(o, checkpoint_id=path)
    file = File(varve, path)
    count = 0
    for where, expected in values_of(o):
        found = file.bytes_of(where)
        if found != expected:
            raise AssertionError(f'{where}: {found} for {expected}')
        count += 1
    return count


def check_optimizer(varve, path):
    """Returns the number of slots: those of names, flattened or not."""
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2),
                                torch.nn.Linear(2, random.randrange(1, 4)))
    optimizer = random.choice((torch.optim.Adam, torch.optim.RMSprop))(
        model.parameters())
    for p in model.parameters():
        p.grad = torch.randn(p.shape)
    optimizer.step()
    is_flat = random.random() < .5
    weights, kept = get_state_dict(
        model, optimizer,
        options=StateDictOptions(flatten_optimizer_state_dict=is_flat))
    dcp.save({'model': weights, 'optim': kept}, checkpoint_id=path)
    file = File(varve, path)
    numbers = {file.find(('model', name)): name
               for name, _ in model.named_parameters()}
    for slot in file.slots:
        name = numbers[slot['variable']]
        where = ('optim', f'state.{name}.{slot["name"]}') if is_flat else (
            'optim', 'state', name, slot['name'])
        if file.find(where) != slot['node']:
            raise AssertionError(f'{slot} is not {where}')
    wanted = len(numbers) * len(optimizer.state[next(model.parameters())])
    if len(file.slots) != wanted:
        raise AssertionError(f'{len(file.slots)} slots, expected {wanted}')
    return len(file.slots)


# --- Files with an index ---------------------------------------------------


def check_index(varve, folder):
    """Writes like Hugging Face for large models."""
    os.makedirs(folder)
    names = [f'layer.{i}.weight' for i in range(random.randrange(1, 9))]
    whole = {name: random_whole() for name in names}
    shards = random.randrange(1, 4)
    files = {name: f'pytorch_model-{random.randrange(shards):05}.bin'
             for name in names}
    for file in set(files.values()):
        torch.save({n: whole[n] for n in names if files[n] == file},
                   os.path.join(folder, file),
                   _use_new_zipfile_serialization=random.random() < .7)
    with open(folder + '/pytorch_model.bin.index.json', 'w') as index:
        json.dump({'metadata': {'total_size': 1}, 'weight_map': files}, index)
    file = File(varve, folder)
    for name, tensor in whole.items():
        if file.bytes_of((name,)) != raw(tensor):
            raise AssertionError(f'{folder}: {name} differs')
    return len(names)


def check_hugging_face(varve, path):
    """Reads safetensors files of the Hugging Face writer for
    torch.distributed."""
    whole = {f'w{i}': random_whole().to(torch.float32) for i in range(3)}
    dcp.save(whole, storage_writer=dcp.HuggingFaceStorageWriter(
        path, fqn_to_index_mapping={'w0': 1, 'w1': 2, 'w2': 2}))
    file = File(varve, path)
    for name, tensor in whole.items():
        if file.bytes_of((name,)) != raw(tensor):
            raise AssertionError(f'{path}: {name} differs')
    return len(whole)


# --- All -------------------------------------------------------------------


def check_seed(varve, folder, seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    checks = [check_object, check_optimizer, check_index, check_hugging_face]
    return [check(varve, f'{folder}/{seed}-{i}')
            for i, check in enumerate(checks)]


def main():
    warnings.simplefilter('ignore')
    logging.disable()
    varve = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if not dist.is_available() or not dist.is_gloo_available():
        print(f'{NAME}: skipped, torch has no gloo')
        return 77
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            pieces, parts = check_processes(
                varve, folder + '/four', count, seed)
            every = [check_seed(varve, folder, seed + i) for i in range(count)]
        except AssertionError as error:
            print(f'{NAME}: {error}')
            return 1
    values, slots, sharded, safe = [sum(c) for c in zip(*every)]
    print(f'{NAME}: {count} directories of {WORLD} processes, {pieces} pieces, '
          f'{parts} parts of tensors; {count} of one, {values} values, {slots} '
          f'slots; {sharded} tensors in .bin files and {safe} in safetensors; '
          f'torch {torch.__version__}, {time.monotonic() - begin:.0f} s')
    return 0


if __name__ == '__main__':
    sys.exit(main())
