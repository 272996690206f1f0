"""ahead.py - Tests prefetched ranges and multipart uploads: number, size and
concurrency of requests.

SPDX-License-Identifier: MIT
"""
import os
import re
import signal
import subprocess
import threading
import time

from base import (PROBE, VARVE, WRITER, Remote, make, path_of, probe, run,
                  surroundings)
from writes import LARGE, PART, Store

A_MIB = 1 << 20
RANGE = 4 * A_MIB
AT_ONCE = 6
URL = 's3://bucket/run/a.varve'
HOW = {'PROBE_RANGE': str(RANGE), 'PROBE_CONCURRENCY': str(AT_ONCE)}


def ranges(store):
    """Returns first byte and size of each requested range."""
    found = []
    for line, headers in store.seen:
        match = re.fullmatch(r'bytes=(\d+)-(\d+)', headers.get('Range', ''))
        if line.startswith('GET ') and match:
            first, last = int(match[1]), int(match[2])
            found.append((first, last - first + 1))
    return found


class Ahead(Remote):
    def setUp(self):
        super().setUp()
        self.aws = {**self.bucket(), **HOW}
        self.store.files.clear()
        self.store.delay = 0.02

    def keep(self, file, name='a.varve'):
        self.put('/bucket/run/' + name, file)
        self.store.forget()
        self.store.meeting = AT_ONCE
        return 's3://bucket/run/' + name

    def restore(self, file, url, **more):
        """Reads into the graph of the file; writing that graph gives the
        same file."""
        copy = path_of('restored.varve')
        lines = probe('graph', file, url, copy, PROBE_THREADS='1',
                      **{**self.aws, **more})
        self.assertEqual(lines, ['VARVE_OK '])
        self.assertEqual(probe('equal', '1', file, copy),
                         ['COUNT VARVE_OK 1'])

    def is_fetched(self, size, passes=1):
        """Requests large ranges, several at once, and none twice in a pass."""
        asked = ranges(self.store)
        large = [each for each in asked if each[1] == RANGE]
        self.assertGreaterEqual(sum(s for _, s in large),
                                passes * (size - 2 * RANGE), asked)
        self.assertLessEqual(len(asked), passes * (size // RANGE + 3) + 4,
                             asked)
        self.assertLessEqual(sum(s for _, s in asked),
                             passes * size + A_MIB)
        self.assertEqual(self.store.most_flying, AT_ONCE)

    def test_large_values_are_restored_with_few_requests(self):
        file = make('ahead.varve', 12, 4 * A_MIB)
        url = self.keep(file)
        self.restore(file, url, PROBE_PASSES='1')
        self.is_fetched(48 * A_MIB)

    def test_a_restoration_that_verifies_first(self):
        file = make('ahead.varve', 12, 4 * A_MIB)
        url = self.keep(file)
        self.restore(file, url, PROBE_PASSES='2')
        self.is_fetched(48 * A_MIB, passes=2)

    def test_small_values_are_restored_with_few_requests(self):
        file = make('many.varve', 30000, 1000)
        url = self.keep(file)
        self.restore(file, url, PROBE_PASSES='1')
        asked = ranges(self.store)
        self.assertLessEqual(len(asked), 30 * A_MIB // RANGE + 10, asked)

    def test_a_reader_requests_large_ranges(self):
        """Requests large ranges, although it reads chunk by chunk."""
        file = make('one.varve', 1, 30 * A_MIB)
        url = self.keep(file)
        self.assertEqual(probe('value', url, 'values/0', **self.aws),
                         ['VARVE_OK '])
        self.is_fetched(30 * A_MIB)

    def test_verify_requests_large_ranges(self):
        file = make('ahead.varve', 12, 4 * A_MIB)
        url = self.keep(file)
        self.verify(url, 'VARVE_OK', **self.aws)
        self.is_fetched(48 * A_MIB)

    def test_small_ranges_are_not_extended(self):
        file = make('few.varve', 3, A_MIB)
        url = self.keep(file)
        self.assertEqual(probe('value', url, 'values/1', **self.aws),
                         ['VARVE_OK '])
        self.assertLessEqual(self.store.requests, 4)
        self.assertLessEqual(self.store.bytes, A_MIB + 4 * 65536)

    def test_faults_cause_no_wrong_values(self):
        file = make('ahead.varve', 12, 4 * A_MIB)
        url = self.keep(file)
        self.store.delay = 0
        self.store.rate = 0.2
        for _ in range(3):
            self.restore(file, url, PROBE_PASSES='1', PROBE_ATTEMPTS='20')
        self.assertGreater(sum(self.store.faults.values()), 5)

    def test_a_file_replaced_during_the_fetch_is_detected(self):
        file = make('ahead.varve', 12, 4 * A_MIB)
        url = self.keep(file)
        self.store.swap = lambda count: count == 8 and self.put(
            '/bucket/run/a.varve', self.small)
        line, = probe('graph', file, url, '-', PROBE_PASSES='2', **self.aws)
        self.says(line, 'VARVE_IO', 'changed since it was opened')

    def test_a_permanent_failure_is_reported_soon(self):
        """A failure is reported soon; pending requests are canceled."""
        file = make('ahead.varve', 12, 4 * A_MIB)
        url = self.keep(file)
        self.store.swap = lambda count: count == 8 and setattr(
            self.store, 'always', 'silence')
        begin = time.monotonic()
        line, = probe('graph', file, url, '-', PROBE_STALL='1',
                      PROBE_ATTEMPTS='1', PROBE_PASSES='2', **self.aws)
        self.says(line, 'VARVE_IO', 'Timeout was reached')
        self.assertLess(time.monotonic() - begin, 20)

    def memory_of(self, url):
        """Returns the peak memory of a process that verifies the file."""
        self.store.meeting = 1
        # Disable AddressSanitizer's quarantine of freed memory.
        options = ':'.join(filter(None, [os.environ.get('ASAN_OPTIONS'),
                                         'quarantine_size_mb=0',
                                         'thread_local_quarantine_size_kb=0']))
        with subprocess.Popen(
                [PROBE, 'verify', url],
                env=surroundings(**self.aws, ASAN_OPTIONS=options),
                stdout=subprocess.PIPE, text=True) as process:
            peak = 0
            while process.poll() is None:
                with open(f'/proc/{process.pid}/status',
                          encoding='utf-8') as stream:
                    found = re.search(r'VmHWM:\s+(\d+)', stream.read())
                peak = max(peak, int(found[1]) if found else 0)
                time.sleep(0.005)
            self.assertEqual(process.stdout.read(), 'VARVE_OK \n')
        return peak << 10

    def test_memory_is_bounded(self):
        """Memory does not depend on the size of the file."""
        few, some, many = (
            self.memory_of(self.keep(make(f'bound-{count}.varve', count,
                                          4 * A_MIB)))
            for count in (1, 16, 48))
        self.assertLess(many - few, AT_ONCE * RANGE + 8 * A_MIB)
        self.assertLess(abs(many - some), 12 * A_MIB)

    def test_compressed_values_are_fetched_once(self):
        """Fewer bytes are transferred, each frame once."""
        if VARVE == '-':
            self.skipTest('the command is not built')
        file = make('ahead.varve', 12, 4 * A_MIB)
        packed = path_of('packed.varve')
        run(VARVE, 'convert', '-f', '--compress=1', file, packed)
        url = self.keep(packed)
        self.restore(file, url, PROBE_PASSES='1')
        self.assertLessEqual(len(ranges(self.store)), 12)


class SentAtOnce(Store):
    def test_parts_are_sent_concurrently(self):
        self.store.delay = 0.05
        self.store.meeting = 3
        self.write('VARVE_OK', PROBE_CONCURRENCY='3')
        self.has(LARGE)
        self.assertEqual(self.store.most_flying, 3)

    def test_all_of_ten_parts_are_sent_concurrently_by_default(self):
        self.store.delay = 0.4
        self.store.meeting = 10
        what = '12', str(PART), '7'
        self.write('VARVE_OK', what=what)
        self.has(what)
        self.assertEqual(self.store.most_flying, 10)

    def test_a_failed_part_fails_the_save(self):
        """Sends no further parts after a part has failed."""
        third = 'partNumber=3&'
        attempts = []
        failed = threading.Event()

        def answer_after_the_third(line):
            if third in line:
                attempts.append(line)
                if len(attempts) == 2:
                    failed.set()
            elif 'partNumber' in line:
                failed.wait(60)
                time.sleep(0.5)

        self.rules.always, self.rules.only = '500', third
        self.rules.hook = answer_after_the_third
        self.write('VARVE_IO', 'unexpected response 500',
                   what=('40', str(PART), '7'), PROBE_ATTEMPTS='2')
        self.has_nothing()
        sent = [line for line, _ in self.store.seen if 'partNumber' in line]
        self.assertLess(len(sent), 30)

    def test_a_killed_save_leaves_no_object(self):
        """Leaves no object under the name."""
        self.store.delay = 0.2
        with subprocess.Popen(
                [WRITER, 'write', URL, '30', str(PART), '7'],
                env=surroundings(**self.aws)) as process:
            time.sleep(0.6)
            process.send_signal(signal.SIGKILL)
        self.assertEqual(self.store.files, {})
