"""test_torch.py - Tests tensors, modules and optimizers of torch: with a fake
of torch, and with torch if it is installed.

SPDX-License-Identifier: MIT
"""
import contextlib
import sys
import types
import unittest
import weakref
from unittest import mock

import numpy as np

import varve
from place import Test

try:
    import torch
except ImportError:
    torch = None


HELD = weakref.WeakKeyDictionary()  # data that is in no attribute


class Tensor:
    """A fake tensor. Its numpy() rejects bfloat16."""
    __module__ = 'torch'

    def __init__(self, array, dtype='float32', device='cpu', is_lazy=False):
        HELD[self] = {
            'array': array, 'dtype': 'torch.' + dtype, 'layout': None,
            'device': types.SimpleNamespace(type=device), 'is_lazy': is_lazy}

    def __getattr__(self, name):
        try:
            return HELD[self][name]
        except KeyError:
            raise AttributeError(name) from None

    def detach(self):
        return self

    def cpu(self):
        return Tensor(self.array.copy())

    def copy_(self, other):
        self.array[...] = other.array

    @property
    def shape(self):
        return self.array.shape

    def is_inference(self):
        return True

    def view(self, dtype):
        return Tensor(self.array.view(dtype), 'int16')

    def numpy(self):
        assert self.dtype != 'torch.bfloat16'
        if self.is_lazy:
            raise RuntimeError('conjugate bit set')
        return self.array


class Module:
    """A fake module, with the attributes of torch.nn.Module."""

    def __init__(self, parameters, buffers=(), modules=()):
        self.training = True
        self._parameters = dict(parameters)
        self._buffers = dict(buffers)
        self._modules = dict(modules)
        self._non_persistent_buffers_set = {'cache'}
        self.activation = len

    def get_extra_state(self):
        raise AssertionError


STAND_IN = types.SimpleNamespace(
    empty=lambda shape, dtype, pin_memory: Tensor(np.empty(shape, 'f4')),
    no_grad=contextlib.nullcontext, int16=np.int16, uint8=np.uint8,
    Tensor=Tensor, strided=None,
    nn=types.SimpleNamespace(Module=Module, Parameter=Tensor))


def some():
    return np.arange(12, dtype='f4').reshape(3, 4)


class StandIn(Test):

    def setUp(self):
        super().setUp()
        patch = mock.patch.dict(sys.modules, torch=STAND_IN)
        patch.start()
        self.addCleanup(patch.stop)

    def test_tensors_share_their_memory(self):
        tree = {'w': Tensor(some()), 't': Tensor(some().T),
                'b': Tensor(np.array([0x3f80], 'u2'), 'bfloat16')}
        varve.write(tree, self.path())
        for tensor in tree.values():
            tensor.array[...] = 0
        varve.restore(tree, self.path()).assert_consumed()
        np.testing.assert_array_equal(tree['w'].array, some())
        np.testing.assert_array_equal(tree['t'].array, some().T)
        self.assertEqual(tree['b'].array[0], 0x3f80)
        with varve.open(self.path()) as file:
            self.assertEqual(file['b'].type, 'bfloat16')
            self.assertEqual(file['t'].shape, (4, 3))

    def test_tensors_on_a_device_are_copied(self):
        tree = {'w': Tensor(some(), device='cuda')}
        varve.write(tree, self.path())
        tensor = tree['w']
        tensor.array[...] = 0
        varve.restore(tree, self.path()).assert_consumed()
        self.assertIs(tree['w'], tensor)
        np.testing.assert_array_equal(tensor.array, some())

    def test_tensors_without_accessible_memory_are_refused(self):
        for tensor, words in [(Tensor(some(), device='meta'), 'dense'),
                              (Tensor(some(), is_lazy=True), 'conjugate bit')]:
            with self.fails(varve.MisuseError, 'a/w: cannot save', words):
                varve.write({'a': {'w': tensor}}, self.path())

    def test_modules_are_saved_as_their_state(self):
        def net():
            first = Module({'weight': Tensor(np.zeros((3, 4), 'f4')),
                            'bias': None})
            return Module({}, {'mean': Tensor(np.zeros(2, 'f4')),
                               'cache': Tensor(np.zeros(9, 'f4'))},
                          {'first': first})

        one, other = net(), net()
        one._modules['first']._parameters['weight'].array[...] = some()
        one._buffers['mean'].array[...] = 2, 3
        one._buffers['cache'].array[...] = 4
        varve.Checkpoint(net=one).write(self.path())
        with varve.open(self.path()) as file:
            self.assertEqual(sorted(path for path, _ in file.items()),
                             ['net/first/weight', 'net/mean'])
        varve.Checkpoint(net=other).restore(self.path()).assert_consumed()
        weight = other._modules['first']._parameters['weight'].array
        np.testing.assert_array_equal(weight, some())
        self.assertEqual(other._buffers['mean'].array.tolist(), [2, 3])
        self.assertEqual(other._buffers['cache'].array.sum(), 0)


@unittest.skipUnless(torch, 'torch is not here')
class Torch(Test):

    def test_tensors_are_restored(self):
        big = torch.arange(12.0).reshape(3, 4)
        tree = {'plain': big.clone(), 'turned': big.clone().t(),
                'column': big.clone()[:, 1], 'none': torch.zeros(0, 3),
                'bf16': torch.arange(5).to(torch.bfloat16),
                'half': torch.ones(2).half(), 'scalar': torch.tensor(3.5),
                'bool': torch.tensor([True, False]),
                'complex': torch.full((2,), 1 - 2j),
                'parameter': torch.nn.Parameter(torch.ones(3)),
                'random': torch.get_rng_state()}
        expected = {name: tensor.clone() for name, tensor in tree.items()}
        varve.write(tree, self.path())
        with torch.no_grad():
            for tensor in tree.values():
                tensor.zero_()
        varve.restore(tree, self.path()).assert_consumed()
        for name, tensor in expected.items():
            self.assertTrue(torch.equal(tree[name], tensor), name)

    def test_tensors_that_numpy_cannot_share_are_refused(self):
        complex_one = torch.full((2,), 1 - 2j)
        for tensor in (torch.eye(3).to_sparse(), complex_one.conj(),
                       complex_one.conj().imag, torch.ones(3, device='meta')):
            with self.fails(varve.MisuseError,
                            'a/w: cannot save a tensor'):
                varve.write({'a': {'w': tensor}}, self.path())
        expanded = {'a': torch.ones(3).expand(2, 3)}
        varve.write(expanded, self.path())
        with self.fails(varve.MisuseError, 'a: cannot restore', 'overlap'):
            varve.restore(expanded, self.path())

    def run_of(self, steps, path=None):
        """Trains some steps, from the last checkpoint if there is one."""
        torch.manual_seed(1)
        net = torch.nn.Sequential(
            torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4),
            torch.nn.Linear(4, 1, bias=False))
        optimizer = torch.optim.Adam(net.parameters(), 0.01)
        data = torch.arange(30.0).reshape(10, 3) / 30

        def step():
            optimizer.zero_grad()
            net(data).square().mean().backward()
            optimizer.step()

        def state():
            return {'net': net, 'optimizer': optimizer.state_dict()}

        if path:
            step()  # makes the state of the optimizer
            found = state()
            varve.restore(found, path).assert_consumed()
            optimizer.load_state_dict(found['optimizer'])
        for _ in range(steps):
            step()
        return net, state()

    def test_any_optimizer_is_restored_into_a_fresh_one(self):
        for kind, options in (
                ('Adam', {'amsgrad': True}), ('SGD', {'momentum': 0.9}),
                ('SGD', {}), ('NAdam', {}), ('RAdam', {}), ('ASGD', {}),
                ('Adafactor', {}), ('LBFGS', {}), ('Rprop', {}),
                ('RMSprop', {'momentum': 0.9}), ('Adadelta', {}),
                ('Adagrad', {}), ('AdamW', {}), ('Adamax', {})):
            if not hasattr(torch.optim, kind):
                continue
            unbroken, _ = stepped(kind, options, 5)
            net, state = stepped(kind, options, 3)
            for name in 'a', 'b':
                if name == 'a':
                    varve.write(state, self.path())
                    net, fresh = stepped(kind, options, 0)
                    varve.restore(fresh, self.path()).assert_consumed()
                else:
                    net, fresh = stepped(kind, options, 0)
                    found = varve.load(self.path())
                    net.load_state_dict(found['net'])
                    fresh['optimizer'].load_state_dict(found['optimizer'])
                steps(net, fresh['optimizer'], 2)
                for one, other in zip(net.parameters(),
                                      unbroken.parameters()):
                    self.assertTrue(torch.equal(one, other), (kind, name))

    def test_schedulers_and_extra_state(self):
        def make(value):
            net = Extra(value)
            optimizer = torch.optim.SGD(net.parameters(), 1.0)
            schedule = torch.optim.lr_scheduler.MultiStepLR(
                optimizer, [3, 6], 0.5)
            return {'net': net, 'optimizer': optimizer, 'schedule': schedule}

        saved = make(7)
        for _ in range(4):
            saved['optimizer'].step()
            saved['schedule'].step()
        varve.write(saved, self.path())
        fresh = make(0)
        with varve.restore(fresh, self.path()) as restoration:
            restoration.assert_consumed()
        self.assertEqual(fresh['net'].extra, {'value': 7})
        self.assertEqual(fresh['schedule'].state_dict(),
                         saved['schedule'].state_dict())
        self.assertEqual(fresh['optimizer'].param_groups[0]['lr'], 0.5)

    def test_schedulers_with_lists_that_grow(self):
        def make():
            net = torch.nn.Linear(1, 1)
            optimizer = torch.optim.SGD(net.parameters(), 1.0)
            kinds = torch.optim.lr_scheduler
            return {'optimizer': optimizer, 'schedule': kinds.SequentialLR(
                optimizer, [kinds.LinearLR(optimizer),
                            kinds.ExponentialLR(optimizer, 0.5)], [2])}

        saved = make()
        for _ in range(4):
            saved['optimizer'].step()
            saved['schedule'].step()
        varve.write(saved, self.path())
        fresh = make()
        with varve.restore(fresh, self.path()) as restoration:
            restoration.assert_consumed()
        for tree in saved, fresh:
            tree['schedule'].step()
        self.assertEqual(fresh['schedule'].get_last_lr(),
                         saved['schedule'].get_last_lr())

    def test_generators(self):
        generator = torch.Generator()
        generator.manual_seed(7)
        torch.rand(3, generator=generator)
        varve.write({'rng': generator}, self.path())
        expected = torch.rand(3, generator=generator)
        fresh = {'rng': torch.Generator()}
        with varve.restore(fresh, self.path()) as restoration:
            restoration.assert_consumed()
        self.assertTrue(torch.equal(torch.rand(3, generator=fresh['rng']),
                                    expected))

    def test_tensors_without_values_are_refused_with_a_suggestion(self):
        for value, way in (
                (torch.nn.Linear(2, 2, device='meta'), 'meta.*to_empty'),
                (torch.eye(2).to_sparse(), 'to_dense')):
            with self.fails(varve.MisuseError, 'it.*cannot save a tensor',
                            way):
                varve.write({'it': value}, self.path())

    def test_a_restore_is_visible_to_autograd(self):
        tensor = torch.ones(3, requires_grad=True)
        varve.write({'w': tensor}, self.path())
        result = (tensor * tensor).sum()
        varve.restore({'w': tensor}, self.path()).close()
        with self.assertRaises(RuntimeError):
            result.backward()

    def test_tensors_with_extra_attributes_are_refused(self):
        parameter = torch.nn.Parameter(torch.ones(2))
        parameter.group = 'slow'
        with self.fails(varve.MisuseError,
                        "w: .*Parameter with the attribute 'group'"):
            varve.write({'w': parameter}, self.path())

        class Own(torch.Tensor):
            pass

        with self.fails(varve.MisuseError, 'w: .*Own', 'to_local'):
            varve.write({'w': torch.ones(2).as_subclass(Own)}, self.path())

    def test_a_resumed_training_is_identical(self):
        unbroken, _ = self.run_of(5)
        _, state = self.run_of(3)
        varve.write(state, self.path())
        resumed, _ = self.run_of(2, self.path())
        for name, tensor in unbroken.state_dict().items():
            self.assertTrue(torch.equal(resumed.state_dict()[name], tensor),
                            name)


def steps(net, optimizer, count):
    data = torch.arange(6.0).reshape(2, 3) / 6

    def closure():
        optimizer.zero_grad()
        loss = net(data).square().mean()
        loss.backward()
        return loss

    for _ in range(count):
        optimizer.step(closure)


def stepped(kind, options, count):
    torch.manual_seed(1)
    net = torch.nn.Linear(3, 2)
    optimizer = getattr(torch.optim, kind)(net.parameters(), lr=0.01,
                                           **options)
    steps(net, optimizer, count)
    return net, {'net': net, 'optimizer': optimizer}


if torch:
    class Extra(torch.nn.Module):
        def __init__(self, value):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2))
            self.extra = {'value': value}

        def get_extra_state(self):
            return self.extra

        def set_extra_state(self, state):
            self.extra = state


if __name__ == '__main__':
    unittest.main()
