"""suite.py - every case in both directions, and the counts of them.

SPDX-License-Identifier: MIT
"""
import os
import shutil
import subprocess
import tempfile

import programs
from cases import with_salt
from describe import DESCRIBE, describe
from manifest import lines

NAME = 'interop'
# The format in which a case goes back to its program.
BACK = {'bundle': 'tensorflow', 'saved_model': 'tensorflow',
        'managed': 'tensorflow', 'safetensors': 'safetensors',
        'safetensors_index': 'safetensors', 'npy': 'npy', 'npz': 'npz'}
SUFFIX = {'tensorflow': '', 'tensorflow-names': '', 'npy': '.npy',
          'safetensors': '.safetensors', 'npz': '.npz'}
KIND = {'tensorflow': 'bundle', 'tensorflow-names': 'bundle', 'npy': 'npy',
        'safetensors': 'safetensors', 'npz': 'npz'}
# Our graphs (write.c), and the formats that can hold them whole.
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
           ('types', 'tensorflow', 1), ('adam', 'tensorflow-names', 200)]


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
        """Whether our reader finds in the file what the program says."""
        listing = self.path('lines')
        with open(listing, 'w', encoding='ascii') as stream:
            stream.writelines(lines(os.path.basename(path), found))
        return self.call(name, self.check, listing, os.path.dirname(path),
                         self.path('copy.varve'))

    def attempt(self, name, step, *rest):
        """Whatever the real programs raise is a failure of this case."""
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
        """Through a graph of ours to the program that it is from."""
        form = BACK[one.kind]
        if any('state' in v and not v['state'].startswith('numpy:V2')
               for v in found['values'].values()):
            return  # bytes of a type that we do not have stay with us
        if one.kind == 'bundle' and 'nodes' not in found:
            form = 'tensorflow-names'
        made = self.path('back') + SUFFIX[form]
        if not self.call(name, self.rewrite, path + one.opens, made, form):
            return
        again = dict(DESCRIBE[KIND[form]](made), kind=KIND[form])
        if not self.agrees(name, path + one.opens, again):
            return
        self.written += 1
        if one.build:
            self.attempt(f'{one.name}, restored', self.restore, one, made)

    def restore(self, name, one, made):
        """Into an object of other numbers; what it is then is what was."""
        theirs = with_salt('x', one.build)
        theirs.read(made).assert_consumed()
        theirs.write(self.path('again'))
        if self.agrees(name, self.path(one.name),
                       DESCRIBE['bundle'](self.path('again'))):
            self.written += 1

    # --- Ours to theirs ----------------------------------------------------

    def ours(self, name, form, shard_size=0):
        label = f'our {name} as {form}' + ', sharded' * bool(shard_size)
        self.attempt(label, self.ours_to_theirs, name, form, shard_size)
        self.clear()

    def ours_to_theirs(self, label, name, form, shard_size):
        made, twin = self.path('ours') + SUFFIX[form], self.path('twin.varve')
        if self.call(label, self.write, name, made, form, twin,
                     str(shard_size)):
            found = DESCRIBE[KIND[form]](made)
            self.written += self.agrees(label, twin, found)

    def clear(self):
        for name in os.listdir(self.folder):
            path = self.path(name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.remove(path)

    def run(self, only):
        for one in programs.cases():
            if only in one.name:
                self.theirs(one)
        for name, forms in OURS:
            for form in forms.split():
                if only in name:
                    self.ours(name, form)
        for name, form, size in SHARDED:
            if only in name:
                self.ours(name, form, size)


def run(check, write, rewrite, varve='', only=''):
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(check, write, rewrite, varve, folder)
        suite.run(only)
    for name, version in programs.versions().items():
        print(f'{NAME}: {name} {version}')
    print(f'{NAME}: {suite.read} cases read, {suite.refused} refused as '
          f'expected, {suite.written} cases written, {len(suite.failed)} '
          'failed')
    return 1 if suite.failed else 0
