"""shown_readme.py - Contains the program in README.md, for test_shown.py.

SPDX-License-Identifier: MIT
"""
import numpy as np
import varve

state = {'model': {'kernel': np.zeros((2, 3), 'f4')}, 'step': 0}
try:
    varve.restore(state, 'run/ckpt').assert_consumed()
except varve.NotFoundError:
    pass  # nothing saved yet is a fresh start
kernel = state['model']['kernel']
print(f'at step {state["step"]}, kernel[1][2] is {kernel[1, 2]:g}')
state['step'] += 1
kernel += 0.5
print('saved', varve.save(state, 'run/ckpt'))
