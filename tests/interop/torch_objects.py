"""torch_objects.py - Creates random objects of PyTorch and checks how the
command reads files with them.

SPDX-License-Identifier: MIT
"""
import collections
import json
import random
import subprocess
import urllib.parse

from elsewhere import need

TYPES = ('float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 '
         'uint32 uint64 complex64 complex128 float8_e4m3fn '
         'float8_e5m2').split()
KEYS = ['a', 'b.c', 'weight', 'x/y', 1, 2, (1, 2), None, True, 0.5]

need('numpy', 'torch')
import numpy as np  # noqa: E402
import torch  # noqa: E402


# --- Objects ---------------------------------------------------------------


def random_tensor(types=TYPES):
    kind = getattr(torch, random.choice(types))
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


def random_object(depth, tensors, keys=KEYS, types=TYPES):
    kind = random.random()
    if kind < .5:
        if not tensors or random.random() < .8:
            tensors.append(random_tensor(types))
        return random.choice(tensors)
    if depth and kind < .75:
        return random.choice((dict, collections.OrderedDict))(
            (random.choice(keys),
             random_object(depth - 1, tensors, keys, types))
            for _ in range(random.randrange(5)))
    if depth and kind < .85:
        return random.choice((list, tuple))(
            random_object(depth - 1, tensors, keys, types)
            for _ in range(random.randrange(4)))
    return random.choice(
        [3, -7, 2**40, 2**53 + 1, 2**63 + 1, 0.5, -1e300, True, False, 'text',
         'gr\u00fcn', b'by\0\xff', None, np.float64(0.5), np.float32(-1.5),
         np.int16(7)])


# --- What has to come ------------------------------------------------------


def raw(value):
    """Returns the bytes of a value."""
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
    """Returns true for lists of 64-bit numbers that float64 can represent
    if one of them is a float."""
    if not isinstance(o, (list, tuple)) or not o:
        return False
    whole = [x for x in o if type(x) is int]
    reals = [x for x in o if type(x) is float]
    return len(whole) + len(reals) == len(o) and all(
        -2**63 <= x < 2**63 and (not reals or int(float(x)) == x)
        for x in whole)


def values_of(o, path=()):
    """Yields each path with its value, except None, which is not stored."""
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
