"""proxied.py - Tests saves and resumes of managers through a proxy that
delays, repeats, drops and damages messages.

REMOTE_SCHEDULES=300 runs that many schedules, and REMOTE_SEED=7 starts with
that one.

SPDX-License-Identifier: MIT
"""
import collections
import os

import proxy
from base import make, probe
from writes import FILE, LARGE, SMALL, Store, note

RUN = 's3://bucket/run'
SAVES = 3
LOCK = '/bucket/run/.ckpt.lock'


class Proxied(Store):
    def setUp(self):
        super().setUp()
        host, port = self.server.http.server_address[:2]
        self.proxy = self.enterContext(proxy.Proxy((host, port)))
        self.aws['AWS_ENDPOINT_URL'] = self.proxy.url

    def test_a_save_survives_each_fault_of_each_request(self):
        """Applies each fault once to each request of a save: the save
        succeeds in the end."""
        for what, count in ((SMALL, 1), (LARGE, 8)):
            for at in range(count):
                for fate in proxy.FATES:
                    self.store.files.clear()
                    self.fate_at(fate, at)
                    self.write('VARVE_OK', how='new', what=what,
                               PROBE_CONCURRENCY='1')
                    self.has(what)
        self.assertEqual(set(self.proxy.counts), set(proxy.FATES))

    def fate_at(self, fate, at):
        """Applies the fault to the request with this number only."""
        seen = []

        def draw(first):
            seen.append(first)
            chosen = fate if len(seen) == at + 1 else None
            if chosen:
                self.proxy.counts[fate] = self.proxy.counts.get(fate, 0) + 1
            return chosen
        self.proxy.draw = draw

    def test_a_read_survives_each_fault_of_each_request(self):
        file = make('small.varve', 6, 90000)
        self.put('/bucket/run/a.varve', file)
        for at in range(8):
            for fate in proxy.FATES:
                self.fate_at(fate, at)
                self.assertEqual(
                    probe('equal', '1', file, RUN + '/a.varve', **self.aws,
                          PROBE_RANGE='65536'), ['COUNT VARVE_OK 1'],
                    (fate, at))

    def test_permanent_faults_give_no_wrong_values(self):
        """Faults cause errors, never wrong values."""
        file = make('small.varve', 6, 90000)
        self.put('/bucket/run/a.varve', file)
        for fate in ('lose', 'lose before', 'shorter', 'gateway'):
            self.proxy.reset(1, 0)
            self.proxy.always = fate
            lines = probe('equal', '1', file, RUN + '/a.varve', **self.aws,
                          PROBE_ATTEMPTS='3')
            self.assertNotIn('COUNT VARVE_OK 1', lines, fate)
            self.assertFalse([line for line in lines if 'WRONG' in line])
            line, = self.writer('write', 's3:/' + FILE, *LARGE,
                                PROBE_ATTEMPTS='3')
            self.assertRegex(line, '^VARVE_(IO|UNKNOWN_OUTCOME) ', fate)

    # --- Managers ------------------------------------------------------------

    def schedule(self, seed, rate, counts):
        """Saves with a manager, then resumes with the same faults, and without
        faults."""
        self.store.files.clear()
        self.store.uploads.clear()
        self.proxy.reset(seed, rate)
        lines = self.writer('manage', RUN, str(SAVES), '0')
        done = self.saved(lines, counts)
        self.store.files.pop(LOCK, None)
        self.check_resume(done, self.writer('resume', RUN), counts, False)
        self.store.files.pop(LOCK, None)
        self.proxy.reset(seed, 0)
        self.check_resume(done, self.writer('resume', RUN), counts, True)

    def saved(self, lines, counts):
        """Returns the newest step whose save was reported; all of these
        must exist."""
        statuses = [line.split(' ')[0] for line in lines
                    if line.startswith('VARVE_')]
        newest = 0
        for step, status in enumerate(statuses[-SAVES:], 1):
            counts['save ' + status] += 1
            if status == 'VARVE_OK' and len(statuses) >= SAVES:
                newest = step
        return newest

    def check_resume(self, done, lines, counts, is_good):
        counts['resume ' + lines[0].split(' ')[0]] += 1
        if is_good:
            self.assertEqual(lines[0], 'VARVE_OK ', lines)
        if lines[0] == 'VARVE_OK ':
            _, step, values = lines[-1].split(' ')
            self.assertGreaterEqual(int(step), done, lines)
            if step != '0':
                self.assertEqual(values, 'equal', lines)

    def test_random_schedules_of_faults(self):
        is_long = os.environ.get('VARVE_PROOF') == 'long'
        count = int(os.environ.get('REMOTE_SCHEDULES',
                                   300 if is_long else 30))
        first = int(os.environ.get('REMOTE_SEED', 1))
        counts = collections.Counter()
        for seed in range(first, first + count):
            with self.subTest(seed=seed):
                self.schedule(seed, (0.05, 0.2, 0.4)[seed % 3], counts)
        fates = sum(self.proxy.counts.values())
        note('remote.fates', fates)
        print(f'remote: {fates} faults of requests in {count} schedules of a '
              f'manager: {dict(sorted(counts.items()))}')
        self.assertGreater(counts['save VARVE_OK'], count)
        self.assertGreater(counts['resume VARVE_OK'], count)
        if count >= 30:
            self.assertEqual(set(self.proxy.counts), set(proxy.FATES))
