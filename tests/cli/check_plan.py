#!/usr/bin/env python3
"""check_plan.py - Tests varve plan on checkpoints with randomly renamed
objects.

    check_plan.py VARVE READ_MAPPED SEED COUNT

Each suggestion has equal type and shape on both sides, no value is suggested
twice, and no value is missing from the answer. If both sides have the same
values, the written map makes the plan complete once its guesses are accepted,
and the library can read through it. Guesses in the written map have no effect.

SPDX-License-Identifier: MIT
"""
import collections
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import zipfile

WORDS = ['kernel', 'bias', 'w', 'b', 'norm', 'scale', 'embedding', 'out']
OBJECTS = ['model', 'net', 'encoder', 'layer', '0', '1', '2', '10', 'head',
           'a b', 'x->y', '#1']
SHAPES = [(), (3,), (3,), (2, 3), (4,)]


def write_npz(path, shapes):
    with zipfile.ZipFile(path, 'w') as archive:
        for name, shape in shapes.items():
            text = '(' + ''.join(f'{n},' for n in shape) + ')'
            header = (f"{{'descr': '|i1', 'fortran_order': False, "
                      f"'shape': {text}, }}")
            header += ' ' * (-(len(header) + 11) % 64) + '\n'
            size = 1
            for n in shape:
                size *= n
            archive.writestr(name + '.npy', b'\x93NUMPY\x01\x00' +
                             struct.pack('<H', len(header)) +
                             header.encode() + bytes(size))


def is_free(path, paths):
    return all(path != p and not path.startswith(p + '/') and
               not p.startswith(path + '/') for p in paths)


def random_paths(rng, shapes):
    paths = {}
    while len(paths) < len(shapes):
        names = [rng.choice(OBJECTS) for _ in range(rng.randrange(4))]
        path = '/'.join(names + [rng.choice(WORDS)])
        if is_free(path, paths):
            paths[path] = shapes[len(paths)]
    return paths


def renamed(rng, paths):
    """Renames some objects, some values, or all."""
    other = {n: rng.choice(OBJECTS) for n in OBJECTS}
    chance = rng.choice([0.2, 1])
    made = {}
    for path, shape in paths.items():
        names = path.split('/')
        new = '/'.join([other[n] for n in names[:-1]] + names[-1:]) \
            if rng.random() < chance else path
        while not is_free(new, made):
            new = rng.choice(OBJECTS) + '/' + new
        made[new] = shape
    return made


def run(arguments, codes):
    done = subprocess.run(arguments, capture_output=True)
    assert done.returncode in codes, (arguments, done.returncode,
                                      done.stderr.decode())
    return done


def check_items(answer, a, b):
    by = collections.defaultdict(list)
    for item in answer['items']:
        by[item['status']].append(item)
    suggested = by['suggested']
    for item in suggested:
        assert a[item['file_path']] == b[item['path']] == \
            tuple(item['shape']), item
    taken = [i['path'] for i in suggested] + [i['path'] for i in by['matched']]
    assert len(set(taken)) == len(taken), taken
    taken = [i['file_path'] for i in suggested + by['unexpected']]
    assert len(set(taken)) == len(taken), taken
    # The remaining values have no type and shape in common.
    left = {a[i['file_path']] for i in by['unexpected']}
    wanted = {b[i['path']] for i in by['missing']}
    counts = [len([i for i in by[kind] if where[i[key]] == shape])
              for shape in left & wanted
              for kind, where, key in [('unexpected', a, 'file_path'),
                                       ('missing', b, 'path')]]
    assert all(x != y for x, y in zip(counts[::2], counts[1::2])), counts
    return len(suggested)


def moved_by(plan, name):
    """Returns the pairs that a rename file matches."""
    done = run(plan + ['-v', '--json', '--rename-file', name], [0, 1])
    return {(i['path'], i['file_path'])
            for i in json.loads(done.stdout)['items']
            if i['status'] == 'matched'}


def check_guesses(plan, answer):
    """The map matches no pair that is based on type and shape alone."""
    guesses = {(i['path'], i['file_path']) for i in answer['items']
               if i['status'] == 'suggested' and
               i['by'] in ('only', 'name', 'place')}
    assert not guesses & moved_by(plan, 'map'), guesses


def accept_guesses(name):
    with open(name, encoding='utf-8') as file:
        lines = file.read().split('\n')
    with open(name, 'w', encoding='utf-8') as file:
        file.write('\n'.join(line.removeprefix('#? ') for line in lines))


def check_pair(varve, read_mapped, rng):
    shapes = [rng.choice(SHAPES) for _ in range(rng.randrange(1, 14))]
    a = random_paths(rng, shapes)
    b = renamed(rng, a)
    is_whole = rng.random() < 0.7
    if not is_whole:
        a = {p: s for p, s in a.items() if rng.random() < 0.8} or a
        b = {p: s for p, s in b.items() if rng.random() < 0.8} or b
    write_npz('a.npz', a)
    write_npz('b.npz', b)
    for name in 'ab':
        run([varve, 'convert', '-q', '-f', f'{name}.npz', f'{name}.varve'], [0])
    into = 'b.varve'
    if rng.random() < 0.5:
        into = 'b.txt'
        with open(into, 'wb') as to:
            to.write(run([varve, 'ls', '--tsv', 'b.varve'], [0]).stdout)
    plan = [varve, 'plan', 'a.varve', '--into', into]
    done = run(plan + ['--json', '--write-map', 'map'], [0, 1])
    answer = json.loads(done.stdout)
    count = check_items(answer, a, b)
    assert answer['complete'] == (done.returncode == 0)
    check_guesses(plan, answer)
    accept_guesses('map')
    again = run(plan + ['-v', '--json', '--rename-file', 'map'], [0, 1])
    found = json.loads(again.stdout)
    moved = {(i['path'], i['file_path']) for i in found['items']
             if i['status'] == 'matched'}
    for item in answer['items']:
        if item['status'] == 'suggested':
            assert (item['path'], item['file_path']) in moved, (item, moved)
    assert found['suggested'] == 0, found
    for kind in ['missing', 'unexpected', 'mismatched']:
        assert found[kind] == answer[kind], (found, answer)
    if is_whole and answer['mismatched'] == 0:
        assert found['complete'], (found, answer)
        run([read_mapped, 'a.varve', 'b.varve', 'map'], [0])
    return count


def main():
    varve, read_mapped = map(os.path.abspath, sys.argv[1:3])
    seed, count = int(sys.argv[3]), int(sys.argv[4])
    suggested = 0
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for i in range(count):
            try:
                suggested += check_pair(varve, read_mapped,
                                        random.Random(f'{seed} {i}'))
            except BaseException:
                print(f'pair {i} of seed {seed}', flush=True)
                raise
        os.chdir('/')
    print(f'{count} plans, {suggested} suggestions')


main()
