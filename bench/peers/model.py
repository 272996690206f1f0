"""model.py - Writes the models that all peers save, as two files: NAME.spec
has a line for each tensor with its name, offset and size, and NAME.bin has the
bytes. All are float32 vectors.

SPDX-License-Identifier: MIT
"""
import os

BLOCK = 16 << 20  # of random bytes, repeated


def transformer(size):
    """Returns weights and two moments of a transformer, divided like GPT-2."""
    width, layers = 768, 12
    one = [('wte', 50257 * width), ('wpe', 1024 * width)]
    for i in range(layers):
        for name, count in (
                ('ln_1/weight', width), ('ln_1/bias', width),
                ('attn/weight', 3 * width * width), ('attn/bias', 3 * width),
                ('proj/weight', width * width), ('proj/bias', width),
                ('ln_2/weight', width), ('ln_2/bias', width),
                ('fc/weight', 4 * width * width), ('fc/bias', 4 * width),
                ('out/weight', 4 * width * width), ('out/bias', width)):
            one.append((f'h/{i}/{name}', count))
    parts = [(f'{part}/{name}', count)
             for part in ('model', 'm', 'v') for name, count in one]
    whole = 4 * sum(count for _, count in parts)
    return [(name, max(1, count * size // whole)) for name, count in parts]


def many(count, elements):
    """Returns that many vectors with unique names, a hundred to an object."""
    return [(f'g{i // 100}/v{i}', elements) for i in range(count)]


def even(size, count):
    """Returns that many equal vectors with this total size."""
    return [(f'layer{i}/w', size // 4 // count) for i in range(count)]


def make(folder, name, tensors):
    """Writes NAME.spec and NAME.bin. Returns the number of bytes."""
    at = 0
    with open(os.path.join(folder, name + '.spec'), 'w') as spec:
        for tensor, count in tensors:
            spec.write(f'{tensor} {at} {4 * count}\n')
            at += 4 * count
    block = os.urandom(min(BLOCK, at))
    with open(os.path.join(folder, name + '.bin'), 'wb') as values:
        left = at
        while left > 0:
            values.write(block[:left])
            left -= min(left, len(block))
    return at


def read_spec(folder, name):
    """Returns (name, offset, bytes) of each tensor."""
    with open(os.path.join(folder, name + '.spec')) as spec:
        for line in spec:
            tensor, at, size = line.split()
            yield tensor, int(at), int(size)
