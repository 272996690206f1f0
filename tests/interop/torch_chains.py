"""torch_chains.py - Converts optimizers of torch to another format and back:
one more step gives the same bits, and the parameters keep the names of the
model.

SPDX-License-Identifier: MIT
"""
import random

from torch_objects import run, torch

FORMATS = ['.varve', '.h5', '.safetensors']

# Non-default settings of some optimizers.
SETTINGS = {
    'SGD': [{}, {'momentum': 0.9}, {'momentum': 0.9, 'nesterov': True}],
    'Adam': [{}, {'amsgrad': True}],
    'RMSprop': [{}, {'centered': True, 'momentum': 0.9}],
    'LBFGS': [{}, {'line_search_fn': 'strong_wolfe'}],
}


def names():
    """Returns all optimizers of torch.optim."""
    return [name for name, kind in vars(torch.optim).items()
            if isinstance(kind, type) and kind is not torch.optim.Optimizer
            and issubclass(kind, torch.optim.Optimizer)]


def make_model(name):
    nn = torch.nn
    if name == 'Muon':  # accepts only matrices
        return nn.Sequential(nn.Linear(4, 4, bias=False),
                             nn.Linear(4, 3, bias=False))
    if name == 'SparseAdam':
        return nn.Sequential(nn.Embedding(5, 4, sparse=True),
                             nn.Embedding(4, 4, sparse=True))
    return nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))


def build(name, settings, is_named, is_split):
    torch.manual_seed(1)
    model = make_model(name)
    every = list(model.named_parameters())
    params = every if is_named else [p for _, p in every]
    if is_split and name != 'LBFGS':
        at = len(params) // 2
        params = [{'params': params[at:], 'lr': 0.02},
                  {'params': params[:at]}]
    return model, getattr(torch.optim, name)(params, lr=0.01, **settings)


def step(name, model, optimizer):
    def loss():
        optimizer.zero_grad()
        if name == 'SparseAdam':
            value = (model[0](torch.tensor([1, 2])) *
                     model[1](torch.tensor([1, 3]))).square().sum()
        else:
            value = model(torch.linspace(-1, 1, 4)).square().sum()
        value.backward()
        return value
    optimizer.step(loss)


def check_chain(varve, path, case, ending):
    """Returns the number of steps before the save, which the restored
    optimizer must have."""
    name, settings, is_named, is_split = case
    model, optimizer = build(*case)
    for _ in range(random.choice((1, 2, 3))):
        step(name, model, optimizer)
    torch.save({'model': model.state_dict(),
                'optimizer': optimizer.state_dict()}, path)
    run([varve, 'convert', '--force', path, path + ending])
    run([varve, 'convert', '--force', path + ending, path])
    saved = torch.load(path, weights_only=True)
    other, again = build(*case)
    other.load_state_dict(saved['model'])
    again.load_state_dict(saved['optimizer'])
    step(name, model, optimizer)
    step(name, other, again)
    same = all(torch.equal(p, q) for p, q in
               zip(model.parameters(), other.parameters()))
    if not same:
        raise AssertionError(f'{case} {ending}: the next step differs')
    groups = saved['optimizer']['param_groups']
    found = [n for g in groups for n in g.get('param_names', ())]
    wanted = [n for g in optimizer.param_groups
              for n in g.get('param_names', ())]
    if found != wanted:
        raise AssertionError(f'{case} {ending}: names {found} for {wanted}')
    return 1


def has_hdf5(varve, path):
    torch.save({'x': torch.ones(1)}, path)
    try:
        run([varve, 'convert', '--force', path, path + '.h5'])
    except AssertionError:
        return False
    return True


def check_all(varve, path):
    """Tests each of them, with and without names and groups, through each
    format."""
    formats = FORMATS if has_hdf5(varve, path) else FORMATS[::2]
    return sum(check_chain(varve, path, (name, settings, is_named, is_split),
                           ending)
               for name in names() for settings in SETTINGS.get(name, [{}])
               for is_named in (False, True) for is_split in (False, True)
               for ending in formats)


def check_random(varve, path):
    name = random.choice(names())
    return check_chain(varve, path, (
        name, random.choice(SETTINGS.get(name, [{}])), random.random() < .5,
        random.random() < .5), '.varve')


def check_names(varve, path):
    """A model whose parameters are renamed or swapped: the optimizer's names
    refer to the same moments as before, or are dropped."""
    kind = random.choice((torch.optim.Adam, torch.optim.SGD))
    model = make_model('Adam')
    optimizer = kind(model.named_parameters(), lr=0.1)
    for p in model.parameters():
        p.grad = torch.randn(p.shape)
    optimizer.step()
    before = {'model': model.state_dict(), 'optimizer': optimizer.state_dict()}
    torch.save(before, path)
    old = list(before['model'])
    new = [n if random.random() < .5 else f'other.{n}' for n in old]
    if kind is torch.optim.Adam:
        weights, biases = new[::2], new[1::2]
        random.shuffle(weights)
        random.shuffle(biases)
        new = [n for pair in zip(weights, biases) for n in pair]
    renames = [text for n, o in zip(new, old) if n != o
               for text in ('--rename', f'model/{n} -> model/{o}')]
    if random.random() < .5:
        run([varve, 'convert', '--force', path, path + '.varve', *renames])
        run([varve, 'convert', '--force', path + '.varve', path])
    else:
        run([varve, 'convert', '--force', path, path + '.pt', *renames])
        run([varve, 'convert', '--force', path + '.pt', path])
    saved = torch.load(path, weights_only=True)
    group, = saved['optimizer']['param_groups']
    found = group.get('param_names')
    if found != new and (found is not None or kind is torch.optim.Adam):
        raise AssertionError(f'names {found} for {new}')
    for name, other in zip(old, new):
        if not torch.equal(before['model'][name], saved['model'][other]):
            raise AssertionError(f'{other} is not {name}')
