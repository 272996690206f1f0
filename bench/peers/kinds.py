"""kinds.py - Writes values of a trained model as plain files, for
bench/packing.

    kinds.py FOLDER [--steps N]

Trains a small GPT and a small convolutional network with AdamW on artificial
data. Writes their weights and moments in float32 and bfloat16, and other data
of checkpoints: NAME.PLANES.bin, where PLANES is the size of an element in
bytes. Also writes the exclusive or of the last step's changes. Requires
PyTorch.

SPDX-License-Identifier: MIT
"""
import argparse
import math
import pathlib

import torch
from torch import nn
from torch.nn import functional as F

WORDS, WIDTH, LENGTH = 8192, 256, 64


class Gpt(nn.Module):
    """A small transformer with two blocks."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        layer = nn.TransformerEncoderLayer(
            WIDTH, 4, 4 * WIDTH, dropout=0, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(
            layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        x = self.words(x) + self.places.weight
        return self.head(self.blocks(x, mask=mask, is_causal=True))


def convolution():
    """Four convolutional layers and a classifier."""
    layers = []
    for before, after in ((3, 64), (64, 128), (128, 256), (256, 256)):
        layers += [nn.Conv2d(before, after, 3, padding=1),
                   nn.BatchNorm2d(after), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(1024, 10))


def train_gpt(steps):
    """Trains on words with a language-like distribution, each depending on
    the previous one."""
    model = Gpt()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(steps):
        before = [p.detach().clone() for p in model.parameters()]
        jumps = torch.rand(16, LENGTH + 1).pow(6).mul(WORDS).long()
        text = jumps.cumsum(1) % WORDS
        loss = F.cross_entropy(
            model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model, optimizer, before


def train_convolution(steps):
    """Trains on noisy pictures of ten waves."""
    model = convolution()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    wave = torch.arange(32) * math.pi / 16
    for _ in range(steps):
        kind = torch.randint(10, (32,))
        rows = torch.sin(wave * (kind[:, None] + 1))
        x = rows[:, None, :, None] + torch.randn(32, 3, 32, 32)
        loss = F.cross_entropy(model(x), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model, optimizer, None


def write(folder, name, tensors):
    """Writes all tensors to one file, concatenated."""
    size = tensors[0].element_size()
    with open(folder / f'{name}.{size}.bin', 'wb') as file:
        for tensor in tensors:
            tensor = tensor.detach().contiguous().flatten()
            file.write(tensor.view(torch.uint8).numpy().tobytes())


def write_floats(folder, name, tensors):
    """Writes both common floating-point types."""
    write(folder, name, tensors)
    write(folder, f'{name}-bf16', [t.bfloat16() for t in tensors])


def write_state(folder, name, trained):
    """Writes weights and both moments."""
    model, optimizer, _ = trained
    weights = [p for p in model.parameters() if p.dim() > 1]
    write_floats(folder, f'{name}-weights', weights)
    for moment, key in (('first', 'exp_avg'), ('second', 'exp_avg_sq')):
        write_floats(folder, f'{name}-{moment}-moment',
                     [optimizer.state[p][key] for p in weights])


def main():
    """Writes all files."""
    parser = argparse.ArgumentParser()
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('--steps', type=int, default=60)
    options = parser.parse_args()
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    gpt = train_gpt(options.steps)
    write_state(folder, 'gpt', gpt)
    write_floats(folder, 'embedding', [gpt[0].words.weight])
    for name, dtype, bits in (('xor', torch.float32, torch.int32),
                              ('xor-bf16', torch.bfloat16, torch.int16)):
        write(folder, f'gpt-weights-{name}',
              [p.detach().to(dtype).view(bits) ^ b.to(dtype).view(bits)
               for p, b in zip(gpt[0].parameters(), gpt[2])])
    write_state(folder, 'convolution', train_convolution(options.steps))
    write(folder, 'order', [torch.randperm(1 << 20)])
    write(folder, 'counts', [torch.arange(1 << 20)])
    write(folder, 'mask', [torch.rand(8 << 20) < 0.1])
    write(folder, 'half-zero', [F.relu(torch.randn(2 << 20))])


if __name__ == '__main__':
    main()
