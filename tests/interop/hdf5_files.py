#!/usr/bin/env python3
"""hdf5_files.py - Tests the command on random files of h5py and models of
Keras, and reads its output with h5py and Keras, bit for bit.

    hdf5_files.py VARVE [COUNT [SEED]]

Files have datasets of any type, byte order, layout and filter, and links of
every kind, in the earliest version of HDF5 or in that of 1.10; hdf5_objects.py
adds odd types and names. h5py and Keras are imported from the running Python
or from the virtual environment in VARVE_INTEROP. Without h5py the test is
skipped; without Keras its models are skipped. A command without libhdf5 is not
tested.

SPDX-License-Identifier: MIT
"""
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import urllib.parse

from elsewhere import SKIP, need

NAME = 'hdf5 files'

need('h5py', 'numpy')
import h5py  # noqa: E402
import numpy as np  # noqa: E402
import hdf5_objects  # noqa: E402
from hdf5_objects import OURS  # noqa: E402


def run(command, text=True):
    done = subprocess.run(command, capture_output=True, text=text)
    if done.returncode:
        raise AssertionError(f'{command}: {done.stderr}')
    return done.stdout


# --- Files -----------------------------------------------------------------


def random_array(kind, order, shape):
    count = int(np.prod(shape, dtype=np.int64))
    size = np.dtype(kind).itemsize
    array = np.frombuffer(random.randbytes(count * size), kind)
    return array.reshape(shape).astype(order + kind)


def layout(kind, shape):
    """Returns random storage options for h5py."""
    if not shape or 0 in shape or random.random() < 0.4:
        return {}
    options = {'chunks': tuple(random.randint(1, extent)
                               for extent in shape)}
    if random.random() < 0.5:
        options['compression'] = random.choice(('gzip', 'lzf'))
    if random.random() < 0.3:
        options['shuffle'] = True
    if random.random() < 0.3:
        options['fletcher32'] = True
    if kind[0] in 'iu' and random.random() < 0.1 and \
            not options.get('fletcher32'):
        options['scaleoffset'] = 0
    if random.random() < 0.3:
        options['maxshape'] = tuple(None for _ in shape)
    return options


class File:
    """A random file and its expected content."""

    def __init__(self, path):
        self.path = path
        self.expected = {}
        self.same = []
        self.groups = ['']

    def numbers(self, file, name):
        kind, order = random.choice(list(OURS)), random.choice('<>')
        shape = [random.choice((0, 1, 2, 3, 7))
                 for _ in range(random.randrange(5))]
        if random.random() < 0.1:
            shape = [random.randint(100, 300), 70]
        array = random_array(kind, order, shape)
        file.create_dataset(name, data=array, **layout(kind, shape))
        self.expected[name] = (
            OURS[kind], shape, array.astype('<' + kind).tobytes())

    def flags(self, file, name):
        array = np.array(random.choices((True, False), k=5))
        file[name] = array
        self.expected[name] = ('bool', [5], array.tobytes())

    def brains(self, file, name):
        data = random.randbytes(8)
        file[name] = np.frombuffer(data, 'V2')
        file[name].attrs['dtype'] = 'bfloat16'
        self.expected[name] = ('bfloat16', [4], data)

    def texts(self, file, name):
        words = [''.join(random.choices('ab\xe4\u20ac ', k=random.randrange(
            4))) for _ in range(random.randrange(5))]
        if random.random() < 0.5:
            file.create_dataset(name, data=words, dtype=h5py.string_dtype())
        else:
            words = [word.replace(' ', '') for word in words]
            data = np.array([word.encode() for word in words] or [b''], 'S20')
            file.create_dataset(name, data=data[:len(words)])
        self.expected[name] = (
            'string', [len(words)], [word.encode() for word in words])

    def filled(self, file, name):
        shape = [random.randint(2, 9), random.randint(2, 9)]
        file.create_dataset(name, shape, '>i4', chunks=(2, 2), fillvalue=-7)
        self.expected[name] = (
            'int32', shape, np.full(shape, -7, '<i4').tobytes())

    def links(self, file, name):
        if not self.expected:
            return
        target = random.choice(list(self.expected))
        if random.random() < 0.5:
            file[name] = file[target]
        else:
            file[name] = h5py.SoftLink('/' + target)
        self.expected[name] = self.expected[target]
        self.same.append((target, name))

    def write(self):
        options = {'libver': random.choice(('earliest', ('v108', 'v110')))}
        if random.random() < 0.2:
            options['userblock_size'] = random.choice((512, 1024, 4096))
        with h5py.File(self.path, 'w', **options) as file:
            for i in range(random.randint(1, 20)):
                group = random.choice(self.groups)
                name = f'{group}{random.choice("abcdxyz")}{i}'
                if random.random() < 0.2:
                    file.create_group(name)
                    self.groups.append(name + '/')
                    continue
                random.choice((self.numbers, self.numbers, self.numbers,
                               self.flags, self.brains, self.texts,
                               self.filled, self.links))(file, name)
            file.attrs['author'] = 'somebody'


# --- What comes ------------------------------------------------------------


def listed_values(varve, path):
    """Returns all values by each of their paths."""
    answer = json.loads(run([varve, 'ls', '--all', '--json', path]))
    if answer['format'] != 'hdf5':
        raise AssertionError(answer['format'])
    return {urllib.parse.unquote(item['path']): item
            for item in answer['items']}


def check_read(varve, file):
    items = listed_values(varve, file.path)
    for name, (kind, shape, data) in file.expected.items():
        if name not in items and not any(
                name in pair for pair in file.same):
            raise AssertionError(f'{name}: not listed')
        item = items.get(name)
        if item and [item['dtype'], item['shape']] != [kind, shape]:
            raise AssertionError(f'{name}: {item} for {kind} {shape}')
        got = run([varve, 'cat', file.path, name], text=False)
        wanted = data
        if kind == 'string':
            lengths = np.array([len(text) for text in data], '<u8')
            wanted = lengths.tobytes() + b''.join(data)
        if got != wanted:
            raise AssertionError(f'{name}: {kind}: {got} for {wanted}')


def array_of(dataset):
    if dataset.dtype.kind == 'V':
        return dataset[()].tobytes()
    if h5py.check_string_dtype(dataset.dtype):
        return [bytes(text) for text in dataset[()].reshape(-1)]
    return dataset[()].astype(dataset.dtype.newbyteorder('<')).tobytes()


def check_written(varve, file):
    out = file.path + '.out.h5'
    run([varve, 'convert', '--force', file.path, out])
    with h5py.File(out) as written:
        for name, (kind, shape, data) in file.expected.items():
            dataset = written[name]
            if array_of(dataset) != data or list(dataset.shape) != shape:
                raise AssertionError(f'{name}: written {dataset}')
            if kind == 'bfloat16' and dataset.attrs['dtype'] != kind:
                raise AssertionError(f'{name}: no name of its type')
        for one, other in file.same:
            if h5py.h5o.get_info(written[one].id).addr != h5py.h5o.get_info(
                    written[other].id).addr:
                raise AssertionError(f'{one}, {other}: two objects')
        if written.attrs['author'] != 'somebody':
            raise AssertionError('its text is missing')
    check_read(varve, Again(out, file))


class Again:
    """Compares a written file with its source."""

    def __init__(self, path, file):
        self.path, self.same = path, file.same
        self.expected = file.expected


def check_latest(varve, folder):
    """Tests that a dataset with a feature that older versions of libhdf5 lack
    is skipped, and all others are read."""
    path = os.path.join(folder, 'latest.h5')
    data = np.arange(6, dtype='f4')
    with h5py.File(path, 'w', libver='latest') as file:
        file['plain'] = data
        file['group/plain'] = data
        file['compound'] = np.zeros(2, [('a', 'i4'), ('b', 'f8')])
    done = subprocess.run([varve, 'ls', '--json', path], capture_output=True,
                          text=True)
    if done.returncode:
        raise AssertionError(f'latest: {done.stderr}')
    for name in ('plain', 'group/plain'):
        if run([varve, 'cat', path, name], text=False) != data.tobytes():
            raise AssertionError(f'latest: {name} differs')
    left_out = [item['path'] for item in json.loads(done.stdout)['left_out']]
    items = listed_values(varve, path)
    if ('compound' in left_out) == ('compound' in items):
        raise AssertionError(f'latest: {left_out}, {items}')


def check_names(varve, folder):
    """Tests that everything below a name that is not UTF-8 is skipped."""
    path = os.path.join(folder, 'names.h5')
    with h5py.File(path, 'w') as file:
        file[b'\xe9t\xe9'] = np.arange(3)
        file.create_group(b'gr\xff')['x'] = 1
        file['plain'] = 1
    answer = json.loads(run([varve, 'ls', '--all', '--json', path]))
    left_out = sorted(item['path'] for item in answer['left_out'])
    if left_out != ['\\xe9t\\xe9', 'gr\\xff'] or [
            item['path'] for item in answer['items']] != ['plain']:
        raise AssertionError(f'names: {answer}')


# --- Models ----------------------------------------------------------------


def make_model(keras, i):
    layers = keras.layers
    if i % 3 == 0:
        inside = keras.Sequential(
            [keras.Input((6,)), layers.Dense(3, name='deep')], name='inner')
        first = keras.Input((4,), name='first')
        hidden = layers.Dense(6, name='hidden')(first)
        normal = layers.BatchNormalization(name='normal')(hidden)
        out = layers.Dense(6, name='out')(inside(normal))
        return keras.Model(first, out), (4,), (6,)
    if i % 3 == 1:
        return keras.Sequential([
            keras.Input((5, 3)), layers.LSTM(4, name='remember'),
            layers.Dropout(0.5), layers.LayerNormalization(name='level'),
            layers.Dense(2, name='last', dtype='bfloat16')]), (5, 3), (2,)
    return keras.Sequential([
        keras.Input((8, 8, 1)), layers.Conv2D(3, 3, name='look'),
        layers.SeparableConv2D(2, 3, use_bias=False, name='apart'),
        layers.Flatten(), layers.Dense(1, name='sum')]), (8, 8, 1), (1,)


SLOTS = {'adam': ['momentum', 'velocity'], 'adamw': ['momentum', 'velocity'],
         'lion': ['momentum'], 'rmsprop': ['velocity'],
         'adagrad': ['accumulator']}


def bits_of(array):
    return np.asarray(array).tobytes()


def check_slots(varve, path, model, names):
    """Sets a different value for each variable, derived from its name."""
    variables = [v for v in model.optimizer.variables if len(v.shape)]
    for i, variable in enumerate(model.trainable_variables):
        layer, name = variable.path.split('/')[-2:]
        owner = next(
            (f'layers/{outer.name}/' for outer in model.layers
             if hasattr(outer, 'layers') and any(
                 inner.name == layer for inner in outer.layers)), '')
        if layer == 'lstm_cell':
            layer = 'remember/cell'
        for k, slot in enumerate(names):
            got = run([varve, 'cat', path,
                       f'optimizer/{slot}({owner}layers/{layer}/{name})'],
                      text=False)
            if got != bits_of(variables[len(names) * i + k].numpy()):
                raise AssertionError(f'{slot} of {variable.path}')


def check_model(varve, folder, i):
    import keras
    keras.utils.set_random_seed(i)
    model, of, to = make_model(keras, i)
    optimizer = list(SLOTS)[i % len(SLOTS)]
    model.compile(optimizer, 'mse')
    model.fit(np.ones((2, *of)), np.ones((2, *to)), verbose=0)
    path = os.path.join(folder, f'model{i}.keras')
    model.save(path)
    check_slots(varve, path, model, SLOTS[optimizer])
    for name in ('model.weights.h5', 'again.weights.h5', 'ours.varve',
                 'ours.weights.h5'):
        out = os.path.join(folder, name)
        run([varve, 'convert', '--force', path, out])
        if name.endswith('.varve'):
            path = out
            continue
        other, _, _ = make_model(keras, i)
        other.compile(optimizer, 'mse')
        other.optimizer.build(other.trainable_variables)
        other.load_weights(out)
        pairs = list(zip(model.weights, other.weights)) + list(
            zip(model.optimizer.variables, other.optimizer.variables))
        for a, b in pairs:
            if bits_of(a.numpy()) != bits_of(b.numpy()):
                raise AssertionError(f'{name}: {a.path} differs')
        path = out
    return len(pairs)


def check_models(varve, count):
    if not importlib.util.find_spec('keras'):
        print(f'{NAME}: no models, keras is not installed')
        return 0
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
    os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')
    values = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            values += check_model(varve, folder, i)
    return values


# --- All -------------------------------------------------------------------


def is_built(varve, folder):
    """Returns true if the command supports HDF5."""
    path = os.path.join(folder, 'one.h5')
    with h5py.File(path, 'w') as file:
        file['x'] = 1
    done = subprocess.run([varve, 'ls', path], capture_output=True, text=True)
    return '-Dhdf5=enabled' not in done.stderr


def main():
    varve = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    values = odd = left_out = 0
    with tempfile.TemporaryDirectory() as folder:
        if not is_built(varve, folder):
            print(f'{NAME}: skipped, the command is built without libhdf5')
            return SKIP
        try:
            check_latest(varve, folder)
            check_names(varve, folder)
        except AssertionError as error:
            print(f'{NAME}: {error}')
            return 1
        for i in range(seed, seed + count):
            random.seed(i)
            file = File(os.path.join(folder, f'file{i}.h5'))
            file.write()
            try:
                check_read(varve, file)
                check_written(varve, file)
                compared, others = hdf5_objects.check_file(
                    run, varve, os.path.join(folder, f'odd{i}.h5'))
            except AssertionError as error:
                print(f'{NAME}: seed {i}: {error}')
                return 1
            values += len(file.expected)
            odd += compared
            left_out += others
    try:
        kept = check_models(varve, 5)
    except AssertionError as error:
        print(f'{NAME}: a model: {error}')
        return 1
    print(f'{NAME}: {2 * count} files, {values} values, {odd} odd ones, '
          f'{left_out} without a value, {kept} of models, '
          f'h5py {h5py.__version__}')
    return 0


sys.exit(main())
