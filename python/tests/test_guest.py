"""test_guest.py - the interpreter's own arithmetic, after a call as before it.

SPDX-License-Identifier: MIT
"""
import ctypes
import math
import mmap
import platform
import statistics
import time
import unittest

import numpy as np

import varve
from place import Test

MOST = 1.05        # times as long after a call
MOST_SWING = 0.15  # of the rounds before; else the machine says nothing
ROUNDS, ATTEMPTS, LEAST_OF = 7, 5, 3
NUMBERS = [i * -0.01 for i in range(1024)]

# mov ecx, 1; xgetbv; ret: which parts of the registers are in use
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
    """Of a few instructions."""
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
        yield 'streaming', lambda: varve.read(self.state, self.path(),
                                              streaming=True)
        yield 'verify', verify
        yield 'plan', lambda: varve.plan(self.state, self.path())

    @unittest.skipUnless(
        has('avx', 'xgetbv1'),
        'this processor does not tell whether registers are in use')
    def test_registers_are_not_in_use(self):
        in_use = function_of(LOOK)
        for name, call in self.calls():
            call()
            self.assertEqual(in_use() & UPPER_HALVES, 0, name)

    def test_arithmetic_takes_no_longer_after_a_call(self):
        for name, call in self.calls():
            with self.subTest(name):
                self.compare(call)

    def compare(self, call):
        """What is slower by itself is so in each attempt."""
        clear = function_of(CLEAR) if has('avx') else int
        ratios = []
        for _ in range(ATTEMPTS):
            before, after = [], []
            for _ in range(ROUNDS):
                clear()  # what the round before has left
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
