#!/usr/bin/env python3
"""make_torch_transformer.py - Writes the checkpoint that
examples/15_from_torch starts with, and continues training from the one it
writes.

    make_torch_transformer.py make CHECKPOINT
    make_torch_transformer.py go_on CHECKPOINT

`make` trains a small transformer for some steps and saves it as a training
loop does, with PyTorch's output for some tokens and the losses of the next
steps. `go_on` loads a file into the same program and continues training; it
prints the losses, and if they equal those in `expected.next` of the file.

Requires torch.

SPDX-License-Identifier: MIT
"""

import sys

import torch
from torch import nn
from torch.nn import functional

TOKENS, WIDTH, HEADS, BLOCKS, CONTEXT, ROWS = 16, 8, 2, 2, 8, 4
STEPS, MORE = 20, 5


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1 = nn.LayerNorm(WIDTH)
        self.attention = nn.Linear(WIDTH, 3 * WIDTH)
        self.projection = nn.Linear(WIDTH, WIDTH)
        self.ln_2 = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        rows, context, _ = x.shape
        q, k, v = (part.view(rows, context, HEADS, -1).transpose(1, 2)
                   for part in self.attention(self.ln_1(x)).split(WIDTH, 2))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        y = y.transpose(1, 2).reshape(rows, context, WIDTH)
        x = x + self.projection(y)
        return x + self.down(functional.gelu(self.up(self.ln_2(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(TOKENS, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.ln = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, TOKENS, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        return self.head(self.ln(x))


def learn(model, optimizer, data):
    optimizer.zero_grad()
    loss = functional.cross_entropy(
        model(data[:, :-1]).flatten(0, 1), data[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    return loss.item()


def program():
    torch.manual_seed(1)
    model = Transformer()
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=0.01, betas=(0.9, 0.99), weight_decay=0.1)
    return model, optimizer


def make(path):
    model, optimizer = program()
    data = torch.randint(TOKENS, (ROWS, CONTEXT + 1))
    for _ in range(STEPS):
        learn(model, optimizer, data)
    saved = {
        'step': STEPS,
        'model': model.state_dict(),
        'optimizer': optimizer.state_dict(),
        'data': data,
        'expected': {'logits': model(data[:, :-1]).detach()},
    }
    saved['model'] = {k: v.clone() for k, v in saved['model'].items()}
    saved['model']['head.weight'] = saved['model']['tokens.weight']
    saved['optimizer'] = torch.utils._pytree.tree_map(
        lambda v: v.clone() if isinstance(v, torch.Tensor) else v,
        saved['optimizer'])
    losses = [learn(model, optimizer, data) for _ in range(2 * MORE)]
    saved['expected']['losses'] = torch.tensor(losses[:MORE])
    saved['expected']['next'] = torch.tensor(losses[MORE:])
    torch.save(saved, path)


def go_on(path):
    model, optimizer = program()
    saved = torch.load(path, weights_only=True)
    model.load_state_dict(saved['model'])
    optimizer.load_state_dict(saved['optimizer'])
    losses = [learn(model, optimizer, saved['data']) for _ in range(MORE)]
    expected = saved['expected']['next'].tolist()
    is_same = all(abs(a - b) <= 1e-4 * b for a, b in zip(losses, expected))
    print('step', saved['step'], 'losses', *(f'{v:.4f}' for v in losses))
    print('as if it had never left' if is_same else f'expected {expected}')
    return 0 if is_same else 1


if __name__ == '__main__':
    sys.exit({'make': make, 'go_on': go_on}[sys.argv[1]](sys.argv[2]))
