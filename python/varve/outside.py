"""outside.py - Converts arrays of other libraries to NumPy and back.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import mmap
import sys
from typing import Any, Callable, Optional

import numpy as np

from .dtypes import dtype, dtype_name
from .ways import instead_of

__all__ = ['Outside', 'outside', 'plain', 'raise_version']

Give = Callable[[np.ndarray], Any]

# Arrays of these packages have labels or units, which NumPy arrays lack.
LABELLED = ('pandas', 'polars', 'xarray', 'pyarrow')
FILLABLE = '`assign`, `__setitem__` or memory to write to'


class Outside:
    """A value of another library: a copy, and `give`, which assigns a restored
    array and returns the new value."""

    def __init__(self, source: Any, array: np.ndarray, give: Optional[Give],
                 take: Optional[Callable[[], np.ndarray]] = None):
        self.kind = type(source).__name__
        self.source = source
        self.array = array
        self.give = give
        self._take = take

    def current(self) -> np.ndarray:
        """The current value in the other library."""
        return self._take() if self._take else copied(self.source)


def root_of(value: Any) -> str:
    """The package of the type."""
    return type(value).__module__.partition('.')[0]


def plain(value: Any) -> Any:
    """Returns a value of another library as an array that shares its memory,
    or as Outside; all other values unchanged. Raises a TypeError, whose
    message follows a path, if an array cannot be converted."""
    if isinstance(value, (np.ndarray, np.generic, str, bytes, bool, int, float,
                          complex, dict, list, tuple)) or value is None:
        return value
    if root_of(value) == 'torch' or is_tensor(value):
        return of_torch(value) if is_tensor(value) else value
    return outside(value)


# --- PyTorch ---

def is_tensor(value: Any) -> bool:
    """True for a torch tensor. torch is imported already if there is one."""
    return 'torch' in sys.modules and is_tensor_class(type(value))


def is_tensor_class(kind: Any) -> bool:
    base = getattr(sys.modules.get('torch'), 'Tensor', None)
    return base is not None and issubclass(kind, base)


def of_torch(tensor: Any) -> Any:
    torch = sys.modules['torch']
    kinds = [torch.Tensor, torch.nn.Parameter,
             getattr(torch.nn, 'Buffer', None)]
    if type(tensor) not in kinds:
        raise TypeError(
            f'cannot save a tensor of the class {type(tensor).__name__}; save '
            'a varve.Slice of the part that this process has (`to_local()`), '
            'or a plain tensor')
    if tensor.device.type == 'meta' or tensor.layout != torch.strided:
        raise TypeError('cannot save a tensor on '
                        f'{tensor.device} with {tensor.layout}: initialize it '
                        'after to_empty(), or save its to_dense()')
    try:
        if tensor.device.type != 'cpu':
            return on_device(tensor)
        return array_of(tensor.detach())
    except (RuntimeError, TypeError, ValueError, AttributeError) as error:
        raise TypeError('cannot save a tensor that NumPy cannot share memory '
                        f'with: {error}') from None


def array_of(tensor: Any) -> Any:
    name = str(tensor.dtype).rpartition('.')[2]
    if name in ('bfloat16', 'float8_e4m3fn', 'float8_e5m2'):
        torch = sys.modules['torch']
        bits = tensor.view(torch.int16 if name == 'bfloat16' else torch.uint8)
        return bits.numpy().view(dtype(name))
    return tensor.numpy()


def on_device(tensor: Any) -> Outside:
    """Makes a copy in CPU memory, pinned if possible."""
    torch = sys.modules['torch']
    room = torch.empty(tensor.shape, dtype=tensor.dtype,
                       pin_memory=tensor.device.type == 'cuda')
    room.copy_(tensor.detach())

    def give(_array: np.ndarray) -> Any:
        with torch.no_grad():
            tensor.copy_(room)
        return tensor
    return Outside(tensor, array_of(room), give,
                   lambda: array_of(tensor.detach().cpu()))


def raise_version(tensor: Any) -> None:
    """Increments the autograd version of a tensor whose memory has changed."""
    torch = sys.modules['torch']
    if tensor.is_inference():
        return
    increment = getattr(torch.autograd.graph, 'increment_version', None)
    if increment:
        increment(tensor)
    else:
        with torch.no_grad():
            tensor.detach().mul_(1)


# --- Others ---

def is_array_like(value: Any) -> bool:
    kind = type(value)
    return not isinstance(value, type) and hasattr(value, 'shape') \
        and hasattr(value, 'dtype') and (
            hasattr(kind, '__array__') or hasattr(kind, '__dlpack__'))


def outside(value: Any) -> Any:
    """Converts a value of any other library."""
    if instead_of(value):
        return value  # rejected later with this message
    if root_of(value) in LABELLED or hasattr(type(value), 'iloc'):
        raise TypeError(
            f'cannot save {type(value).__name__}, which has labels: save its '
            'parts, such as the to_numpy() of each column, by name')
    if is_array_like(value):
        return of_array_like(value)
    if isinstance(value, (type, mmap.mmap)):
        return value
    try:
        view = memoryview(value)
    except (TypeError, BufferError):
        return value
    return of_buffer(value, np.asarray(view))


def checked(array: Any, kind: str) -> np.ndarray:
    if not isinstance(array, np.ndarray) or array.dtype.kind in 'OSU' \
            or dtype_name(array.dtype) is None:
        raise TypeError(f'cannot save {kind} with elements of type '
                        f'{getattr(array, "dtype", type(array).__name__)}; '
                        'the elements must be numbers')
    return array


def taken(value: Any) -> np.ndarray:
    kind = type(value).__name__
    if hasattr(value, 'units') or hasattr(value, 'mask'):
        raise TypeError(f'cannot save {kind}, which has units or a mask: save '
                        'these and the values by name')
    try:
        return checked(np.asarray(value) if hasattr(type(value), '__array__')
                       else np.from_dlpack(value), kind)
    except TypeError:
        raise
    except Exception as error:  # pylint: disable=broad-except
        raise TypeError(f'cannot convert {kind} to a NumPy array: '
                        f'{error}') from None


def copied(value: Any) -> np.ndarray:
    return np.array(taken(value) if is_array_like(value)
                    else memoryview(value), order='C')


def of_array_like(value: Any) -> Any:
    array = taken(value)
    again = taken(value)
    if array.flags.writeable and array.size and array.__array_interface__[
            'data'] == again.__array_interface__['data']:
        return array  # it shares the memory of the value
    return Outside(value, np.array(array, order='C'), giver(value))


def is_of(value: Any, kind: Any) -> bool:
    return isinstance(value, kind)


def giver(value: Any) -> Optional[Give]:
    """Returns a function that assigns to the value; None if that is not
    possible."""
    jax: Any = sys.modules.get('jax')
    if jax and is_of(value, getattr(jax, 'Array', ())):
        return lambda array: jax.device_put(array.copy(), value.sharding)
    flow: Any = sys.modules.get('tensorflow')
    if flow and isinstance(value, flow.Tensor):
        return lambda array: flow.constant(array, value.dtype)
    if callable(getattr(value, 'assign', None)):
        def assign(array: np.ndarray) -> Any:
            value.assign(array)
            return verified(value, array)
        return assign
    if hasattr(type(value), '__setitem__'):
        def fill(array: np.ndarray) -> Any:
            value[...] = array
            return verified(value, array)
        return fill
    return None


def verified(value: Any, array: np.ndarray) -> Any:
    if copied(value).tobytes() != array.tobytes():
        raise TypeError(f'cannot restore into {type(value).__name__}: it has '
                        'another value after the assignment')
    return value


def of_buffer(value: Any, array: np.ndarray) -> Outside:
    checked(array, type(value).__name__)
    if not array.flags.writeable:
        return Outside(value, np.array(array), None)

    def give(restored: np.ndarray) -> Any:
        np.asarray(memoryview(value))[...] = restored
        return value
    return Outside(value, np.array(array), give)
