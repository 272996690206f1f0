#!/usr/bin/env python3
"""curves.py - Measures how time grows with bytes, values, threads and changes,
as SVG.

    bench/run.sh --curves FOLDER [OPTIONS]

Writes curves.json with every run, and a picture for each curve.

SPDX-License-Identifier: MIT
"""
import argparse
import json
import os
import sys
import tempfile
import time

import chart
import model
import peers
import turns

MIB = 1 << 20


class Curve:
    """The models along an axis, and the lines: a name in the legend, a peer, a
    command, and the maximum of the axis."""

    def __init__(self, name, title, label, x_text, x_base, steps, lines):
        self.name, self.title, self.label = name, title, label
        self.x_text, self.x_base = x_text, x_base
        self.steps, self.lines = steps, lines


def bytes_curve(most):
    sizes = [s for s in (1, 4, 16, 64, 256, 1024, 4096) if s * MIB <= most]
    some = 1024 * MIB
    return Curve(
        'bytes', 'Save and restore, by bytes', 'bytes in 32 values',
        chart.bytes_text, 4,
        [(s * MIB, model.even(s * MIB, 32)) for s in sizes],
        [('Varve, save', 'varve', 'save', most),
         ('Varve, restore', 'varve', 'into', most),
         ('safetensors, save', 'safetensors', 'save', some),
         ('safetensors, restore', 'safetensors', 'into', some),
         ('torch, save', 'torch', 'save', some),
         ('torch, restore', 'torch', 'into', some),
         ('write, fsync', 'raw', 'write_back', most),
         ('memcpy', 'raw', 'copy', most)])


def values_curve(most):
    counts = [10 ** i for i in range(7) if 10 ** i <= most]
    return Curve(
        'values', 'Save and restore, by values of 4 bytes', 'values',
        chart.count_text, 10, [(c, model.many(c, 1)) for c in counts],
        [('Varve, save', 'varve', 'save', most),
         ('Varve, restore', 'varve', 'into', most),
         ('Varve, list', 'varve', 'list', most),
         ('safetensors, save', 'safetensors', 'save', 100_000),
         ('safetensors, restore', 'safetensors', 'into', 100_000),
         ('torch, save', 'torch', 'save', 10_000),
         ('torch, restore', 'torch', 'into', 10_000),
         ('HDF5, save', 'h5py', 'save', 10_000),
         ('HDF5, restore', 'h5py', 'into', 10_000)])


def threads_curve(size):
    """The same model with different thread counts, which are an argument of
    the command."""
    counts = (1, 2, 4, 8)
    tensors = model.even(size, 32)
    return Curve(
        'threads', f'Warm restore of {chart.bytes_text(size)}, by threads',
        'threads', chart.count_text, 2, [(c, tensors) for c in counts],
        [('Varve, restore', 'varve', 'into {x}', 8),
         ('Varve, verified first', 'varve', 'into_verified {x}', 8),
         ('readers, raw', 'raw', 'read {x}', 8)])


def changes_curve(size):
    """The same model with growing fractions of changes."""
    fractions = (0.001, 0.01, 0.1, 1)
    tensors = model.even(size, 32)
    return Curve(
        'changes', f'Save of {chart.bytes_text(size)}, by changed fraction',
        'changed since the previous save', chart.percent_text, 10,
        [(f, tensors) for f in fractions],
        [('Varve, incremental', 'varve', 'save_changed {x}', 1),
         ('Varve, whole', 'varve', 'save', 1),
         ('safetensors, whole', 'safetensors', 'save', 1),
         ('write of the changes', 'raw', 'write {x}', 1)])


# --- Measuring --------------------------------------------------------------

def before(command):
    """Returns the files that a command requires."""
    word = command.split()[0]
    return {'into': 'save', 'into_verified': 'save', 'list': 'save',
            'read': 'keep'}.get(word)


def measure_lines(workers, samples, curve, x, name, lines, rounds):
    """Measures every line once per round, after creating the required
    files."""
    peers_of = sorted({line[1] for line in lines})
    for peer in peers_of:
        workers[peer].do('model ' + name)
    made = set()
    for _ in range(rounds):
        for text, peer, command, _ in lines:
            need = before(command)
            if need and (peer, need) not in made:
                workers[peer].do(need)
            made.add((peer, need or command.split()[0]))
            samples.add((curve.name, text, x),
                        workers[peer].do(command.format(x=x)))
    for peer in peers_of:
        workers[peer].do('release')
        workers.remove(peer, name)


def measure_step(workers, samples, curve, x, name, tensors, rounds):
    """If memory is not sufficient for all peers at once, measures them one
    after the other."""
    lines = [l for l in curve.lines if x <= l[3] and not workers[l[1]].absent]
    groups = [lines]
    if size_of(tensors) > 1024 * MIB:
        groups = [[l for l in lines if l[1] == peer]
                  for peer in sorted({l[1] for l in lines})]
    for group in groups:
        measure_lines(workers, samples, curve, x, name, group, rounds)


def size_of(tensors):
    return 4 * sum(count for _, count in tensors)


def rounds_of(tensors, rounds):
    """Slow measurements have fewer rounds."""
    heavy = size_of(tensors) > 512 * MIB or len(tensors) > 50_000
    return max(1, rounds // 3) if heavy else rounds


def measure(workers, curves, args):
    samples = turns.Samples()
    for curve in curves:
        last = None
        for x, tensors in curve.steps:
            name = f'{curve.name}{x}'
            if tensors is not last:
                path = name
                model.make(workers.place.models, name, tensors)
            last = tensors
            measure_step(workers, samples, curve, x, path, tensors,
                         rounds_of(tensors, args.rounds))
            if not any(t is tensors for y, t in curve.steps if y > x):
                os.unlink(os.path.join(workers.place.models, path + '.bin'))
        print(f'{curve.name}: done', file=sys.stderr)
    return samples


# --- Pictures ---------------------------------------------------------------

def series_of(samples, curve):
    for text, peer, _, _ in curve.lines:
        points = [(x, samples.median((curve.name, text, x)))
                  for x, _ in curve.steps
                  if (curve.name, text, x) in samples.times]
        if points:
            yield text, peer, points


def write_picture(samples, curve, folder, note):
    series = list(series_of(samples, curve))
    picture = chart.draw(
        curve.title, note, (curve.label, 'time, median'),
        (curve.x_text, chart.seconds_text), series, curve.x_base)
    with open(os.path.join(folder, curve.name + '.svg'), 'w') as file:
        file.write(picture)


def write_json(samples, curves, versions, folder):
    rows = [{'curve': curve, 'line': text, 'x': x, 'runs': runs}
            for (curve, text, x), runs in samples.times.items()]
    with open(os.path.join(folder, 'curves.json'), 'w') as file:
        json.dump({'schema': 'varve.curves/1', 'machine': peers.machine(),
                   'when': time.strftime('%Y-%m-%d'), 'versions': versions,
                   'curves': [c.name for c in curves], 'rows': rows}, file,
                  indent=1)
        file.write('\n')


# --- All --------------------------------------------------------------------

def run(args, place):
    curves = [c for c in (bytes_curve(args.bytes), values_curve(args.values),
                          threads_curve(args.size), changes_curve(args.size))
              if args.only in ('', c.name)]
    needed = {peer for c in curves for _, peer, _, _ in c.lines}
    workers = turns.Workers(sorted(needed), place)
    samples = measure(workers, curves, args)
    versions = {p: workers[p].version for p in sorted(needed)
                if not workers[p].absent and p != 'raw'}
    missing = [p for p in sorted(needed) if p not in versions and p != 'raw']
    workers.end()
    about = peers.machine()
    note = (f"{about['processors']} \u00d7 {about['processor']}, "
            f"{about['system'].split('-')[0]}; "
            f"{time.strftime('%Y-%m-%d')}")
    if missing:
        note += '; missing: ' + ', '.join(missing)
    os.makedirs(args.folder, exist_ok=True)
    write_json(samples, curves, versions, args.folder)
    for curve in curves:
        write_picture(samples, curve, args.folder, note)
    return 0


def arguments():
    parser = argparse.ArgumentParser(prog='bench/run.sh --curves')
    add = parser.add_argument
    add('--worker', required=True, help=argparse.SUPPRESS)
    add('--scratch', required=True, help=argparse.SUPPRESS)
    add('folder', help='folder for the pictures')
    add('--rounds', type=int, default=6)
    add('--bytes', type=int, default=4096 * MIB, help='the most')
    add('--values', type=int, default=1_000_000, help='the most')
    add('--size', type=int, default=512 * MIB, help='for threads and changes')
    add('--only', default='', help='bytes, values, threads or changes')
    add('--smoke', action='store_true', help='a tiny run as a test')
    args = parser.parse_args()
    if args.smoke:
        args.bytes, args.values, args.rounds = 4 * MIB, 100, 1
        args.size = MIB
    return args


def main():
    args = arguments()
    shared = '/dev/shm' if os.path.isdir('/dev/shm') else None
    with tempfile.TemporaryDirectory(
            prefix='varve-curves.', dir=shared) as models:
        return run(args, turns.Place(args.worker, args.scratch, models))


if __name__ == '__main__':
    sys.exit(main())
