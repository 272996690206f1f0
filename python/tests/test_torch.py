"""test_torch.py - tensors, modules and optimizers of torch: with torch where it
is, and with what stands in for it everywhere.

SPDX-License-Identifier: MIT
"""
import sys
import types
import unittest
from unittest import mock

import numpy as np

import varve
from place import Test

try:
    import torch
except ImportError:
    torch = None


class Tensor:
    """As torch has them; of bfloat16 NumPy is not told."""
    __module__ = 'torch'

    def __init__(self, array, dtype='float32', device='cpu', is_lazy=False):
        self.array, self.dtype = array, 'torch.' + dtype
        self.device = types.SimpleNamespace(type=device)
        self.is_lazy = is_lazy

    def detach(self):
        return self

    def view(self, dtype):
        return Tensor(self.array.view(dtype), 'int16')

    def numpy(self):
        assert self.dtype != 'torch.bfloat16'
        if self.is_lazy:
            raise RuntimeError('conjugate bit set')
        return self.array


class Module:
    """As torch.nn.Module keeps what it is made of."""

    def __init__(self, parameters, buffers=(), modules=()):
        self.training = True
        self._parameters = dict(parameters)
        self._buffers = dict(buffers)
        self._modules = dict(modules)
        self._non_persistent_buffers_set = {'cache'}
        self.activation = len


STAND_IN = types.SimpleNamespace(
    int16=np.int16, uint8=np.uint8, nn=types.SimpleNamespace(Module=Module))


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

    def test_tensors_that_cannot_be_reached_are_refused(self):
        for tensor, words in [(Tensor(some(), device='cuda'), 'of the CPU'),
                              (Tensor(some(), is_lazy=True), 'conjugate bit')]:
            with self.fails(varve.MisuseError, 'a/w: expected', words):
                varve.write({'a': {'w': tensor}}, self.path())

    def test_modules_are_what_their_state_is(self):
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

    def test_tensors_come_back(self):
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

    def test_what_numpy_cannot_share_is_refused(self):
        complex_one = torch.full((2,), 1 - 2j)
        for tensor in (torch.eye(3).to_sparse(), complex_one.conj(),
                       complex_one.conj().imag, torch.ones(3, device='meta')):
            with self.fails(varve.MisuseError, 'a/w: expected a tensor'):
                varve.write({'a': {'w': tensor}}, self.path())
        expanded = {'a': torch.ones(3).expand(2, 3)}
        varve.write(expanded, self.path())
        with self.fails(varve.MisuseError, 'a: expected', 'lie apart'):
            varve.restore(expanded, self.path())

    def run_of(self, steps, path=None):
        """Some training, from where a checkpoint ends if there is one."""
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

    def test_a_training_goes_on_as_it_was(self):
        unbroken, _ = self.run_of(5)
        _, state = self.run_of(3)
        varve.write(state, self.path())
        resumed, _ = self.run_of(2, self.path())
        for name, tensor in unbroken.state_dict().items():
            self.assertTrue(torch.equal(resumed.state_dict()[name], tensor),
                            name)


if __name__ == '__main__':
    unittest.main()
