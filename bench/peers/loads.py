#!/usr/bin/env python3
"""loads.py - a file of torch.save as PyTorch reads it and as Varve does.

    bench/run.sh --loads [--size BYTES] [--count TENSORS] [--rounds N]

The files are PyTorch's own: one large, and one of many tensors, both warm. In
every round each call has its turn, in an order of its own. A ratio is PyTorch's
time over Varve's: above 1 Varve is quicker. Without torch it is skipped.

SPDX-License-Identifier: MIT
"""
import argparse
import json
import random
import sys
import tempfile

import model
import turns

# What is asked for, of PyTorch, and of Varve.
WORKS = [
    ('into memory', 'load_file', 'graph'),
    ('into memory, nothing verified', 'load_file', 'graph_unverified'),
    ('mapped', 'load_mapped', 'over'),
    ('names, types and shapes', 'load_mapped', 'names'),
]


def measure(workers, samples, name, rounds):
    for peer in workers.all:
        workers[peer].do('model ' + name)
    samples.add((name, 'save'), workers['torch'].do('save'))
    path = f'{workers.place.scratch}/torch.{name}.pt'
    calls = ([('torch', c) for c in sorted({w[1] for w in WORKS})] +
             [('varve', w[2]) for w in WORKS])
    for turn in range(rounds):
        random.Random(turn).shuffle(calls)
        for peer, command in calls:
            samples.add((name, command), workers[peer].do(f'{command} {path}'))
    workers.remove('torch', name)


def rows_of(samples, names):
    for name in names:
        for text, theirs, ours in WORKS:
            times = [samples.times.get((name, c)) for c in (theirs, ours)]
            if not all(times):
                why = [samples.why.get((name, c)) for c in (theirs, ours)]
                sys.exit(f'loads: {name}: {text}: {why}')
            torch, varve = (samples.median((name, c)) for c in (theirs, ours))
            yield {'file': name, 'what': text, 'torch_ms': torch * 1e3,
                   'varve_ms': varve * 1e3, 'ratio': torch / varve}


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
    samples = turns.Samples()
    with tempfile.TemporaryDirectory(dir=args.scratch) as models:
        place = turns.Place(args.worker, args.scratch, models)
        large, many = f'{args.size / 1e6:.0f} MB', f'{args.count} tensors'
        names = {'large': large, 'many': many}
        model.make(models, 'large', model.even(args.size, 32))
        model.make(models, 'many', model.many(args.count, 1024))
        workers = turns.Workers(['torch', 'varve'], place)
        if workers['torch'].absent:
            print(f'loads: skipped, {workers["torch"].absent}')
            return
        for name in names:
            measure(workers, samples, name, args.rounds)
        version = workers['torch'].version
        workers.end()
    rows = list(rows_of(samples, names))
    print(f'| torch.save, {version} | PyTorch, ms | Varve, ms | ratio |\n'
          '| --- | ---: | ---: | ---: |', file=sys.stderr)
    for row in rows:
        row['file'] = names[row['file']]
        print('| {file}, {what} | {torch_ms:.3g} | {varve_ms:.3g} | '
              '{ratio:.2f} |'.format(**row), file=sys.stderr)
    print(json.dumps({'schema': 'varve.loads/1', 'torch': version,
                      'rounds': args.rounds, 'rows': rows}))


main()
