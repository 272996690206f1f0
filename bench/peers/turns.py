"""turns.py - Runs peers as persistent processes, each once per round.

SPDX-License-Identifier: MIT
"""
import collections
import json
import os
import random
import select
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = ('varve', 'raw')  # worker.c; all others use worker.py
PATIENCE = 120  # timeout of a command in seconds
MOST_SWING = 0.15  # results with a larger spread are omitted

Place = collections.namedtuple('Place', 'worker scratch models')


class Worker:
    """A process for one peer. `absent` is the reason why it cannot take part,
    or None.
    """

    def __init__(self, peer, place):
        self.peer, self.absent, self.version = peer, None, ''
        program = [place.worker] if peer in OURS else [
            sys.executable, '-B', os.path.join(HERE, 'worker.py')]
        self.process = subprocess.Popen(
            program + [peer, place.scratch, place.models], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)

    def begin(self):
        """Reads its first message."""
        hello = self.answer()
        self.version = hello.get('version', '')
        if 'version' not in hello:
            self.absent = hello.get('absent') or hello.get('error')

    def answer(self):
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if ready else ''
        if line:
            return json.loads(line)
        self.process.kill()
        self.absent = 'ended' if ready else f'no answer in {PATIENCE} s'
        return {'error': self.absent}

    def do(self, command):
        if self.absent:
            return {'absent': self.absent}
        try:
            self.process.stdin.write(command + '\n')
            self.process.stdin.flush()
        except OSError as error:
            self.absent = str(error)
            return {'error': self.absent}
        return self.answer()

    def end(self):
        try:
            self.process.stdin.close()
            self.process.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()


class Workers:
    """The processes of several peers, started together. Files or folders of a
    peer are named PEER.MODEL with a suffix."""

    def __init__(self, peers, place):
        self.place = place
        self.all = {peer: Worker(peer, place) for peer in peers}
        for worker in self.all.values():
            worker.begin()

    def __getitem__(self, peer):
        return self.all[peer]

    def end(self):
        for worker in self.all.values():
            worker.end()

    def files(self, peer, name):
        """Yields the files of a peer, including those in its folders."""
        for entry in os.listdir(self.place.scratch):
            path = os.path.join(self.place.scratch, entry)
            if not entry.startswith(f'{peer}.{name}'):
                continue
            if os.path.isfile(path):
                yield path
            for base, _, names in os.walk(path):
                yield from (os.path.join(base, n) for n in names)

    def forget(self, peer, name):
        """Removes its files from the page cache."""
        for path in self.files(peer, name):
            file = os.open(path, os.O_RDONLY)
            os.fsync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)

    def remove(self, peer, name):
        for entry in os.listdir(self.place.scratch):
            path = os.path.join(self.place.scratch, entry)
            if entry.startswith(f'{peer}.{name}') and os.path.isdir(path):
                shutil.rmtree(path)
            elif entry.startswith(f'{peer}.{name}'):
                os.unlink(path)


class Samples:
    """Times by measurement, and reasons for missing ones."""

    def __init__(self):
        self.times, self.why, self.loads = {}, {}, {}

    def add(self, key, answer):
        if 't' in answer and answer['t'] is not None:
            self.times.setdefault(key, []).append(answer['t'])
        elif 't' not in answer:
            self.why[key] = answer.get('absent') or answer.get('error')

    def median(self, key):
        return statistics.median(self.times[key])

    def least(self, key):
        return min(self.times[key])

    def swing(self, key):
        """Returns the interquartile range divided by the median, as in
        measure.c."""
        times = sorted(self.times[key])
        middle = times[len(times) * 3 // 4] - times[len(times) // 4]
        return middle / self.median(key)

    def figure(self, key):
        """Returns median and minimum in milliseconds, or a text if they
        vary too much."""
        def digits(seconds):
            value = seconds * 1e3
            return f'{value:,.0f}' if value >= 100 else f'{value:.3g}'
        if self.swing(key) > MOST_SWING:
            return f'varies by {100 * self.swing(key):.0f} %'
        return f'{digits(self.median(key))} ({digits(self.least(key))})'


def run_turn(workers, samples, stage, peer):
    """Runs all commands of a peer in a round. The files of `model` exist
    already."""
    for command in stage.commands(peer):
        key = (stage.name, command, peer)
        plain = command.removeprefix('cold ')
        if key in samples.why:
            continue
        if plain != command:
            workers.forget(peer, stage.name)
        answer = workers[peer].do(
            plain.format(scratch=workers.place.scratch))
        samples.add(key, answer)
        if command == 'into' and 'check' not in stage.done.get(peer, ''):
            stage.done[peer] = 'check'
            same = workers[peer].do('check')
            if 't' not in same:
                samples.why[key] = same.get('error', 'absent')
                samples.times.pop(key, None)
    workers[peer].do('release')


def run_stage(workers, samples, stage, rounds, until):
    """Runs every peer once per round in random order, until the time limit."""
    why = {p: f'missing: {workers[p].absent}'
           for p in stage.peers if workers[p].absent}
    if stage.is_ordered and not set(stage.peers) - set(why) - set(OURS):
        why['varve'] = 'no peer to write it'
    present = [p for p in stage.peers if p not in why]
    for peer in stage.peers:
        if peer in why:
            for command in stage.commands(peer):
                samples.why[(stage.name, command, peer)] = why[peer]
        else:
            workers[peer].do('model ' + stage.name)
    done, load = 0, os.getloadavg()[0]
    for turn in range(rounds):
        order = present[:]
        if not stage.is_ordered:
            random.Random(turn).shuffle(order)
        for peer in order:
            run_turn(workers, samples, stage, peer)
            if not stage.is_ordered:
                workers.remove(peer, stage.name)
        done += 1
        print(f'{stage.name}: round {done} of {rounds}', file=sys.stderr)
        if time.time() > until:
            break
    for peer in present:
        workers.remove(peer, stage.name)
    samples.loads[stage.name] = load, os.getloadavg()[0]
    return done
