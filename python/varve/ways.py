"""ways.py - what to do instead, in messages of what cannot be saved.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

from typing import Any, Optional

__all__ = ['GENERAL', 'instead_of']

INSTEAD = {
    'builtins.set': 'save a list of it',
    'builtins.frozenset': 'save a list of it',
    'builtins.range': 'save a list of it',
    'collections.deque': 'save a list of it',
    'enum.Enum': 'save its name or its value',
    'decimal.Decimal': 'save str() of it',
    'fractions.Fraction': 'save str() of it, or its numerator and denominator',
    'datetime.date': 'save its isoformat()',
    'datetime.time': 'save its isoformat()',
    'datetime.timedelta': 'save its total_seconds()',
    'pathlib.PurePath': 'save str() of it',
    'ipaddress._IPAddressBase': 'save str() of it',
    'builtins.generator': 'save what it is made of, and how far it is',
    'builtins.weakref': 'save what it refers to, by name',
    'keras.src.saving.keras_saveable.KerasSaveable':
        'save its variables, such as a list of it.variables',
    'tensorflow.python.module.module.Module':
        'save its variables, such as a list of it.variables',
    'flax.nnx.pytreelib.Pytree': 'save nnx.state() of it, and pass what is '
                                 'restored to nnx.update()',
    'flax.core.frozen_dict.FrozenDict': 'save unfreeze() of it',
    'weakref.ReferenceType': 'save what it refers to, by name',
}


GENERAL = ('give it state_dict() and load_state_dict(), or __getstate__() and '
           '__setstate__(), or save what it is made of by name')


def instead_of(value: Any) -> Optional[str]:
    """What can be saved in the place of a value; None where nothing is known
    of its type."""
    for kind in type(value).__mro__:
        way = INSTEAD.get(f'{kind.__module__}.{kind.__qualname__}')
        if way:
            return way
    return None
