"""__init__.py - Saves and restores dicts, lists and objects of NumPy arrays by
name.

    varve.write({'w': w, 'step': 7}, 'run/a.varve')     writes a file
    varve.load('run/a.varve')                           loads all values
    varve.restore(tree, 'run/a.varve')                  fills existing objects
    varve.open('model.safetensors')                     reads single values
    varve.Checkpoint(model=model)                       objects that change
    varve.Manager(checkpoint, 'run', keep_last=3)       a checkpoint directory
    varve.Run(checkpoint, 'run', interval_steps=10)     a training loop
    varve.save(tree, 'run/a', comm=comm)                many processes

SPDX-License-Identifier: MIT
"""
from . import (checkpoint, communicator, dtypes, errors, manager, options,
               reader, remote, restoration, run, slices)
from ._native import lib as _lib
from .checkpoint import *  # noqa: F401,F403
from .communicator import *  # noqa: F401,F403
from .dtypes import *  # noqa: F401,F403
from .errors import *  # noqa: F401,F403
from .errors import text as _text
from .manager import *  # noqa: F401,F403
from .options import *  # noqa: F401,F403
from .reader import *  # noqa: F401,F403
from .remote import *  # noqa: F401,F403
from .restoration import *  # noqa: F401,F403
from .run import *  # noqa: F401,F403
from .slices import *  # noqa: F401,F403

__version__ = _text(_lib.varve_version())

__all__ = sorted(
    name for module in (checkpoint, communicator, dtypes, errors, manager,
                        options, reader, remote, restoration, run, slices)
    for name in module.__all__)
