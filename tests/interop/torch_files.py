#!/usr/bin/env python3
"""torch_files.py - PyTorch, alive: random objects through torch.save, and our
command on them, bit for bit.

    torch_files.py VARVE [COUNT [SEED]]

Objects are dicts and lists of tensors of any type, shape and strides, numbers
and texts; models with optimizers whose groups are in any order, where a slot
has to be that of its parameter or not to be there. Torch is taken from the
Python that runs this, or from the virtual environment that VARVE_INTEROP names;
where it is in neither, the test is skipped.

SPDX-License-Identifier: MIT
"""
import collections
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import urllib.parse

SKIP = 77
NAME = 'torch files'
TYPES = ('float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 '
         'uint32 uint64 complex64 complex128 float8_e4m3fn '
         'float8_e5m2').split()
KEYS = ['a', 'b.c', 'weight', 'x/y', 1, 2, (1, 2), None, True, 0.5]


def find_torch():
    """Starts again with the Python of the environment, at most once."""
    if importlib.util.find_spec('torch') and importlib.util.find_spec('numpy'):
        return
    directory = os.environ.pop('VARVE_INTEROP', None)
    if directory:
        python = os.path.join(directory, 'bin', 'python')
        if os.access(python, os.X_OK):
            os.execv(python, [python, '-B'] + sys.argv)
    print(f'{NAME}: skipped, there is no torch')
    sys.exit(SKIP)


find_torch()
import numpy as np  # noqa: E402
import torch  # noqa: E402


# --- Objects ---------------------------------------------------------------


def random_tensor():
    kind = getattr(torch, random.choice(TYPES))
    shape = [random.choice((0, 1, 2, 3, 4, 5)) for _ in range(
        random.randrange(4))]
    t = torch.empty(shape, dtype=kind)
    noise = np.random.bytes(t.numel() * kind.itemsize)
    if noise:
        t = torch.frombuffer(bytearray(noise), dtype=kind).reshape(shape)
    for _ in range(random.randrange(3)):
        t = random.choice(VIEWS)(t)
    return t


VIEWS = [
    lambda t: t.transpose(0, -1) if t.dim() else t,
    lambda t: t[1:] if t.dim() else t,
    lambda t: t[..., ::2] if t.dim() else t,
    lambda t: t.unsqueeze(0).expand(3, *t.shape),
    lambda t: t.conj() if t.is_complex() else t,
    lambda t: t.conj().imag if t.is_complex() and t.numel() else t,
    lambda t: torch.nn.Parameter(t) if t.is_floating_point() else t,
]


def random_object(depth, tensors):
    kind = random.random()
    if kind < .5:
        if not tensors or random.random() < .8:
            tensors.append(random_tensor())
        return random.choice(tensors)
    if depth and kind < .75:
        return random.choice((dict, collections.OrderedDict))(
            (random.choice(KEYS), random_object(depth - 1, tensors))
            for _ in range(random.randrange(5)))
    if depth and kind < .85:
        return random.choice((list, tuple))(
            random_object(depth - 1, tensors)
            for _ in range(random.randrange(4)))
    return random.choice(
        [3, -7, 2**40, 2**63 + 1, 0.5, -1e300, True, False, 'text', 'gr\u00fcn',
         b'by\0\xff', None, np.float64(0.5), np.float32(-1.5), np.int16(7)])


# --- What has to come ------------------------------------------------------


def raw(value):
    """The bytes that a value has here."""
    if isinstance(value, torch.Tensor):
        whole = torch.empty(value.shape, dtype=value.dtype)
        whole.copy_(value.detach().resolve_conj().resolve_neg())
        return whole.reshape(-1).view(torch.uint8).numpy().tobytes()
    if isinstance(value, bool):
        return bytes([value])
    if isinstance(value, int):
        return value.to_bytes(8, 'little', signed=value < 2**63)
    if isinstance(value, str):
        return value.encode()
    return value if isinstance(value, bytes) else np.asarray(value).tobytes()


def is_vector(o):
    return isinstance(o, (list, tuple)) and o and all(
        type(x) in (int, float) and abs(x) < 2**62 or type(x) is float
        for x in o)


def values_of(o, path=()):
    """Each path with what is there; without None, which is not."""
    if isinstance(o, dict):
        for i, (key, value) in enumerate(o.items()):
            name = key if isinstance(key, str) else repr(key)
            name = f'<{i}>' if isinstance(key, tuple) else name
            yield from values_of(value, path + (name,))
    elif is_vector(o):
        kind = 'f8' if any(type(x) is float for x in o) else 'i8'
        yield path, np.array(o, kind).tobytes()
    elif isinstance(o, (list, tuple)):
        for i, value in enumerate(o):
            yield from values_of(value, path + (str(i),))
    elif o is not None:
        yield path, raw(o)


# --- What comes ------------------------------------------------------------


class File:
    def __init__(self, varve, path):
        out = path + '.npz'
        run([varve, 'convert', '--force', path, out])
        listed = json.loads(run([varve, 'ls', '--json', path]))
        self.arrays = np.load(out)
        self.edges = {o['id']: {e['name']: e['node'] for e in o['edges']}
                      for o in listed['objects']}
        self.slots = [s for o in listed['objects'] for s in o['slots']]
        self.names = {i['id']: urllib.parse.unquote(i['path'])
                      for i in listed['items']}

    def find(self, path):
        node = 0
        for name in path:
            node = self.edges.get(node, {}).get(name)
        return node

    def bytes_of(self, path):
        name = self.names.get(self.find(path or ('value',)))
        if name not in self.arrays:
            return None
        array = self.arrays[name]
        return array.item() if array.dtype.kind == 'S' else array.tobytes()


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f'{command}: {done.stderr}')
    return done.stdout


def save(o, path):
    """As an archive, or as before torch 1.6, which cannot have a storage that
    is seen as two types."""
    options = {'pickle_protocol': random.choice((2, 2, 2, 3, 4, 5))}
    try:
        torch.save(o, path, _use_new_zipfile_serialization=random.random() < .8,
                   **options)
    except RuntimeError:
        torch.save(o, path, **options)


def check_object(varve, path):
    tensors = []
    o = {str(i): random_object(2, tensors) for i in range(8)}
    if random.random() < .1:
        o = random_object(1, tensors)
    torch.serialization.set_crc32_options(random.random() < .8)
    save(o, path)
    file = File(varve, path)
    count = 0
    for where, expected in values_of(o):
        found = file.bytes_of(where)
        if found != expected:
            raise AssertionError(f'{where}: {found} for {expected}')
        count += 1
    return count


# --- Optimizers ------------------------------------------------------------


def random_model():
    layers = []
    for _ in range(random.randrange(1, 5)):
        a, b = random.randrange(1, 4), random.randrange(1, 4)
        layers.append(random.choice((
            torch.nn.Linear(a, b), torch.nn.Linear(a, b, bias=False),
            torch.nn.BatchNorm1d(a), torch.nn.LayerNorm(a),
            torch.nn.Embedding(a, b))))
    return torch.nn.Sequential(*layers)


def random_groups(model):
    every = list(model.parameters())
    choice = random.randrange(3)
    if choice == 0:
        return [every]
    if choice == 1:
        return [g for g in ([p for p in every if p.dim() > 1],
                            [p for p in every if p.dim() < 2]) if g]
    at = random.randrange(len(every))
    return [g for g in (every[at:], every[:at]) if g]


def check_optimizer(varve, path):
    """How many slots there are: each that of its own parameter."""
    model = random_model()
    groups = random_groups(model)
    optimizer = torch.optim.Adam([{'params': g} for g in groups])
    for p in model.parameters():
        p.grad = torch.randn(p.shape)
    optimizer.step()
    whole = random.random() < .3
    torch.save({'model': model if whole else model.state_dict(),
                'optimizer': optimizer.state_dict()}, path)
    file = File(varve, path)
    order = {id(p): i for i, p in enumerate(sum(groups, []))}
    numbers = {}
    for name, p in model.named_parameters():
        names = tuple(name.split('.')) if whole else (name,)
        numbers[file.find(('model',) + names)] = str(order[id(p)])
    for slot in file.slots:
        kept = ('optimizer', 'state', numbers[slot['variable']], slot['name'])
        if file.find(kept) != slot['node']:
            raise AssertionError(f'{slot} is not {kept}')
    if len(groups) == 1 and not file.slots:
        raise AssertionError('one group without slots')
    return len(file.slots)


def main():
    varve = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    values = slots = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'file.pt')
        for i in range(seed, seed + count):
            random.seed(i)
            np.random.seed(i)
            torch.manual_seed(i)
            try:
                values += check_object(varve, path)
                slots += check_optimizer(varve, path)
            except AssertionError as error:
                print(f'{NAME}: seed {i}: {error}')
                return 1
    print(f'{NAME}: {2 * count} files, {values} values, {slots} slots, '
          f'torch {torch.__version__}')
    return 0 if values and slots else 1


sys.exit(main())
