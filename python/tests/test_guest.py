"""test_guest.py - Checks that a call leaves the interpreter unchanged: the
speed of arithmetic, threads, files, signals and modes.

SPDX-License-Identifier: MIT
"""
import ctypes
import decimal
import faulthandler
import gc
import locale
import math
import mmap
import os
import platform
import random
import signal
import statistics
import sys
import threading
import time
import unittest
import warnings

import numpy as np

import varve
from place import Test

MOST = 1.05        # permitted ratio of the times after and before a call
# largest spread of the times before a call that still permits a comparison
MOST_SWING = 0.15
ROUNDS, ATTEMPTS, LEAST_OF = 7, 5, 3
NUMBERS = [i * -0.01 for i in range(1024)]

# mov ecx, 1; xgetbv; ret: returns the register components in use
LOOK = b'\xb9\x01\x00\x00\x00\x0f\x01\xd0\xc3'
CLEAR = b'\xc5\xf8\x77\xc3'  # vzeroupper; ret
UPPER_HALVES = 0x44


def flags():
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as stream:
            lines = [line for line in stream if line.startswith('flags')]
    except OSError:
        lines = []
    return lines[0].split() if lines else []


def has(*needed):
    return platform.machine() == 'x86_64' and {*needed} <= set(flags())


def function_of(code):
    """Returns a function of a few machine instructions."""
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ |
                       mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    held = ctypes.c_char.from_buffer(memory)
    function = ctypes.CFUNCTYPE(ctypes.c_uint32)(ctypes.addressof(held))
    return lambda held=held: function()


def loop():
    begin = time.perf_counter()
    for _ in range(30):
        math.fsum(NUMBERS)
        math.fsum(map(math.exp, NUMBERS[:100]))
    return time.perf_counter() - begin


def least():
    return min(loop() for _ in range(LEAST_OF))


def listed(folder):
    """Lists a folder of /proc, without the descriptor that lists it."""
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    return sorted((name, place) for name in names
                  if (place := link(os.path.join(folder, name))) is not None)


def link(path):
    try:
        return os.readlink(path) if os.path.islink(path) else ''
    except OSError:
        return None


def handlers():
    return {number: signal.getsignal(number)
            for number in signal.valid_signals()}


def traces():
    """Returns all state of the process that a call could change."""
    gc.collect()
    umask = os.umask(0)
    os.umask(umask)
    return {
        'threads': [name for name, _ in listed('/proc/self/task') or []],
        'threads of Python': threading.enumerate(),
        'files': listed('/proc/self/fd'), 'handlers': handlers(),
        'blocked signals': signal.pthread_sigmask(signal.SIG_BLOCK, []),
        'waking': signal.set_wakeup_fd(-1), 'umask': umask,
        'folder': os.getcwd(), 'environment': dict(os.environ),
        'locale': locale.setlocale(locale.LC_ALL),
        'rounding': 1 + 2**-53, 'hooks': (sys.excepthook, sys.unraisablehook),
        'warnings': list(warnings.filters), 'gc': gc.isenabled(),
        'faults': faulthandler.is_enabled(), 'errors': np.geterr(),
        'decimals': str(decimal.getcontext()), 'random': random.getstate(),
        'interval': sys.getswitchinterval(),
    }


class Guest(Test):

    def setUp(self):
        super().setUp()
        self.state = {'a': np.ones(1 << 20, 'f4'), 'b': np.ones((3, 5)),
                      'step': 1}
        varve.write(self.state, self.path())

    def calls(self):
        def verify():
            with varve.Reader(self.path()) as reader:
                reader.verify()

        yield 'save', lambda: varve.save(self.state, self.path('s'))
        yield 'read', lambda: varve.read(self.state, self.path())
        yield 'one pass', lambda: varve.read(self.state, self.path(),
                                             passes='one')
        yield 'verify', verify
        yield 'dry_run', lambda: varve.dry_run(self.state, self.path())

    def more_calls(self):
        """Yields calls that fail, leave a file open, or save asynchronously."""
        def damaged():
            with open(self.path(), 'rb') as stream:
                bytes_ = bytearray(stream.read())
            bytes_[-100] ^= 1
            with open(self.path('damaged'), 'wb') as stream:
                stream.write(bytes_)
            varve.load(self.path('damaged'))

        def stopped(done, _total, _what):
            raise KeyError(done)

        def waiting():
            with varve.restore({'a': self.state['a']},
                               self.path()) as restoration:
                restoration.report()

        def managed():
            checkpoint = varve.Checkpoint(state=self.state)
            with varve.Manager(checkpoint, self.path('run'), background=True,
                               keep_last=1, interval_seconds=0) as manager:
                manager.save(1)
                manager.save(2, force=True)
                manager.wait()
                manager.resume()

        def mapped():
            with varve.open(self.path()) as reader:
                self.assertEqual(reader['a'].map()[5], 1)

        yield 'no such file', lambda: varve.load(self.path('nowhere'))
        yield 'no such folder', lambda: varve.write({}, '/proc/nowhere/a')
        yield 'damaged', damaged
        yield 'misfit', lambda: varve.restore({'a': np.ones(3)}, self.path())
        yield 'no number', lambda: varve.write({'a': object()}, self.path())
        yield 'stopped', lambda: varve.write(self.state, self.path('x'),
                                             progress=stopped)
        yield 'waiting', waiting
        yield 'managed', managed
        yield 'mapped', mapped
        yield 'load', lambda: varve.load(self.path(), map=True)
        yield 'packed', lambda: varve.write(self.state, self.path('p'),
                                            compress=3)
        yield 'threads', lambda: varve.read(self.state, self.path(), threads=4)

    def test_calls_leave_no_process_state_changed(self):
        failed = set()
        for name, call in [*self.calls(), *self.more_calls()]:
            before = traces()
            try:
                call()
            except (varve.Error, KeyError):
                failed.add(name)
            after = traces()
            for what, found in before.items():
                self.assertEqual(after[what], found, f'{name}: {what}')
        self.assertEqual(failed - {'packed'},  # there may be no Zstandard
                         {'no such file', 'no such folder', 'damaged',
                          'misfit', 'no number', 'stopped'})

    @unittest.skipUnless(
        has('avx', 'xgetbv1'),
        'this processor does not tell whether registers are in use')
    def test_calls_leave_no_upper_register_halves_in_use(self):
        in_use = function_of(LOOK)
        for name, call in self.calls():
            call()
            self.assertEqual(in_use() & UPPER_HALVES, 0, name)

    def test_a_call_does_not_slow_later_arithmetic(self):
        for name, call in self.calls():
            with self.subTest(name):
                self.compare(call)

    def compare(self, call):
        """Fails if arithmetic is slower after the call in each attempt."""
        clear = function_of(CLEAR) if has('avx') else int
        ratios = []
        for _ in range(ATTEMPTS):
            before, after = [], []
            for _ in range(ROUNDS):
                clear()  # resets the state that an earlier round may have left
                before.append(least())
                call()
                after.append(least() / before[-1])
            low, middle, high = statistics.quantiles(before)
            if (high - low) / middle <= MOST_SWING:
                ratios.append(statistics.median(after))
                if ratios[-1] <= MOST:
                    return
        if not ratios:
            self.skipTest('the machine swings too much to tell')
        self.assertLessEqual(min(ratios), MOST)


if __name__ == '__main__':
    unittest.main()
