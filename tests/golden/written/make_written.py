#!/usr/bin/env python3
"""make_written.py - Writes the checkpoint of a small module with TensorFlow.

    make_written.py [DIRECTORY]

tests/unit/foreign/test_bundle_target.c builds the same graph and expects
identical bytes. The module contains everything that affects them: shared nodes
and a cycle, names with escapes, strings, empty values, objects without values,
slot variables, Python state and a save counter. Children are tracked in the
order of their names, as Varve does. Written with TensorFlow 2.21.

SPDX-License-Identifier: MIT
"""
import os
import sys

import tensorflow as tf

Trackable = tf.__internal__.tracking.AutoTrackable


class Optimizer(Trackable):
    """Stores slot variables where TensorFlow does not track them."""

    def __init__(self, slots):
        super().__init__()
        object.__setattr__(self, 'get_slot_names', lambda: ['mo/m.'])
        object.__setattr__(
            self, 'get_slot', lambda variable, name: slots[id(variable)])

    def _create_or_restore_slot_variable(self, **_):
        raise NotImplementedError


class State(tf.train.experimental.PythonState):
    def serialize(self):
        return b'state\x00'

    def deserialize(self, _):
        raise NotImplementedError


def variable(value, dtype, name):
    return tf.Variable(tf.constant(value, dtype), name=name)


def module():
    root = Trackable()
    root.a = variable([2, 3], tf.float32, 'm/a')
    root.b = variable(1, tf.float32, 'm/b')
    root.c = Trackable()
    root.c.v = variable(5, tf.int32, 'm/c/v')
    dotted = Trackable()
    setattr(dotted, 'k\u00e9', variable(4, tf.float32, 'global'))
    root._track_trackable(dotted, 'd.x/y')
    root.e = variable([[], []], tf.float32, 'm/e')
    root.empty = Trackable()
    root.es = variable([], tf.string, 'm/es')
    root.p = State()
    root.s = variable(['x', 'yy'], tf.string, 'm/s')
    root.z = variable(7, tf.float32, 'm/z')
    return root


def main(directory):
    slots = {}
    m = module()
    slots[id(m.a)] = variable([8, 9], tf.float32, 'slot/a')
    slots[id(m.b)] = variable(.5, tf.float32, 'slot/b')
    o = Optimizer(slots)
    o.alias = m.a
    root = tf.train.Checkpoint(m=m, o=o, r=variable(3, tf.float64, 'r'))
    m._track_trackable(root, 'zz_back')
    root.save(os.path.join(directory, 'module'))
    os.remove(os.path.join(directory, 'checkpoint'))


here = os.path.dirname(os.path.abspath(__file__))
main(sys.argv[1] if len(sys.argv) > 1 else here)
