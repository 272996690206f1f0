#!/usr/bin/env python3
"""make_keras_adam.py - Writes the checkpoint that examples/06_from_keras
starts with.

    make_keras_adam.py DIRECTORY

keras_adam.index and keras_adam.data-00000-of-00001, written by Keras 2,
contain two dense layers (4 -> 8 relu -> 3) and Adam with slots after five
steps of mean squared error. keras_adam.npz contains the results of Keras: an
input `x`, its prediction `y`, and the next step: after training with `train_x`
and `train_y` the prediction is `y_next`. One step computes the gradient of the
mean over all elements, and then, with t = `iter` + 1,

    m += (gradient - m) * (1 - beta_1)
    v += (gradient^2 - v) * (1 - beta_2)
    variable -= learning_rate * sqrt(1 - beta_2^t) / (1 - beta_1^t)
                * m / (sqrt(v) + 1e-7)

SPDX-License-Identifier: MIT
"""
import os
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
import tf_keras  # noqa: E402


def fixed(*shape):
    """Returns random-looking multiples of 1/8, which are exact."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 37 % 31 - 15) / 8).astype('f4').reshape(shape)


def step(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


def main(directory):
    model = tf_keras.Sequential([
        tf_keras.layers.Dense(8, activation='relu', name='hidden'),
        tf_keras.layers.Dense(3, name='output')], name='model')
    model.build((None, 4))
    model.set_weights([fixed(4, 8) / 4, fixed(8), fixed(8, 3) / 4, fixed(3)])
    optimizer = tf_keras.optimizers.legacy.Adam(learning_rate=0.01)
    train_x = fixed(6, 4)
    train_y = fixed(6, 3)[::-1].copy()
    for _ in range(5):
        step(model, optimizer, train_x, train_y)
    tf.train.Checkpoint(model=model, optimizer=optimizer).write(
        os.path.join(directory, 'keras_adam'))
    x = np.array([[0.5, -1, 0.25, 2], [1, 1, -0.5, 0]], 'f4')
    y = model(x).numpy()
    step(model, optimizer, train_x, train_y)
    np.savez(os.path.join(directory, 'keras_adam.npz'), x=x, y=y,
             train_x=train_x, train_y=train_y, y_next=model(x).numpy())


main(sys.argv[1])
