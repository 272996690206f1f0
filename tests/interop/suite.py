"""suite.py - Runs every case in both directions and counts the results.

SPDX-License-Identifier: MIT
"""
import os
import shutil
import subprocess
import tempfile

import programs
from cases import with_salt
from describe import DESCRIBE, describe, value
from manifest import lines

NAME = 'interop'
# The format in which a case is converted back for its program.
BACK = {'bundle': 'tensorflow', 'saved_model': 'tensorflow',
        'managed': 'tensorflow', 'safetensors': 'safetensors',
        'safetensors_index': 'safetensors', 'npy': 'npy', 'npz': 'npz'}
SUFFIX = {'tensorflow': '', 'tensorflow-names': '', 'npy': '.npy',
          'safetensors': '.safetensors', 'npz': '.npz'}
KIND = {'tensorflow': 'bundle', 'tensorflow-names': 'bundle', 'npy': 'npy',
        'safetensors': 'safetensors', 'npz': 'npz'}
# Graphs of Varve (write.c), and the formats that can store them completely.
OURS = [('types', 'tensorflow tensorflow-names'),
        ('types_numbers', 'tensorflow safetensors'),
        ('types_plain', 'tensorflow npz'),
        ('shapes', 'tensorflow tensorflow-names safetensors npz'),
        ('names', 'tensorflow tensorflow-names safetensors npz'),
        ('names_with_slashes', 'tensorflow'),
        ('graph', 'tensorflow'), ('adam', 'tensorflow'),
        ('adam', 'tensorflow-names safetensors npz'),
        ('large', 'tensorflow tensorflow-names safetensors npz'),
        ('many', 'tensorflow tensorflow-names safetensors npz'),
        ('nothing', 'tensorflow safetensors npz')]
SHARDED = [('adam', 'tensorflow', 100), ('large', 'tensorflow', 1 << 20),
           ('types', 'tensorflow', 1), ('adam', 'tensorflow-names', 200),
           ('adam', 'safetensors', 200)]
# Cases that keep TensorFlow's own order: their index is identical after
# conversion.
IDENTICAL = ('empty', 'python_state', 'strings', 'variables_of_all_types',
             'shapes', 'saved_with_counter', 'old_saver', 'shards_by_task')

# Cases for `varve convert`, with the formats that can store them.
CONVERTED = [
    ('keras2_adam', 'tensorflow tensorflow-names safetensors npz'),
    ('keras3_adam', 'tensorflow tensorflow-names safetensors npz'),
    ('old_saver', 'tensorflow-names safetensors npz'),
    ('strings', 'tensorflow tensorflow-names'),
    ('partitioned', 'tensorflow-names safetensors npz'),
    ('merged_shards', 'tensorflow-names'),
    ('variables_of_all_types', 'tensorflow tensorflow-names'),
    ('st_all_types', 'tensorflow tensorflow-names safetensors'),
    ('st_sharded', 'safetensors npz tensorflow-names'),
    ('npz_all_types', 'tensorflow tensorflow-names npz'),
    ('npz_deflated', 'npz tensorflow-names'),
    ('npy_fortran', 'npy npz safetensors tensorflow-names'),
    ('large', 'tensorflow-names'), ('st_large', 'safetensors')]


def same_bytes(left, right):
    with open(left, 'rb') as a, open(right, 'rb') as b:
        return a.read() == b.read()


class Suite:
    def __init__(self, check, write, rewrite, varve, folder):
        self.check, self.write, self.rewrite = check, write, rewrite
        self.varve = varve
        self.folder = folder
        self.read = self.written = self.refused = 0
        self.failed = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def fail(self, name, what):
        self.failed.append(name)
        print(f'{NAME}: {name}: {what}', flush=True)

    def call(self, name, *command):
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding='utf-8',
                              errors='replace')
        if done.returncode:
            text = done.stdout.strip() or f'exit {done.returncode}'
            self.fail(name, text[:2000])
        return done.returncode == 0

    def agrees(self, name, path, found):
        """Checks that Varve finds the content that the program reports."""
        listing = self.path('lines')
        with open(listing, 'w', encoding='ascii') as stream:
            stream.writelines(lines(os.path.basename(path), found))
        return self.call(name, self.check, listing, os.path.dirname(path),
                         self.path('copy.varve'))

    def attempt(self, name, step, *rest):
        """Any exception of the other programs is a failure of this case."""
        try:
            return step(name, *rest)
        except Exception as error:  # noqa: BLE001
            self.fail(name, f'{type(error).__name__}: {error}'[:2000])
            return None

    # --- Theirs to ours, and back to them ----------------------------------

    def theirs(self, one):
        path = self.path(one.name)
        found = self.attempt(one.name, self.theirs_to_ours, one, path)
        if found and 'refused' not in found:
            self.attempt(f'{one.name}, back', self.back, one, path, found)
        self.clear()

    def theirs_to_ours(self, name, one, path):
        one.make(path)
        found = describe(one, path)
        if not self.agrees(name, path + one.opens, found):
            return None
        self.refused += 'refused' in found
        self.read += 'refused' not in found
        return found

    def back(self, name, one, path, found):
        """Converts a file through a graph back to its program."""
        form = BACK[one.kind]
        if any('state' in v for v in found['values'].values()):
            return  # bytes of a type that Varve lacks cannot be converted
        if one.kind == 'bundle' and 'nodes' not in found:
            form = 'tensorflow-names'
        made = self.path('back') + SUFFIX[form]
        if not self.call(name, self.rewrite, path + one.opens, made, form):
            return
        again = dict(DESCRIBE[KIND[form]](made), kind=KIND[form])
        if not self.agrees(name, path + one.opens, again):
            return
        if one.name in IDENTICAL and not same_bytes(
                path + one.opens + '.index', made + '.index'):
            self.fail(name, 'the index differs from that of TensorFlow')
            return
        self.written += 1
        if form == 'tensorflow-names':
            self.written += self.saver_takes(name, made, again)
        if one.build:
            self.attempt(f'{one.name}, restored', self.restore, one, made)

    def restore(self, name, one, made):
        """Restores into an object with other numbers, which must then have
        the saved ones."""
        theirs = with_salt('x', one.build)
        theirs.read(made).assert_consumed()
        theirs.write(self.path('again'))
        if self.agrees(name, self.path(one.name),
                       DESCRIBE['bundle'](self.path('again'))):
            self.written += 1

    # --- Ours to theirs ----------------------------------------------------

    def ours(self, name, form, shard_size=0):
        label = f'own {name} as {form}' + ', sharded' * bool(shard_size)
        self.attempt(label, self.ours_to_theirs, name, form, shard_size)
        self.clear()

    def ours_to_theirs(self, label, name, form, shard_size):
        made, twin = self.path('ours') + SUFFIX[form], self.path('twin.varve')
        if not self.call(label, self.write, name, made, form, twin,
                         str(shard_size)):
            return
        kind = KIND[form]
        if shard_size and form == 'safetensors':
            made, kind = made + '.index.json', 'safetensors_index'
        found = DESCRIBE[kind](made)
        if not self.agrees(label, twin, found):
            return
        self.written += 1
        if form == 'tensorflow-names':
            self.written += self.saver_takes(label, made, found)

    def saver_takes(self, label, made, found):
        """The function with which TensorFlow 1 restored variables; it requires
        the types in the file, such as quantized ones."""
        from tensorflow import raw_ops, train
        names = sorted(found['values'])
        types = train.load_checkpoint(made).get_variable_to_dtype_map()
        tensors = raw_ops.RestoreV2(
            prefix=made, tensor_names=names,
            shape_and_slices=[''] * len(names),
            dtypes=[types[n] for n in names])
        for name, tensor in zip(names, tensors):
            if value(tensor.numpy(), found['values'][name]['dtype']) \
                    != found['values'][name]:
                self.fail(label, f'{name}: RestoreV2 returns different values')
                return False
        return True

    def keras_takes_ours(self, label):
        """A model with Adam that was built by a C program."""
        from theirs_keras import adam_of_ours
        made, twin = self.path('ours'), self.path('twin.varve')
        if not self.call(label, self.write, 'adam', made, 'tensorflow', twin):
            return
        theirs = adam_of_ours()
        theirs.read(made).assert_consumed()
        theirs.write(self.path('again'))
        self.written += self.agrees(
            label, twin, DESCRIBE['bundle'](self.path('again')))

    def counter_goes_on(self, label):
        from theirs_tensorflow import counted
        first = counted()
        for _ in range(7):
            first.save(self.path('first'))
        made = self.path('ours')
        if not self.call(label, self.rewrite, self.path('first-7'), made,
                         'tensorflow'):
            return
        theirs = with_salt('x', counted)
        theirs.restore(made).assert_consumed()
        if int(theirs.save_counter) != 7 or \
                value(theirs.v.numpy()) != value(first.v.numpy()):
            self.fail(label, f'the counter is {int(theirs.save_counter)}')
        else:
            self.written += 1

    # --- varve convert -----------------------------------------------------

    def convert(self, one, form):
        label = f'{one.name} converted to {form}'
        self.attempt(label, self.converted, one, form)
        self.clear()

    def converted(self, label, one, form):
        path = self.path(one.name)
        one.make(path)
        made = self.path('made') + (SUFFIX[form] or '.index')
        if self.call(label, self.varve, 'convert', '--quiet', '--to', form,
                     path + one.opens, made):
            found = DESCRIBE[KIND[form]](made.removesuffix('.index'))
            found.pop('metadata', None)  # may contain aliases
            self.written += self.agrees(label, path + one.opens, found)

    def clear(self):
        for name in os.listdir(self.folder):
            path = self.path(name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.remove(path)

    def run(self, only):
        all_cases = {one.name: one for one in programs.cases()}
        for name, one in all_cases.items():
            if only in name:
                self.theirs(one)
        for name, forms in OURS:
            for form in forms.split():
                if only in name:
                    self.ours(name, form)
        for name, form, size in SHARDED:
            if only in name:
                self.ours(name, form, size)
        for step in (self.keras_takes_ours, self.counter_goes_on):
            if only in step.__name__:
                self.attempt(step.__name__, step)
                self.clear()
        for name, forms in CONVERTED if self.varve else ():
            for form in forms.split():
                if only in name:
                    self.convert(all_cases[name], form)


def run(check, write, rewrite, varve='', only=''):
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(check, write, rewrite, varve, folder)
        suite.run(only)
    for name, version in programs.versions().items():
        print(f'{NAME}: {name} {version}')
    print(f'{NAME}: {suite.read} cases read, {suite.refused} rejected as '
          f'expected, {suite.written} cases written, {len(suite.failed)} '
          'failed')
    return 1 if suite.failed else 0
