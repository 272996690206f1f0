"""theirs_tensorflow.py - Defines the cases that TensorFlow writes: modules,
containers, names, element types, slices, tables, shards.

SPDX-License-Identifier: MIT
"""
import os

import numpy as np
import tensorflow as tf
from cases import DTYPES, case, fill, floats, graph, number
from tensorflow.python.framework import dtypes

v1 = tf.compat.v1


class Node(tf.Module):
    """An object whose attributes are edges."""


def node(**children):
    made = Node()
    for name, child in children.items():
        setattr(made, name, child)
    return made


def variable(array, name='v'):
    return tf.Variable(array, name=name, dtype=getattr(array, 'dtype', None))


# --- Object graphs ---------------------------------------------------------


@graph()
def module():
    class Linear(tf.Module):
        def __init__(self, rows, columns):
            super().__init__(name='linear')
            self.w = variable(floats(rows, columns, seed=rows), 'w')
            self.b = variable(floats(columns, seed=rows), 'b')

    class Net(tf.Module):
        def __init__(self):
            super().__init__(name='net')
            self.layers = [Linear(3, 2), Linear(2, 1)]
            self.step = tf.Variable(7, dtype=tf.int64, name='step')

    return tf.train.Checkpoint(net=Net())


@graph()
def cycle_and_sharing():
    a, b = node(), node()
    a.partner, b.partner, a.myself = b, a, a
    b.shared = a.shared = variable(floats(2), 'shared')
    b.again = b.shared
    return tf.train.Checkpoint(a=a, also_a=a, b=b)


@graph()
def containers():
    holder = node(
        items=[variable(np.float32(i), f'i{i}') for i in range(12)],
        gaps=[1, 'two', variable(number('int32', 3), 'three')],
        pair=(variable(number('int8', 1), 'one'),
              variable(number('int8', 2), 'two')),
        by_key={'x': variable(number('int16', 5), 'x'), 'y.z': [
            variable(number('int16', 6), 'yz')]},
        none=[], nothing={})
    return tf.train.Checkpoint(holder=holder)


@graph()
def names():
    """Names with separators, escapes and letters of many scripts."""
    texts = ['a/b/c', 'b', 'c/', 'd/.S', 'd/.ATTRIBUTES/f', '.', '..', '/',
             'a.b', 'gr\u00fc\u00df', '\u65e5\u672c', ' ', 'tab\there', '100%',
             '*', 'a|b', 'f(x)', '\U0001f600', 'VARIABLE_VALUE',
             '.OPTIMIZER_SLOT', 'e\u0301', 'x' * 300]
    children = {text: variable(number('int32', i), f'n{i}')
                for i, text in enumerate(texts)}
    return tf.train.Checkpoint(names=children)


@graph(again=False)
def name_of_attributes():
    """TensorFlow writes this and cannot restore it."""
    return tf.train.Checkpoint(
        holder={'.ATTRIBUTES': variable(floats(2), 'v')})


@graph()
def same_global_names():
    """Two variables with the same TensorFlow name."""
    return tf.train.Checkpoint(a=variable(floats(1, seed='a'), 'same'),
                        b=variable(floats(1, seed='b'), 'same'))


class Remembered(tf.train.experimental.PythonState):
    def __init__(self, text):
        self.text = text

    def serialize(self):
        return self.text

    def deserialize(self, text):
        self.text = text


@graph()
def python_state():
    return tf.train.Checkpoint(
        state=Remembered('{"epoch": 3, "\u00fc": "\u65e5"}'),
        empty=Remembered(''))


@graph()
def strings():
    long = b'ab\0\xff' * 100
    return tf.train.Checkpoint(
        scalar=tf.Variable('one', name='scalar'),
        vector=tf.Variable([b'', b'a', long, b'\xff\xfe', 'ü'.encode()],
                           name='vector'),
        table=tf.Variable([['a', 'bc'], ['', 'd']], name='table'),
        none=tf.Variable(tf.zeros((0, 2), tf.string), name='none',
                         shape=(0, 2)))


@graph(again=False)
def tables():
    """Not converted back to tables: Varve writes variables with these
    names."""
    table = tf.lookup.experimental.MutableHashTable(
        tf.string, tf.int64, -1, experimental_is_anonymous=True)
    table.insert(tf.constant(['one', 'two', 'drei']),
                 tf.constant([1, 2, 3], tf.int64))
    dense = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.float32, -1.0, empty_key=0, deleted_key=-1,
        initial_num_buckets=8)
    dense.insert(tf.constant([5, 6], tf.int64), tf.constant([0.5, 0.25]))
    static = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(
        ['x'], tf.constant([9], tf.int64)), -1)
    return tf.train.Checkpoint(table=table, dense=dense, static=static)


@graph()
def random_generators():
    return tf.train.Checkpoint(
        philox=tf.random.Generator.from_seed(5),
        three=tf.random.Generator.from_seed(6, alg='threefry'))


@graph(golden=False)
def iterator():
    """The position of a data set, which only TensorFlow can interpret."""
    data = tf.data.Dataset.range(100).shuffle(5, seed=1).batch(3)
    position = iter(data)
    next(position)
    return tf.train.Checkpoint(position=position, v=variable(floats(2)))


@graph()
def empty():
    return tf.train.Checkpoint()


def counted():
    return tf.train.Checkpoint(v=variable(floats(3), 'v'))


@case('bundle', opens='-1')
def saved_with_counter(path):
    counted().save(path)
    os.remove(os.path.join(os.path.dirname(path), 'checkpoint'))


@case('managed')
def managed(path):
    """A directory with its `checkpoint` file after one deletion."""
    v = variable(np.float32(0))
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=v), path, max_to_keep=2)
    for i in range(3):
        v.assign(i)
        manager.save()


@case('saved_model')
def saved_model(path):
    holder = node(v=variable(floats(2, 3), 'v'),
                  n=variable(number('int64', 3), 'n'))
    tf.saved_model.save(holder, path)


@case('bundle', refused='VARVE_BAD_NAME')
def edge_without_name(path):
    tf.train.Checkpoint(d={'': variable(floats(2))}).write(path)


@case('bundle', refused='VARVE_LIMIT')
def rank_17(path):
    tf.train.Checkpoint(v=variable(floats(*[1] * 17))).write(path)


@graph(golden=False)
def long_index():
    """An index of many blocks, whose names have long common prefixes."""
    long = 'a name that is as long as names of deep models are ' * 4
    parts = {f'{long}{i}': [variable(number('int32', i * j), f'{i}/{j}/{long}')
                            for j in range(30)] for i in range(40)}
    return tf.train.Checkpoint(parts=parts)


@graph(golden=False)
def large():
    """Values of several MiB whose sizes are not multiples of a chunk."""
    return tf.train.Checkpoint(
        a=variable(floats(1031, 1033, seed='large')),
        b=variable(fill('uint8', 3 * 1024 * 1024 + 1, seed='large')),
        c=variable(fill('bfloat16', 1024, 512, seed='large')),
        s=tf.Variable([b'x' * (1 << 20), b'', b'y' * 70000]))


# --- Element types and shapes ----------------------------------------------


@graph()
def variables_of_all_types():
    return tf.train.Checkpoint(**{
        name: variable(fill(name, 2, 9), name) for name in DTYPES})


@graph()
def shapes():
    return tf.train.Checkpoint(
        scalar=variable(floats(), 'scalar'), none=variable(floats(0), 'none'),
        hollow=variable(floats(3, 0, 2), 'hollow'),
        one=variable(floats(1), 'one'),
        deep=variable(floats(*[1, 2] * 4), 'deep'))


def save(path, tensors, slices=None):
    """Names and tensors without objects, as written by tf.train.Saver."""
    pairs = list(tensors.items())
    tf.raw_ops.SaveV2(
        prefix=path, tensor_names=[name for name, _ in pairs],
        shape_and_slices=slices or [''] * len(pairs),
        tensors=[tf.convert_to_tensor(t) for _, t in pairs])


@case('bundle')
def tensors_of_all_types(path):
    tensors = {f'{name}/matrix': fill(name, 3, 8) for name in DTYPES}
    tensors.update({f'{name}/scalar': fill(name) for name in DTYPES})
    tensors['string/matrix'] = [[b'a', b'\0'], [b'', b'\xff' * 200]]
    tensors['string/scalar'] = b'alone'
    tensors['string/none'] = tf.zeros((0,), tf.string)
    save(path, tensors)


@case('bundle')
def quantized(path):
    numbers = tf.constant(fill('int32', 4, 3), tf.int32)
    save(path, {kind.name: tf.bitcast(tf.cast(numbers, base), kind)
                for kind, base in ((tf.qint8, tf.int8), (tf.quint8, tf.uint8),
                                   (tf.qint16, tf.int16),
                                   (tf.quint16, tf.uint16),
                                   (tf.qint32, tf.int32))})


@case('bundle')
def types_of_nobody_else(path):
    """Four-bit integers and variants, types that Varve lacks."""
    numbers = tf.constant([1, -2, 3], tf.int32)
    items = tf.raw_ops.TensorListFromTensor(
        tensor=tf.constant([1.0, 2.0]), element_shape=tf.constant(
            [], tf.int32))
    save(path, {'int4': tf.cast(numbers, dtypes.int4),
                'uint4': tf.cast(numbers, dtypes.uint4), 'variant': items,
                'float32': floats(3)})


# --- Name-based files, slices, shards --------------------------------------


@case('bundle')
def flat_names(path):
    """Names that are paths, that are not, and that are prefixes of one
    another."""
    texts = ['global_step', 'layer/kernel', 'layer/bias', 'layer',
             'layer/kernel/Adam', 'layer/kernel/Adam_1', '/leading',
             'trailing/', 'two//slashes', 'with space', 'a.b:0',
             '\u00e4/\u00df', 'x/' * 20 + 'end', '%2F', '(round)', 'a/m(b)']
    save(path, {t: number('int32', i) for i, t in enumerate(texts)})


def graph_saver(path, build, **options):
    """A program of TensorFlow 1."""
    with tf.Graph().as_default(), v1.Session() as session:
        build()
        session.run(v1.global_variables_initializer())
        v1.train.Saver(**options).save(
            session, path, write_meta_graph=False, write_state=False)


def part_of(whole):
    """An initializer that depends on the partition of the variable."""
    def make(shape, dtype, partition_info=None):
        begin = [0] * whole.ndim
        if partition_info:
            begin = partition_info.var_offset
        return tf.constant(whole[tuple(
            slice(b, b + n) for b, n in zip(begin, shape))], dtype)
    return make


@case('bundle')
def old_saver(path):
    def build():
        with v1.variable_scope('model'):
            w = v1.get_variable('w', (2, 2), initializer=part_of(
                np.eye(2, dtype='f4')))
        step = v1.train.get_or_create_global_step()
        v1.train.AdamOptimizer(0.5).minimize(
            tf.reduce_sum(w), global_step=step)
    graph_saver(path, build)


@case('bundle')
def partitioned(path):
    def build():
        for name, dtype, count, axis, *shape in (
                ('rows', 'float32', 3, 0, 5, 3),
                ('columns', 'float64', 2, 1, 2, 7),
                ('whole', 'int64', 1, 0, 3, 2),
                ('long', 'int8', 2, 0, 9000)):
            v1.get_variable(
                name, shape, dtype, use_resource=True,
                initializer=part_of(fill(dtype, *shape, seed=name)),
                partitioner=v1.fixed_size_partitioner(count, axis))
    graph_saver(path, build)


@case('bundle')
def slices(path):
    """Sharded in both dimensions, unevenly, and a type that TensorFlow itself
    cannot merge."""
    whole = floats(4, 5, seed='slices')
    parts = [((0, 1), (0, 2)), ((0, 1), (2, 3)), ((1, 3), (0, 4)),
             ((1, 3), (4, 1))]
    tensors, specs = [], []
    for (y, rows), (x, columns) in parts:
        tensors.append(whole[y:y + rows, x:x + columns])
        specs.append(f'4 5 {y},{rows}:{x},{columns}')
    tf.raw_ops.SaveV2(prefix=path, tensor_names=['w'] * 4 + ['plain'],
                      shape_and_slices=specs + [''],
                      tensors=tensors + [whole])


def merge(path, *parts):
    for i, part in enumerate(parts):
        save(f'{path}_part{i}', part)
    tf.raw_ops.MergeV2Checkpoints(
        checkpoint_prefixes=[f'{path}_part{i}' for i in range(len(parts))],
        destination_prefix=path, delete_old_dirs=False)


@case('bundle')
def merged_shards(path):
    merge(path, {'b': floats(2, seed='b'), 's': [b'x', b'yz']},
          {'a': floats(3, seed='a')}, {'c': fill('float16', 5)})


def shards_of(path, policy):
    tf.train.Checkpoint(
        a=variable(floats(8, 4, seed='a'), 'a'),
        b=variable(fill('int64', 3, 5), 'b'),
        c=tf.Variable([b'abc' * 9, b'', b'd'], name='c')).write(
            path, tf.train.CheckpointOptions(
                experimental_sharding_callback=policy))


@case('bundle')
def shards_of_size(path):
    shards_of(path, tf.train.experimental.MaxShardSizePolicy(50))


@case('bundle')
def shards_by_task(path):
    shards_of(path, tf.train.experimental.ShardByTaskPolicy())
