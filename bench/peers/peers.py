#!/usr/bin/env python3
"""peers.py - Compares Varve with other libraries and with plain file access in
one run.

    bench/run.sh --peers [OPTIONS]

Prints a table to standard error and JSON (schema varve.peers/2) to standard
output. README.md explains both.

SPDX-License-Identifier: MIT
"""
import argparse
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time

import model
import turns

PEERS = ['npz', 'h5py', 'adios2', 'zarr', 'orbax', 'torch', 'safetensors',
         'dcp', 'tensorflow']
NAMES = {'h5py': 'HDF5', 'npz': 'NumPy npz', 'adios2': 'ADIOS2', 'dcp': 'DCP',
         'zarr': 'Zarr', 'orbax': 'Orbax', 'tensorflow': 'TensorFlow',
         'varve': 'Varve'}
LIMITS = {
    'write': 'write', 'write 0.01': 'write of the changes',
    'write_back': 'write with write-back per MiB',
    'write_direct': 'direct writes, 4 at once', 'copy': '`memcpy`',
    'copy_all': 'copy on all cores', 'read 1': 'one reader',
    'read 4': '4 readers'}
WRITES = ['write', 'write_back', 'write_direct']


class Stage:
    """A model, the peers that take part, and the commands of each in a
    round."""

    def __init__(self, name, tensors, ours, limits, theirs, is_ordered=False):
        self.name, self.tensors, self.is_ordered = name, tensors, is_ordered
        self.of = {'varve': ours, 'raw': limits, **theirs}
        self.peers = list(self.of) if not is_ordered else (
            list(theirs) + ['varve', 'raw'])
        self.done = {}

    def commands(self, peer):
        return self.of[peer]


def stages(args):
    """Sizes are those of the options."""
    all_of = {peer: ['save', 'into', 'cold into'] for peer in PEERS}
    small = {peer: ['save', 'into', 'list'] for peer in PEERS}
    return [
        Stage('large', model.transformer(args.size),
              ['save', 'into', 'into_verified', 'cold into',
               'cold into_verified'],
              WRITES + ['copy', 'keep', 'read 4', 'cold read 1', 'cold read 4'],
              all_of),
        Stage('small', model.many(args.small, 1024),
              ['save', 'into', 'into_one_pass', 'list'],
              WRITES + ['copy'], small),
        Stage('tiny', model.many(args.tiny, 16),
              ['save', 'into', 'list'], WRITES + ['copy'], small),
        Stage('bundle', model.transformer(args.size // 3),
              ['foreign {scratch}/tensorflow.bundle'], ['copy'],
              {'tensorflow': ['save', 'into']}, is_ordered=True),
        Stage('hold', model.transformer(args.size // 3),
              ['snapshot', 'snapshot_again', 'background',
               'background_at_rest', 'save_changed 0.01'],
              ['copy', 'copy_all', 'write 0.01'],
              {'torch': ['snapshot', 'snapshot_again'],
               'npz': ['snapshot', 'snapshot_again'],
               'tensorflow': ['background'], 'dcp': ['background'],
               'safetensors': ['save']}),
    ]


class Work:
    """A row: the names of Varve's and the others' results in a stage, and
    limits."""

    def __init__(self, text, stage, ours, theirs, limits):
        self.text, self.stage = text, stage
        self.ours, self.theirs, self.limits = ours, theirs, limits


def works(args):
    large, part = size_text(args.size), size_text(args.size // 3)
    small, tiny = f'{args.small:,} of 4 KiB', f'{args.tiny:,} of 64 B'
    foreign = 'foreign {scratch}/tensorflow.bundle'
    cold = ['cold read 1', 'cold read 4']
    return [
        Work(f'durable save, {large}', 'large', ['save'], 'save', WRITES),
        Work("warm restore into the program's memory", 'large',
             ['into', 'into_verified'], 'into', ['copy', 'read 4']),
        Work('the same, cold', 'large', ['cold into', 'cold into_verified'],
             'cold into', cold),
        Work(f'{small}, durable save', 'small', ['save'], 'save', WRITES),
        Work(f'{small}, warm restore', 'small', ['into', 'into_one_pass'],
             'into', ['copy']),
        Work(f'{tiny}, durable save', 'tiny', ['save'], 'save', WRITES),
        Work(f'{tiny}, warm restore', 'tiny', ['into'], 'into', ['copy']),
        Work(f'names of {args.tiny:,}', 'tiny', ['list'], 'list', []),
        Work(f'a TensorFlow bundle, {part}', 'bundle', [foreign], 'into',
             ['copy']),
        Work(f'first snapshot, {part}', 'hold', ['snapshot'], 'snapshot',
             ['copy', 'copy_all']),
        Work('a later one', 'hold', ['snapshot_again'], 'snapshot_again',
             ['copy_all']),
        Work('how long a save blocks the caller', 'hold',
             ['background', 'background_at_rest'], 'background',
             ['copy_all']),
        Work(f'durable save, 1 % of {part} changed', 'hold',
             ['save_changed 0.01'], 'save', ['write 0.01']),
    ]


def size_text(size):
    return (f'{size / 1e9:.2g} GB' if size >= 1e9 else
            f'{size / 1e6:.0f} MB' if size >= 1e6 else f'{size:,} bytes')


# --- Telling ----------------------------------------------------------------

def our_cell(samples, work):
    cells = []
    for command in work.ours:
        key = (work.stage, command, 'varve')
        words = (command.endswith('verified') * 'verified first '
                 or command.endswith('one_pass') * 'one pass '
                 or command.endswith('zero_copy') * 'zero copy ')
        if key in samples.times:
            cells.append(words + samples.figure(key))
        else:
            cells.append(words + str(samples.why.get(key, 'not reached')))
    return ', '.join(cells)


def their_cell(samples, work, stage):
    """Lists every peer: with its result, or the reason for its absence."""
    found, missing, absent = [], [], []
    for peer in stage.peers:
        key = (work.stage, work.theirs, peer)
        if peer in turns.OURS or work.theirs not in stage.commands(peer):
            continue
        name = NAMES.get(peer, peer)
        if key in samples.times:
            found.append((samples.median(key),
                          f'{name} {samples.figure(key)}'))
        elif samples.why.get(key, '').startswith('missing'):
            absent.append(name)
        else:
            missing.append(f"{name}: {samples.why.get(key, 'not reached')}")
    if absent:
        missing.append('missing: ' + ', '.join(absent))
    return '; '.join(
        [', '.join(text for _, text in sorted(found))] * bool(found) + missing)


def limit_cell(samples, work):
    """Returns the fastest by median."""
    found = []
    for command in work.limits:
        key = (work.stage, command, 'raw')
        if key in samples.times:
            name = LIMITS[command.removeprefix('cold ')]
            found.append((samples.median(key),
                          f'{name} {samples.figure(key)}'))
    return min(found)[1] if found else ''


def print_table(samples, args, chosen, rounds, stream):
    print('\nMilliseconds, median and least of the rounds; load before and '
          'after.\n\n| work | Varve | beside | limit | rounds | load |\n'
          '| --- | --- | --- | --- | ---: | --- |',
          file=stream)
    by_name = {stage.name: stage for stage in chosen}
    for work in works(args):
        if work.stage in rounds:
            load = ' to '.join(f'{l:.1f}' for l in samples.loads[work.stage])
            print(f'| {work.text} | {our_cell(samples, work)} | '
                  f'{their_cell(samples, work, by_name[work.stage])} | '
                  f'{limit_cell(samples, work)} | {rounds[work.stage]} | '
                  f'{load} |', file=stream)


def processor():
    try:
        with open('/proc/cpuinfo') as file:
            for line in file:
                if line.startswith('model name'):
                    return line.split(':', 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


def machine():
    return {'processors': os.cpu_count(), 'processor': processor(),
            'memory': os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGESIZE'),
            'system': f'{platform.system()} {platform.release()}',
            'python': platform.python_version()}


def print_json(samples, args, versions, rounds, sizes):
    rows = [{'stage': stage, 'command': command, 'peer': peer, 'runs': runs}
            for (stage, command, peer), runs in samples.times.items()]
    missing = [{'stage': stage, 'command': command, 'peer': peer, 'why': why}
               for (stage, command, peer), why in samples.why.items()]
    json.dump({'schema': 'varve.peers/2', 'machine': machine(),
               'when': time.strftime('%Y-%m-%d'), 'versions': versions,
               'size': args.size, 'small': args.small, 'tiny': args.tiny,
               'rounds': rounds, 'load': samples.loads, 'bytes': sizes,
               'rows': rows, 'missing': missing}, sys.stdout, indent=1)
    print()


# --- All --------------------------------------------------------------------

def run(args, place):
    chosen = [s for s in stages(args) if args.only in ('', s.name)]
    peers = [p for p in PEERS if p in args.peers.split(',')]
    for stage in chosen:
        stage.peers = [
            p for p in stage.peers if p in peers or p in turns.OURS]
    needed = {p for s in chosen for p in s.peers}
    workers = turns.Workers(sorted(needed), place)
    samples, rounds, sizes = turns.Samples(), {}, {}
    until = time.time() + args.seconds / max(1, len(chosen))
    try:
        for stage in chosen:
            sizes[stage.name] = model.make(
                place.models, stage.name, stage.tensors)
            rounds[stage.name] = turns.run_stage(
                workers, samples, stage, args.rounds, until)
            until += args.seconds / len(chosen)
            os.unlink(os.path.join(place.models, stage.name + '.bin'))
    except KeyboardInterrupt:
        print('interrupted: results so far', file=sys.stderr)
    versions = {p: workers[p].version for p in sorted(needed)
                if not workers[p].absent and p != 'raw'}
    workers.end()
    print_table(samples, args, chosen, rounds, sys.stderr)
    print_json(samples, args, versions, rounds, sizes)
    good = {peer for _, _, peer in samples.times}
    return 0 if 'varve' in good or not chosen else 1


def arguments():
    parser = argparse.ArgumentParser(prog='bench/run.sh --peers')
    add = parser.add_argument
    add('--worker', required=True, help=argparse.SUPPRESS)
    add('--scratch', required=True, help=argparse.SUPPRESS)
    add('--rounds', type=int, default=5)
    add('--seconds', type=float, default=1e9,
        help='start no further round after this time')
    add('--size', type=int, default=1_493_000_000, help='of the large model')
    add('--small', type=int, default=10_000, help='values of 4 KiB')
    add('--tiny', type=int, default=100_000, help='values of 64 bytes')
    add('--peers', default=','.join(PEERS))
    add('--only', default='', help='large, small, tiny, bundle or hold')
    add('--smoke', action='store_true', help='a tiny run as a test')
    args = parser.parse_args()
    if args.smoke:
        args.size, args.small, args.tiny, args.rounds = 1 << 20, 50, 100, 1
    return args


def main():
    args = arguments()
    shared = '/dev/shm' if os.path.isdir('/dev/shm') else None
    models = tempfile.mkdtemp(prefix='varve-peers.', dir=shared)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run(args, turns.Place(args.worker, args.scratch, models))
    finally:
        shutil.rmtree(models)


if __name__ == '__main__':
    sys.exit(main())
