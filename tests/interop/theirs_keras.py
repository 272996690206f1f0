"""theirs_keras.py - Defines the cases that Keras 2 (tf_keras) and Keras 3
write.

SPDX-License-Identifier: MIT
"""
import keras
import numpy as np
import tensorflow as tf
import tf_keras
from cases import case, floats, graph, number

legacy = tf_keras.optimizers.legacy


def set_all(model, seed):
    """Sets reproducible weights."""
    model.set_weights([floats(*w.shape, seed=f'{seed} {i}')
                       for i, w in enumerate(model.get_weights())])


def step(model, optimizer, times=3):
    """Applies gradients that are not rounded, so the slots are
    reproducible."""
    variables = model.trainable_variables
    for i in range(times):
        size = number('float32', 1) * 0.5 ** i
        gradients = [tf.fill(v.shape, tf.cast(size, v.dtype))
                     for v in variables]
        optimizer.apply_gradients(zip(gradients, variables))


def dense_pair(k, *sizes, seed=''):
    layers = [k.layers.Dense(n, name=f'dense_{i}')
              for i, n in enumerate(sizes)]
    model = k.Sequential(layers, name='pair')
    model.build((None, 3))
    set_all(model, seed)
    return model


def functional(k):
    a = k.Input((4,), name='a')
    b = k.Input((4,), name='b')
    shared = k.layers.Dense(3, name='shared')
    joined = k.layers.Concatenate(name='joined')([shared(a), shared(b)])
    out = k.layers.BatchNormalization(name='norm')(joined)
    model = k.Model([a, b], k.layers.Dense(2, name='out')(out), name='two')
    set_all(model, 'functional')
    return model


@graph()
def keras2_functional():
    return tf.train.Checkpoint(model=functional(tf_keras))


@graph()
def keras3_functional():
    return tf.train.Checkpoint(model=functional(keras))


def containers():
    """A subclassed model with lists and dicts of layers, a shared layer, and a
    part that refers to the whole."""
    k = tf_keras

    class Part(k.layers.Layer):
        def __init__(self, size, name):
            super().__init__(name=name)
            self.inner = k.layers.Dense(size, name='inner')

        def call(self, x):
            return self.inner(x)

    class Whole(k.Model):
        def __init__(self):
            super().__init__(name='whole')
            self.parts = [Part(3, 'p0'), Part(2, 'p1')]
            self.by_name = {'first': self.parts[0],
                            'other': k.layers.Dense(2, name='other')}
            self.nested = [[k.layers.Dense(1, name='deep')], []]

        def call(self, x):
            x = self.parts[0](x)
            x = self.parts[1](x) + self.by_name['other'](x)
            return self.nested[0][0](x)

    model = Whole()
    model(np.zeros((1, 3), 'f4'))
    set_all(model, 'containers')
    return model


@graph()
def keras2_subclassed():
    return tf.train.Checkpoint(model=containers())


@graph()
def keras3_subclassed():
    """TensorFlow does not track lists and dicts here, only attributes."""
    class Whole(keras.Model):
        def __init__(self):
            super().__init__(name='whole')
            self.first = keras.layers.Dense(3, name='first')
            self.second = keras.layers.Dense(2, name='second')
            self.again = self.first
            self.unseen = [keras.layers.Dense(2, name='unseen')]

        def call(self, x):
            return self.unseen[0](self.second(self.again(self.first(x))))

    model = Whole()
    model(np.zeros((1, 3), 'f4'))
    set_all(model, 'subclassed')
    return tf.train.Checkpoint(model=model)


@graph()
def keras2_root():
    """The root form: the model is node 0, the optimizer is its child."""
    model = dense_pair(tf_keras, 2, 2)
    optimizer = legacy.SGD(0.125)
    step(model, optimizer)
    return tf.train.Checkpoint(model, optimizer=optimizer)


def with_optimizer(optimizer, k=tf_keras):
    model = dense_pair(k, 2, 1, seed=type(optimizer).__name__)
    step(model, optimizer)
    return tf.train.Checkpoint(model=model, optimizer=optimizer)


@graph(golden=False)
def keras2_adam():
    return with_optimizer(legacy.Adam(0.25))


def adam_of_ours():
    """The program for `adam` of write.c."""
    model = tf_keras.Sequential([tf_keras.layers.Dense(8, activation='relu'),
                                 tf_keras.layers.Dense(3)])
    model.build((None, 4))
    optimizer = legacy.Adam()
    step(model, optimizer)
    return tf.train.Checkpoint(model=model, optimizer=optimizer)


@graph()
def keras2_sgd_momentum():
    return with_optimizer(legacy.SGD(0.25, momentum=0.5, nesterov=True))


@graph()
def keras2_rmsprop():
    return with_optimizer(legacy.RMSprop(0.25, momentum=0.5, centered=True))


@graph(golden=False)
def keras2_others():
    model = dense_pair(tf_keras, 1)
    optimizers = [legacy.Adagrad(), legacy.Adadelta(), legacy.Adamax(),
                  legacy.Nadam(), legacy.Ftrl(), legacy.Adam(amsgrad=True)]
    for optimizer in optimizers:
        step(model, optimizer)
    return tf.train.Checkpoint(model=model, optimizers=optimizers)


@graph()
def keras2_new_adam():
    """Optimizers of Keras 2.11 have numbered children instead of slots."""
    return with_optimizer(tf_keras.optimizers.Adam(0.25))


@graph()
def keras3_adam():
    return with_optimizer(keras.optimizers.Adam(0.25), keras)


@graph(golden=False)
def keras3_sgd_momentum():
    return with_optimizer(keras.optimizers.SGD(0.25, momentum=0.5), keras)


@graph(golden=False)
def keras3_rmsprop():
    return with_optimizer(keras.optimizers.RMSprop(0.25, momentum=0.5), keras)


@graph(golden=False)
def keras3_adamw_ema():
    return with_optimizer(keras.optimizers.AdamW(0.25, use_ema=True), keras)


def mixed(k, wrap, optimizer):
    policy = k.mixed_precision.Policy('mixed_float16')
    model = k.Sequential([k.layers.Dense(2, dtype=policy, name='half'),
                          k.layers.Dense(2, dtype='float16', name='true')])
    model.build((None, 2))
    model.set_weights([np.full(w.shape, number('float32', 0) + 0.5, w.dtype)
                       for w in model.get_weights()])
    outer = wrap(optimizer)
    step(model, outer)
    return tf.train.Checkpoint(model=model, optimizer=outer)


@graph()
def keras2_mixed_precision():
    return mixed(tf_keras, tf_keras.mixed_precision.LossScaleOptimizer,
          legacy.Adam(0.25))


@graph(golden=False)
def keras2_new_mixed_precision():
    return mixed(tf_keras, tf_keras.mixed_precision.LossScaleOptimizer,
          tf_keras.optimizers.Adam(0.25))


@graph()
def keras3_mixed_precision():
    return mixed(keras, keras.mixed_precision.LossScaleOptimizer,
          keras.optimizers.Adam(0.25))


@graph()
def keras2_rnn_embedding():
    """Nested layers, and metrics of a compiled model."""
    k = tf_keras
    model = k.Sequential([
        k.layers.Embedding(5, 2, name='words'),
        k.layers.Bidirectional(k.layers.LSTM(2), name='both'),
        k.layers.Dense(1, name='out')], name='text')
    model.compile(legacy.Adam(), 'mse', metrics=['mae'])
    model.build((None, 4))
    set_all(model, 'rnn')
    return tf.train.Checkpoint(model)


@case('bundle', golden=False)
def keras2_save_weights(path):
    """Keras' own save function, with its `checkpoint` file."""
    model = dense_pair(tf_keras, 3, 2, seed='weights')
    model.compile(legacy.Adam(), 'mse')
    model.fit(np.ones((4, 3), 'f4'), np.ones((4, 2), 'f4'), verbose=0)
    model.save_weights(path, save_format='tf')


@case('saved_model', golden=False)
def keras2_saved_model(path):
    model = dense_pair(tf_keras, 3, 2, seed='saved model')
    model.compile(legacy.SGD(0.5, momentum=0.5), 'mse')
    model.fit(np.ones((4, 3), 'f4'), np.ones((4, 2), 'f4'), verbose=0)
    model.save(path, save_format='tf')


@case('saved_model', golden=False)
def keras3_export(path):
    model = dense_pair(keras, 3, 2, seed='export')
    model.export(path, verbose=False)
