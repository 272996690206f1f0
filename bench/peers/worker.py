#!/usr/bin/env python3
"""worker.py - Runs one Python library in a separate process.

    worker.py PEER SCRATCH MODELS

Reads a command per line like worker.c, and answers each with a line of JSON:
{"t": seconds}, {"absent": reason} or {"error": reason}. Each library is used
in its usual way. A save is the library's own call followed by fsync of all
files and folders it created, so that all are equally durable.

SPDX-License-Identifier: MIT
"""
import copy
import json
import mmap
import os
import shutil
import sys
import time
import warnings

import model

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
warnings.filterwarnings('ignore')

now = time.perf_counter


def sync(path):
    file = os.open(path, os.O_RDONLY)
    os.fsync(file)
    os.close(file)


class Peer:
    """Base class: saves arrays of NumPy by name in one file."""
    suffix = ''

    def __init__(self, scratch, models):
        self.scratch, self.models = scratch, models
        self.targets = self.copies = None
        self.load()

    def load(self):
        """Imports the library and returns its version."""
        import numpy
        self.np = numpy
        self.version = numpy.__version__

    def model(self, name):
        self.release()
        path = os.path.join(self.models, name + '.bin')
        with open(path, 'rb') as file:
            self.map = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE,
                                 prot=mmap.PROT_READ | mmap.PROT_WRITE)
        whole = self.np.frombuffer(self.map, self.np.uint8)
        whole[::4096].sum()  # reads every page, so that all of it is in memory
        self.arrays = {
            tensor: whole[at:at + size].view(self.np.float32)
            for tensor, at, size in model.read_spec(self.models, name)}
        self.path = os.path.join(
            self.scratch, f'{self.key}.{name}{self.suffix}')
        self.begin()

    def begin(self):
        """Creates the objects to save."""

    def files(self):
        """Yields every file and folder of a save, and the parent folder."""
        stem = os.path.basename(self.path)
        for entry in os.listdir(self.scratch):
            path = os.path.join(self.scratch, entry)
            if not entry.startswith(stem):
                continue
            yield path
            for base, _, names in os.walk(path):
                yield base
                yield from (os.path.join(base, n) for n in names)
        yield self.scratch

    def remove(self):
        for path in list(self.files())[:-1]:
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.unlink(path)

    def save(self):
        self.remove()
        begin = now()
        self.write()
        for path in self.files():
            sync(path)
        return now() - begin

    def new_targets(self):
        return {n: self.np.ones_like(a) for n, a in self.arrays.items()}

    def need_targets(self):
        if self.targets is None:
            self.targets = self.new_targets()

    def into(self):
        """Restores into existing memory."""
        self.need_targets()
        begin = now()
        self.read_into()
        return now() - begin

    def list(self):
        begin = now()
        self.names()
        return now() - begin

    def value(self, name):
        return self.np.asarray(self.targets[name])

    def check(self):
        """Raises ValueError unless the restored values equal the saved ones,
        bit for bit."""
        same = all(
            self.np.array_equal(self.value(n).view(self.np.uint8),
                                a.view(self.np.uint8))
            for n, a in self.arrays.items())
        if not same:
            raise ValueError('restored values differ from the saved ones')

    def release(self):
        self.targets = self.copies = None


class Npz(Peer):
    key, suffix = 'npz', '.npz'

    def write(self):
        self.np.savez(self.path, **self.arrays)

    def read_into(self):
        with self.np.load(self.path) as file:
            for name, target in self.targets.items():
                target[...] = file[name]

    def names(self):
        with self.np.load(self.path) as file:
            return file.files

    def snapshot(self):
        """Copies all values to new memory."""
        self.need_targets()
        self.copies = None
        begin = now()
        self.copies = {n: a.copy() for n, a in self.targets.items()}
        return now() - begin

    def snapshot_again(self):
        """Copies all values to existing memory."""
        if self.copies is None:
            self.snapshot()
        begin = now()
        for name, copied in self.copies.items():
            self.np.copyto(copied, self.targets[name])
        return now() - begin


class H5py(Peer):
    key, suffix = 'h5py', '.h5'

    def load(self):
        import h5py
        Peer.load(self)
        self.h5py = h5py
        self.version = f'{h5py.__version__}, HDF5 {h5py.version.hdf5_version}'

    def write(self):
        with self.h5py.File(self.path, 'w', libver='latest') as file:
            for name, array in self.arrays.items():
                file.create_dataset(name, data=array)

    def read_into(self):
        with self.h5py.File(self.path, 'r') as file:
            for name, target in self.targets.items():
                file[name].read_direct(target)

    def names(self):
        names = []
        with self.h5py.File(self.path, 'r') as file:
            file.visit(names.append)
        return names

    def load_file(self, path):
        """Reads all values into new memory."""
        names, begin = list(self.arrays), now()
        with self.h5py.File(path, 'r') as file:
            loaded = [file[name][()] for name in names]
        time = now() - begin
        del loaded
        return time

    def list_file(self, path):
        """Reads name, type and shape of each value."""
        begin = now()
        listed = []
        with self.h5py.File(path, 'r') as file:
            file.visititems(lambda name, item: listed.append(
                (name, getattr(item, 'dtype', None),
                 getattr(item, 'shape', None))))
        return now() - begin


class Adios2(Peer):
    key, suffix = 'adios2', '.bp'

    def load(self):
        import adios2
        Peer.load(self)
        self.adios2 = adios2
        self.version = getattr(adios2, '__version__', '?')

    def write(self):
        with self.adios2.Stream(self.path, 'w') as stream:
            stream.begin_step()
            for name, array in self.arrays.items():
                stream.write(name, array, [array.size], [0], [array.size])
            stream.end_step()

    def read_into(self):
        with self.adios2.FileReader(self.path) as file:
            for name, target in self.targets.items():
                target[...] = file.read(name)

    def names(self):
        with self.adios2.FileReader(self.path) as file:
            return list(file.available_variables())


class Zarr(Peer):
    """Arrays of one chunk each, not compressed."""
    key, suffix = 'zarr', '.zarr'

    def load(self):
        import zarr
        Peer.load(self)
        self.zarr = zarr
        self.version = zarr.__version__

    def write(self):
        group = self.zarr.open_group(self.path, mode='w', zarr_format=3)
        for name, array in self.arrays.items():
            group.create_array(name, data=array, chunks=array.shape,
                               compressors=None)

    def read_into(self):
        group = self.zarr.open_group(self.path, mode='r')
        for name, target in self.targets.items():
            target[...] = group[name][...]

    def names(self):
        group = self.zarr.open_group(self.path, mode='r')
        return [name for name, item in group.members(max_depth=None)
                if isinstance(item, self.zarr.Array)]


class Orbax(Peer):
    """Orbax writes with TensorStore. It restores to new arrays."""
    key, suffix = 'orbax', '.orbax'

    def load(self):
        import orbax.checkpoint
        Peer.load(self)
        self.checkpointer = orbax.checkpoint.PyTreeCheckpointer()
        self.version = orbax.checkpoint.__version__

    def write(self):
        self.checkpointer.save(os.path.abspath(self.path), self.arrays)

    def read_into(self):
        self.targets = self.checkpointer.restore(os.path.abspath(self.path))

    def names(self):
        found = self.checkpointer.metadata(os.path.abspath(self.path))
        return list(found.item_metadata)


class Torch(Peer):
    key, suffix = 'torch', '.pt'

    def load(self):
        import torch
        Peer.load(self)
        self.torch = torch
        self.version = torch.__version__

    def begin(self):
        self.state = {
            n: self.torch.from_numpy(a) for n, a in self.arrays.items()}

    def new_targets(self):
        return {n: self.torch.ones(a.shape) for n, a in self.arrays.items()}

    def write(self):
        self.torch.save(self.state, self.path)

    def copy_all(self, pairs):
        with self.torch.no_grad():
            for name, tensor in pairs:
                self.targets[name].copy_(tensor)

    def read_into(self):
        state = self.torch.load(self.path, mmap=True)
        self.copy_all(state.items())

    def names(self):
        return list(self.torch.load(self.path, mmap=True))

    def load_from(self, path, is_mapped):
        self.loaded = None
        begin = now()
        self.loaded = self.torch.load(path, mmap=is_mapped, weights_only=True)
        time = now() - begin
        self.loaded = None
        return time

    def load_file(self, path):
        return self.load_from(path, False)

    def load_mapped(self, path):
        return self.load_from(path, True)

    def snapshot(self):
        """Copies all values in memory with the library's own call."""
        self.need_targets()
        self.copies = None
        begin = now()
        self.copies = copy.deepcopy(self.targets)
        return now() - begin

    def snapshot_again(self):
        """The same into an existing copy."""
        if self.copies is None:
            self.snapshot()
        begin = now()
        with self.torch.no_grad():
            for name, copied in self.copies.items():
                copied.copy_(self.targets[name])
        return now() - begin


class Safetensors(Torch):
    key, suffix = 'safetensors', '.safetensors'

    def load(self):
        import safetensors
        import safetensors.torch
        Torch.load(self)
        self.safetensors = safetensors
        self.version = safetensors.__version__

    def write(self):
        self.safetensors.torch.save_file(self.state, self.path)

    def read_into(self):
        with self.safetensors.safe_open(self.path, 'pt') as file:
            self.copy_all((n, file.get_tensor(n)) for n in file.keys())

    def names(self):
        with self.safetensors.safe_open(self.path, 'pt') as file:
            return list(file.keys())


class Dcp(Torch):
    """torch.distributed.checkpoint in a single process."""
    key, suffix = 'dcp', '.dcp'

    def load(self):
        import logging
        Torch.load(self)
        logging.disable(logging.CRITICAL)
        import torch.distributed as distributed
        import torch.distributed.checkpoint as dcp
        self.dcp = dcp
        distributed.init_process_group(
            'gloo', store=distributed.HashStore(), rank=0, world_size=1)

    def write(self):
        self.dcp.save(self.state, checkpoint_id=self.path)

    def read_into(self):
        self.dcp.load(self.targets, checkpoint_id=self.path)

    def names(self):
        reader = self.dcp.FileSystemReader(self.path)
        return list(reader.read_metadata().state_dict_metadata)

    def background(self):
        """Measures how long a save blocks the caller."""
        self.remove()
        begin = now()
        future = self.dcp.async_save(self.state, checkpoint_id=self.path)
        blocked = now() - begin
        future.result()
        return blocked


class TensorFlow(Peer):
    """tf.train.Checkpoint with write and read."""
    key = 'tensorflow'

    def load(self):
        import tensorflow
        Peer.load(self)
        self.tf = tensorflow
        self.version = tensorflow.__version__

    def begin(self):
        self.variables = self.tree = None

    def need_variables(self):
        if self.tree is not None:
            return
        tf = self.tf
        self.variables = {n: tf.Variable(a) for n, a in self.arrays.items()}
        root = {}
        for name, variable in self.variables.items():
            at = root
            *parts, last = name.split('/')
            for part in parts:
                at = at.setdefault(part, {})
            at[last] = variable

        def tree(node):
            return tf.train.Checkpoint(**{
                k: tree(v) if isinstance(v, dict) else v
                for k, v in node.items()})
        self.tree = tree(root)

    def save(self):
        self.need_variables()
        return Peer.save(self)

    def write(self):
        self.tree.write(self.path)

    def into(self):
        self.need_variables()
        for variable in self.variables.values():
            variable.assign(self.tf.ones(variable.shape))
        begin = now()
        self.tree.read(self.path).assert_consumed()
        return now() - begin

    def background(self):
        """Measures how long a save blocks the caller."""
        self.need_variables()
        self.remove()
        options = self.tf.train.CheckpointOptions(
            experimental_enable_async_checkpoint=True)
        begin = now()
        self.tree.write(self.path, options=options)
        blocked = now() - begin
        self.tree.sync()
        return blocked

    def value(self, name):
        return self.variables[name].numpy()

    def names(self):
        return self.tf.train.list_variables(self.path)

    def release(self):
        self.variables = self.tree = None


PEERS = {peer.key: peer for peer in (
    Npz, H5py, Adios2, Zarr, Orbax, Torch, Safetensors, Dcp, TensorFlow)}


def answer(peer, line):
    name, *rest = line.split()
    call = getattr(peer, name, None)
    if not call:
        return {'absent': 'has no such call'}
    try:
        return {'t': call(*rest)}
    except Exception as error:  # any exception of a library is reported
        return {'error': f'{type(error).__name__}: {str(error)[:200]}'}


def main():
    out = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)  # the library's own output is not an answer

    def say(message):
        print(json.dumps(message), file=out, flush=True)
    try:
        peer = PEERS[sys.argv[1]](*sys.argv[2:4])
    except ImportError as error:
        say({'absent': str(error)[:200]})
        return
    say({'version': peer.version})
    for line in sys.stdin:
        say(answer(peer, line))


main()
