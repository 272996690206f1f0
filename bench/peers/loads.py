#!/usr/bin/env python3
"""loads.py - Measures reading files of torch.save and h5py with these
libraries and with Varve.

    bench/run.sh --loads [--size BYTES] [--count TENSORS] [--rounds N]

The files are written by these libraries: one with a large tensor, and one with
many tensors, all cached. In every round each call runs once, in random order.
A ratio is their time divided by Varve's: above 1 Varve is faster. Missing
libraries are skipped.

SPDX-License-Identifier: MIT
"""
import argparse
import json
import os
import random
import sys
import tempfile

import model
import turns

# The measured operation, the call of the library, and that of Varve.
WORKS = {
    'torch': [
        ('into memory', 'load_file', 'graph'),
        ('into memory, nothing verified', 'load_file', 'graph_unverified'),
        ('mapped', 'load_mapped', 'over'),
        ('names, types and shapes', 'load_mapped', 'names'),
    ],
    'h5py': [
        ('into memory', 'load_file', 'graph'),
        ('names, types and shapes', 'list_file', 'names'),
    ],
}
SUFFIXES = {'torch': '.pt', 'h5py': '.h5'}


def measure(workers, samples, peer, name, rounds):
    for each in (peer, 'varve'):
        workers[each].do('model ' + name)
    samples.add((peer, name, 'save'), workers[peer].do('save'))
    path = f'{workers.place.scratch}/{peer}.{name}{SUFFIXES[peer]}'
    calls = ([(peer, c) for c in sorted({w[1] for w in WORKS[peer]})] +
             [('varve', w[2]) for w in WORKS[peer]])
    for turn in range(rounds):
        random.Random(turn).shuffle(calls)
        for who, command in calls:
            samples.add((peer, name, command),
                        workers[who].do(f'{command} {path}'))
    workers.remove(peer, name)


def rows_of(samples, peer, names):
    for name in names:
        for text, theirs, ours in WORKS[peer]:
            keys = [(peer, name, c) for c in (theirs, ours)]
            if not all(samples.times.get(k) for k in keys):
                why = [samples.why.get(k) for k in keys]
                sys.exit(f'loads: {peer}: {names[name]}: {text}: {why}')
            their, our = (samples.median(k) for k in keys)
            swings = max(map(samples.swing, keys)) > turns.MOST_SWING
            yield {'peer': peer, 'file': names[name], 'what': text,
                   'their_ms': their * 1e3, 'varve_ms': our * 1e3,
                   'theirs': samples.figure(keys[0]),
                   'varve': samples.figure(keys[1]),
                   'ratio': '' if swings else round(their / our, 2)}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('--worker', required=True)
    parser.add_argument('--scratch', required=True)
    parser.add_argument('--size', type=int, default=500_000_000)
    parser.add_argument('--count', type=int, default=10_000)
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--smoke', action='store_true')
    return parser.parse_args()


def main():
    args = arguments()
    if args.smoke:
        args.size, args.count, args.rounds = 1_000_000, 50, 1
    samples, load = turns.Samples(), [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory(dir=args.scratch) as models:
        place = turns.Place(args.worker, args.scratch, models)
        large, many = f'{args.size / 1e6:.0f} MB', f'{args.count} tensors'
        names = {'large': large, 'many': many}
        model.make(models, 'large', model.even(args.size, 32))
        model.make(models, 'many', model.many(args.count, 1024))
        workers = turns.Workers([*WORKS, 'varve'], place)
        here = [peer for peer in WORKS if not workers[peer].absent]
        for peer in sorted({*WORKS} - {*here}):
            print(f'loads: {peer} is skipped, {workers[peer].absent}',
                  file=sys.stderr)
        for peer in here:
            for name in names:
                measure(workers, samples, peer, name, args.rounds)
        versions = {peer: workers[peer].version for peer in here}
        workers.end()
    rows = [r for peer in here for r in rows_of(samples, peer, names)]
    load.append(os.getloadavg()[0])
    print(f'\nMedian (minimum) of {args.rounds}; load {load[0]:.1f} to '
          f'{load[1]:.1f}.\n\n| | theirs, ms | Varve, ms | ratio |\n'
          '| --- | ---: | ---: | ---: |', file=sys.stderr)
    for row in rows:
        print('| {peer}: {file}, {what} | {theirs} | {varve} | {ratio} |'
              .format(**row), file=sys.stderr)
    print(json.dumps({'schema': 'varve.loads/2', 'versions': versions,
                      'rounds': args.rounds, 'load': load, 'rows': rows}))


main()
