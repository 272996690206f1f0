"""shown_golden.py - Contains the test in docs/howto/testing.md.

SPDX-License-Identifier: MIT
"""
import numpy as np

kernel, bias = np.ones((2, 3), 'f4'), np.zeros(3, 'f4')


def test_dense(varve_golden):
    state = {'dense': {'kernel': kernel, 'bias': bias}}
    varve_golden(state, 'golden.varve', relative=1e-6)
