"""ways.py - Suggests alternatives in messages about values that cannot be
saved.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, Optional

__all__ = ['GENERAL', 'instead_of']

INSTEAD = {
    'builtins.set': 'save it as a list',
    'builtins.frozenset': 'save it as a list',
    'builtins.range': 'save it as a list',
    'collections.deque': 'save it as a list',
    'enum.Enum': 'save its name or its value',
    'decimal.Decimal': 'save its str()',
    'fractions.Fraction': 'save its numerator and denominator',
    'datetime.date': 'save its isoformat()',
    'datetime.time': 'save its isoformat()',
    'datetime.timedelta': 'save its total_seconds()',
    'pathlib.PurePath': 'save its str()',
    'ipaddress._IPAddressBase': 'save its str()',
    'builtins.generator': 'save its source and its position',
    'builtins.weakref': 'save the object that it refers to',
    'keras.src.saving.keras_saveable.KerasSaveable':
        'save its variables, such as list(x.variables)',
    'tensorflow.python.module.module.Module':
        'save its variables, such as list(x.variables)',
    'flax.nnx.pytreelib.Pytree': 'save nnx.state(x), and pass the '
                                 'restored state to nnx.update()',
    'flax.core.frozen_dict.FrozenDict': 'save unfreeze(x)',
    'weakref.ReferenceType': 'save the object that it refers to',
}


GENERAL = ('define state_dict() and load_state_dict(), or __getstate__() and '
           '__setstate__(), or save its parts by name')


def instead_of(value: Any) -> Optional[str]:
    """Returns a suggestion for a value that cannot be saved, or None."""
    for kind in type(value).__mro__:
        way = INSTEAD.get(f'{kind.__module__}.{kind.__qualname__}')
        if way:
            return way
    for base in int, float, complex:
        if isinstance(value, base) and type(value) is not base:
            return f'save {base.__name__}(x)'
    return None
