#!/usr/bin/env python3
"""torch_files.py - Tests the command on random objects of torch.save, bit for
bit.

    torch_files.py VARVE [COUNT [SEED]]

Objects are dicts and lists of tensors of any type, shape and strides, numbers
and strings; models with optimizers whose groups are in any order, in dicts, as
whole modules and in the layout of Lightning. A slot must refer to the right
parameter; if the file contains names, all slots must be present. Torch is
imported from the running Python or from the virtual environment in
VARVE_INTEROP; skipped if neither can import it.

SPDX-License-Identifier: MIT
"""
import os
import random
import sys
import tempfile
import warnings

import torch_chains
import torch_tar
from torch_objects import (
    File, np, random_object, raw, run, torch, values_of)

NAME = 'torch files'


def save(o, path):
    """As an archive, or in the format before torch 1.6, which cannot contain a
    storage with two types."""
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


def check_tar(varve, path):
    """An archive of the format before torch 0.1.10. Returns the values that
    torch loads."""
    tensors = []
    torch_tar.save({str(i): random_object(2, tensors, types=torch_tar.TYPES)
                    for i in range(8)}, path)
    file = File(varve, path)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        loaded = torch.load(path, weights_only=False)
    count = 0
    for where, expected in values_of(loaded):
        found = file.bytes_of(where)
        if found != expected:
            raise AssertionError(f'tar: {where}: {found} for {expected}')
        count += 1
    return count


ARRAYS = '? i1 u1 <i2 <u4 <i8 <f2 <f4 <f8 <c8 <c16 >i4 >f8'.split()


def check_arrays(varve, path):
    """Arrays of NumPy, of any type that Varve has, in any order."""
    arrays = {}
    for i in range(4):
        shape = [random.randrange(4) for _ in range(random.randrange(4))]
        kind = np.dtype(random.choice(ARRAYS))
        count = int(np.prod(shape, dtype=int))
        noise = np.random.bytes(count * kind.itemsize)
        array = np.frombuffer(noise, kind).reshape(shape) if kind != '?' \
            else np.random.rand(*shape) < .5
        arrays[str(i)] = np.asarray(
            array, order='F') if random.random() < .3 else np.array(array)
    torch.save(arrays, path, pickle_protocol=random.choice((2, 3, 4, 5)))
    file = File(varve, path)
    for name, array in arrays.items():
        little = array.astype(array.dtype.newbyteorder('<'))
        found = file.arrays[name]
        if found.shape != array.shape or \
                found.tobytes() != little.tobytes('C'):
            raise AssertionError(f'array {name}: {found} for {array}')


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
    """Returns parameters and names in one group or two, often in another order
    than in the model."""
    every = list(model.named_parameters())
    if random.random() < .5:
        random.shuffle(every)
    choice = random.randrange(3)
    if choice == 0:
        return [every]
    if choice == 1:
        return [g for g in ([(n, p) for n, p in every if p.dim() > 1],
                            [(n, p) for n, p in every if p.dim() < 2]) if g]
    at = random.randrange(len(every))
    return [g for g in (every[at:], every[:at]) if g]


def random_optimizer(model, prefix=''):
    """Returns an optimizer after one step, the number of each parameter, and a
    flag if it has names, which begin with the prefix."""
    groups = random_groups(model)
    is_named = random.random() < .5
    optimizer = torch.optim.Adam([
        {'params': [(prefix + n, p) if is_named else p for n, p in g]}
        for g in groups])
    for p in model.parameters():
        p.grad = torch.randn(p.shape)
    optimizer.step()
    return optimizer, {id(p): i for i, (_, p) in
                       enumerate(sum(groups, []))}, is_named


def check_count(model, slots, is_named):
    """With names all slots are found; without, all if no two shapes are
    equal."""
    shapes = [p.shape for p in model.parameters()]
    others = [t.shape for n, t in model.state_dict().items()
              if 'running' in n]
    every = 3 * len(shapes)
    if is_named or len(set(shapes + others)) == len(shapes + others):
        if len(slots) != every:
            raise AssertionError(f'{len(slots)} slots for {every}')
    elif slots and len(set(shapes)) < len(shapes):
        raise AssertionError('slots of parameters of equal shapes')


def check_lightning(varve, path):
    """The layout of a .ckpt file of Lightning. Checks all its values and
    slots."""
    model = random_model()
    optimizer, order, is_named = random_optimizer(model, 'net.')
    state = {'net.' + n: t for n, t in model.state_dict().items()}
    every = {
        'epoch': 3, 'global_step': 7, 'pytorch-lightning_version': '2.5.0',
        'state_dict': state, 'optimizer_states': [optimizer.state_dict()],
        'lr_schedulers': [{'last_epoch': 2, '_last_lr': [0.5]}],
        'loops': {'fit_loop': {'state_dict': {}, 'epoch_progress': {
            'total': {'ready': 1, 'completed': 1}}}},
        'callbacks': {"ModelCheckpoint{'monitor': None, 'mode': 'min'}": {
            'best_model_path': '', 'best_k_models': {}, 'kth_value':
            torch.tensor(float('inf'))}},
        'hparams_name': 'kwargs', 'hyper_parameters': {'lr': 1e-3, 'n': None}}
    torch.save(every, path)
    file = File(varve, path)
    for where, expected in values_of(every):
        if file.bytes_of(where) != expected:
            raise AssertionError(f'{where} differs')
    numbers = {file.find(('state_dict', 'net.' + n)): str(order[id(p)])
               for n, p in model.named_parameters()}
    for slot in file.slots:
        kept = ('optimizer_states', '0', 'state', numbers[slot['variable']],
                slot['name'])
        if file.find(kept) != slot['node']:
            raise AssertionError(f'{slot} is not {kept}')
    check_count(model, file.slots, is_named)
    return len(file.slots)


def check_optimizer(varve, path):
    """Returns the number of slots; each must refer to its own parameter."""
    model = random_model()
    optimizer, order, is_named = random_optimizer(model)
    whole = random.random() < .3
    torch.save({'model': model if whole else model.state_dict(),
                'optimizer': optimizer.state_dict()}, path)
    file = File(varve, path)
    numbers = {}
    for name, p in model.named_parameters():
        names = tuple(name.split('.')) if whole else (name,)
        numbers[file.find(('model',) + names)] = str(order[id(p)])
    for slot in file.slots:
        kept = ('optimizer', 'state', numbers[slot['variable']], slot['name'])
        if file.find(kept) != slot['node']:
            raise AssertionError(f'{slot} is not {kept}')
    check_count(model, file.slots, is_named)
    return len(file.slots)


# --- Models as people have them ----------------------------------------------


def models():
    """Models of torchvision and transformers, if installed, built from their
    configurations. Names and shapes are those of published weights, with fewer
    layers."""
    try:
        import torchvision
        yield torchvision.models.resnet18()
        yield torchvision.models.mobilenet_v3_small()
        yield torchvision.models.shufflenet_v2_x0_5()
    except ImportError:
        print(f'{NAME}: no models of torchvision')
    try:
        import transformers as t
    except ImportError:
        print(f'{NAME}: no models of transformers')
        return
    small = {'num_hidden_layers': 2, 'hidden_size': 64, 'vocab_size': 500,
             'num_attention_heads': 4, 'intermediate_size': 128}
    yield t.BertModel(t.BertConfig(**small))
    yield t.LlamaForCausalLM(t.LlamaConfig(**small, num_key_value_heads=2))
    yield t.GPT2LMHeadModel(t.GPT2Config(
        n_layer=2, n_embd=64, n_head=4, vocab_size=500))
    yield t.ViTModel(t.ViTConfig(num_hidden_layers=2))
    yield t.T5Model(t.T5Config(num_layers=2, d_model=64, d_ff=128, d_kv=16,
                               num_heads=4, vocab_size=500))


def check_models(varve, path):
    """Checks every value of each state dict, and that tied weights are one
    node."""
    count = 0
    for model in models():
        state = model.state_dict()
        torch.save(state, path)
        file = File(varve, path)
        tied = {}
        for name, tensor in state.items():
            if file.bytes_of((name,)) != raw(tensor):
                raise AssertionError(f'{type(model).__name__}: {name}')
            node = file.find((name,))
            seen = tensor.data_ptr(), tensor.shape, tensor.stride()
            if tensor.numel() and tied.setdefault(seen, node) != node:
                raise AssertionError(
                    f'{type(model).__name__}: {name} is a separate node')
            count += 1
    return count


def main():
    varve = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    values = slots = chains = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'file.pt')
        for i in range(seed, seed + count):
            random.seed(i)
            np.random.seed(i)
            torch.manual_seed(i)
            try:
                values += check_object(varve, path)
                values += check_tar(varve, path)
                slots += check_optimizer(varve, path)
                slots += check_lightning(varve, path)
                chains += torch_chains.check_random(varve, path)
                torch_chains.check_names(varve, path)
                check_arrays(varve, path)
            except AssertionError as error:
                print(f'{NAME}: seed {i}: {error}')
                return 1
        try:
            chains += torch_chains.check_all(varve, path)
            of_models = check_models(varve, path)
        except AssertionError as error:
            print(f'{NAME}: {error}')
            return 1
    print(f'{NAME}: {4 * count} files, {values} values, {slots} slots, '
          f'{chains} optimizers through other formats, '
          f'{of_models} values of models, torch {torch.__version__}')
    return 0 if values and slots else 1


sys.exit(main())
