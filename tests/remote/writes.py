"""writes.py - Tests writing to stores.

SPDX-License-Identifier: MIT
"""
import collections
import os
import queue
import shutil
import subprocess

import bucket
from base import (KEY_ID, SECRET, SIGNED, WRITER, Remote, path_of, read, run,
                  surroundings, unused_port)

PART = 64 << 10
FILE = '/bucket/run/a.varve'
URL = 's3:/' + FILE
SMALL = '1', '1000', '7'    # values, bytes of each, seed
LARGE = '3', '100000', '7'  # uploaded in five parts


def methods(store):
    """Returns the requests since `forget`, as "METHOD" and the text after
    '?'."""
    found = []
    for line, _ in store.seen:
        path, _, query = line.partition('?')
        number = query.split('&')[0]
        found.append(f'{path.split(" ")[0]} {number.split("=upload")[0]}'
                     .strip())
    return found


def note(name, count):
    """For the report of scripts/prove.sh."""
    path = os.environ.get('VARVE_PROOF_COUNTS')
    if path:
        with open(path, 'a', encoding='utf-8') as stream:
            stream.write(f'{name} {count}\n')


class Store(Remote):
    """Tests with a store that accepts small parts."""
    def setUp(self):
        super().setUp()
        self.store.files.clear()
        self.store.keys = {KEY_ID: SECRET}
        self.store.buckets = {'bucket'}
        self.rules = self.store.written
        self.rules.least_part = PART
        self.aws = {**SIGNED, 'AWS_ENDPOINT_URL': self.server.url,
                    'PROBE_PART': str(PART)}

    def writer(self, *arguments, **more):
        return run(WRITER, *arguments, **{**self.aws, **more}
                   ).stdout.splitlines()

    def write(self, status, *words, how='write', url=URL, what=LARGE, **more):
        line, = self.writer(how, url, *what, **more)
        self.says(line, status, *words)
        return line

    def expected(self, *what):
        """Returns the bytes that the same save writes to a disk."""
        path = path_of('expected-' + '-'.join(what))
        if not os.path.exists(path):
            self.assertEqual(self.writer('write', path, *what), ['VARVE_OK '])
        return read(path)

    def has(self, what, name=FILE):
        self.assertEqual(bytes(self.store.files[name].data),
                         self.expected(*what))

    def has_nothing(self):
        self.assertEqual(self.store.files, {})
        self.assertEqual(self.store.uploads, {})

    def faults_of(self, kind, only):
        self.rules.always, self.rules.only = kind, only

    def tearDown(self):
        self.assertEqual(self.rules.broken, [])
        super().tearDown()


class Writes(Store):
    def test_a_small_file_is_one_object(self):
        self.write('VARVE_OK', what=SMALL)
        self.has(SMALL)
        self.assertEqual(methods(self.store), ['PUT'])

    def test_a_large_file_is_uploaded_in_parts(self):
        """The first part is sent last, when the rest is complete."""
        self.write('VARVE_OK', PROBE_CONCURRENCY='1')
        self.has(LARGE)
        self.assertEqual(self.store.uploads, {})
        self.assertEqual(methods(self.store), [
            'POST uploads=', 'PUT partNumber=2', 'PUT partNumber=3',
            'PUT partNumber=4', 'PUT partNumber=5', 'PUT partNumber=1',
            'POST uploadId=upload%2F1%2B%3D'.split('=upload')[0], 'HEAD'])
        self.assertEqual(self.store.refused, [])

    def test_no_object_exists_before_the_end(self):
        seen = []
        self.rules.hook = lambda line: seen.append((line, dict(
            self.store.files)))
        self.write('VARVE_OK')
        for line, files in seen:
            self.assertEqual(bool(files), line.startswith('HEAD'), line)

    def test_a_file_is_replaced_in_one_step(self):
        self.write('VARVE_OK', what=SMALL)
        self.rules.hook = lambda line: self.has(
            LARGE if line.startswith('HEAD') else SMALL)
        self.write('VARVE_OK')
        self.has(LARGE)

    def test_a_session_token_is_sent(self):
        self.store.tokens = {KEY_ID: 'ToKeN/of+tests=='}
        self.write('VARVE_OK', AWS_SESSION_TOKEN='ToKeN/of+tests==')
        self.has(LARGE)

    def test_special_characters_in_names_are_kept(self):
        name = '/bucket/run/a b&c=d+e%.varve'
        self.write('VARVE_OK', url='s3:/' + name)
        self.has(LARGE, name)

    def test_a_new_file_replaces_no_object(self):
        """The object exists before, or appears while the bytes are sent."""
        self.write('VARVE_OK', what=SMALL)
        for what in (SMALL, LARGE):
            self.write('VARVE_EXISTS', 'a.varve: ', how='new', what=what)
            self.has(SMALL)

        def come_between(line):
            if 'If-None-Match' in line or line.startswith('PUT'):
                self.store.files.setdefault(FILE, bucket.Content(b'theirs'))
        for what in (SMALL, LARGE):
            self.store.files.clear()
            self.rules.hook = come_between
            self.write('VARVE_EXISTS', 'the file already exists',
                       how='new', what=what)
            self.assertEqual(self.store.files[FILE].data, b'theirs')
            self.assertEqual(self.store.uploads, {})

    def test_a_store_without_conditions_is_checked_before_the_write(self):
        self.rules.has_conditions = False
        for what in (SMALL, LARGE):
            self.store.files.clear()
            self.write('VARVE_OK', how='new', what=what)
            self.has(what)

        def come_between(_):
            self.store.files.setdefault(FILE, bucket.Content(b'theirs'))
        for what in (SMALL, LARGE):
            self.store.files.clear()
            self.rules.hook = come_between
            self.write('VARVE_EXISTS', how='new', what=what)
            self.assertEqual(self.store.files[FILE].data, b'theirs')

    def test_numbered_saves_count_up(self):
        lines = self.writer('save', 's3://bucket/run/ckpt', '4', *SMALL[:2])
        self.assertEqual(lines, ['VARVE_OK '] * 4)
        self.assertEqual(sorted(self.store.files), [
            f'/bucket/run/ckpt-{n}.varve' for n in (1, 2, 3, 4)] + [
                '/bucket/run/ckpt.latest'])
        self.assertEqual(self.store.files['/bucket/run/ckpt.latest'].data,
                         b'ckpt-4.varve\n')

    def test_asynchronous_saves_write_the_same_bytes(self):
        for words in (('save', '3', '100000'), ('incremental', '3', '100000')):
            paths = []
            for place in ('front', 'back'):
                paths.append(f's3://bucket/{words[0]}-{place}/ckpt')
                lines = self.writer(words[0], paths[-1], '2', *words[1:],
                                    PROBE_ASYNC=str(int(place == 'back')))
                self.assertEqual(lines, ['VARVE_OK '] * 2)
            for number in (1, 2):
                front, back = (f'{path}-{number}.varve' for path in paths)
                self.verify(back, 'VARVE_OK', **self.aws)
                if words[0] == 'save':
                    self.assertEqual(
                        bytes(self.store.files[front[4:]].data),
                        bytes(self.store.files[back[4:]].data))

    def test_a_late_list_skips_a_number(self):
        self.writer('save', 's3://bucket/run/ckpt', '3', *SMALL[:2])
        self.store.hidden = {'/bucket/run/ckpt-2.varve',
                             '/bucket/run/ckpt-3.varve'}
        old = {name: bytes(c.data) for name, c in self.store.files.items()}
        lines = self.writer('save', 's3://bucket/run/ckpt', '1', '2', '500')
        self.assertEqual(lines, ['VARVE_OK '])
        self.assertIn('/bucket/run/ckpt-4.varve', self.store.files)
        for name, data in old.items():
            if not name.endswith('latest'):
                self.assertEqual(bytes(self.store.files[name].data), data)

    def test_incremental_saves(self):
        prefix = 's3://bucket/run/ckpt'
        lines = self.writer('incremental', prefix, '3', '4', '100000')
        self.assertEqual(lines, ['VARVE_OK '] * 3)
        sizes = [len(c.data) for name, c in self.store.files.items()
                 if '/layers/' in name]
        self.assertEqual(len(sizes), 3)
        self.assertLess(sizes[2], 110000)
        self.verify(prefix + '-3.varve', 'VARVE_OK', **self.aws)

    def test_unsupported_operations_are_refused(self):
        lines = self.writer('refuse', self.small, 's3://bucket/run')
        self.assertEqual(len(lines), 10)
        for line, words in zip(lines, (
                'in their order', 'in their order', 'HDF5|in their order',
                'one file at a time', 'one file at a time',
                'has no locks', 'no leases', 'a store takes whole files only',
                'from one process', 'from one process')):
            self.assertRegex(line, words)
            self.assertNotIn('VARVE_OK', line)
        self.assertEqual(self.rules.requests, 0)

    def test_a_url_without_bucket_or_key_is_refused(self):
        for url in ('s3://bucket', 's3://bucket/', 's3:///a', 's3://'):
            self.write('VARVE_MISUSE', 'expected s3://BUCKET/KEY',
                       url=url)
        self.assertEqual(self.store.seen, [])


    def test_too_long_names_are_refused(self):
        for size, status in ((229, 'VARVE_OK'), (230, 'VARVE_IO'),
                             (255, 'VARVE_IO')):
            words = [] if status == 'VARVE_OK' else ['longer than 229 bytes']
            self.write(status, *words, url='s3://bucket/run/' + 'a' * size)
        self.assertEqual(list(self.store.files), ['/bucket/run/' + 'a' * 229])
        self.assertEqual(self.store.uploads, {})

    def test_a_killed_save_leaves_no_visible_object(self):
        """Fails at each request; the next save is not affected."""
        for at in range(8):
            self.store.files.clear()
            self.write('VARVE_OK', what=SMALL)
            asked, begun = [], queue.Queue()

            def hook(line, at=at, asked=asked, begun=begun):
                asked.append(line)
                if len(asked) == at + 1:
                    process = begun.get()
                    process.kill()
                    process.wait()
            self.rules.hook = hook
            process = subprocess.Popen(
                [WRITER, 'write', URL, *LARGE],
                env=surroundings(**self.aws), stdout=subprocess.DEVNULL)
            begun.put(process)
            self.assertLess(process.wait(), 0)
            self.rules.hook = None
            self.has(LARGE if at == 7 else SMALL)
            self.write('VARVE_OK')
            self.has(LARGE)


class Managers(Store):
    def test_a_manager_works_in_a_store(self):
        lines = self.writer('manage', 's3://bucket/run', '5', '2')
        self.assertEqual(lines, ['VARVE_OK '] * 5 + [
            f'there s3://bucket/run/ckpt-{n}.varve' for n in (4, 5)])
        self.assertEqual(sorted(self.store.files), [
            '/bucket/run/.ckpt.lock', '/bucket/run/ckpt-4.varve',
            '/bucket/run/ckpt-5.varve', '/bucket/run/ckpt.ledger'])
        self.assertEqual(self.writer('resume', 's3://bucket/run'),
                         ['VARVE_OK ', 'step 5 equal'])
        lines = self.writer('manage', 's3://bucket/run', '1', '2')
        self.assertIn('there s3://bucket/run/ckpt-6.varve', lines)

    def test_a_corrupted_object_is_skipped(self):
        self.writer('manage', 's3://bucket/run', '3', '3')
        content = self.store.files['/bucket/run/ckpt-3.varve']
        for at in (150000, len(content.data) - 20):
            data = bytearray(content.data)
            data[at] ^= 4
            self.store.files['/bucket/run/ckpt-3.varve'] = bucket.Content(data)
            lines = self.writer('resume', 's3://bucket/run')
            self.assertEqual(lines[0], 'VARVE_OK ')
            self.assertRegex(lines[1], 'passed over .*ckpt-3.varve')
            self.assertEqual(lines[2], 'step 2 equal')

    def local(self):
        path = path_of('local')
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def test_a_level_receives_copies(self):
        here, there = self.local(), 's3://bucket/level'
        lines = self.writer('manage', here, '4', '2', there)
        self.assertEqual(lines[-1], 'level 4 ')
        for number in (3, 4):
            self.assertEqual(
                bytes(self.store.files[f'/bucket/level/ckpt-{number}.varve'
                                       ].data),
                read(f'{here}/ckpt-{number}.varve'))
        self.assertNotIn('/bucket/level/ckpt-2.varve', self.store.files)
        shutil.rmtree(here)
        self.assertEqual(self.writer('resume', here, there),
                         ['VARVE_OK ', 'step 4 equal'])

    def test_a_level_in_a_store_has_full_checkpoints_only(self):
        """Complete copies of saves that need their data files, or none."""
        here, there = self.local(), 's3://bucket/level'
        line, = self.writer('manage', here, '3', '2', there,
                            PROBE_LAYERED='2')
        self.says(line, 'VARVE_MISUSE', there, 'has no locks')
        lines = self.writer('manage', here, '3', '2', there, PROBE_LAYERED='1')
        self.assertEqual(lines[-1], 'level 3 ')
        self.assertEqual([name for name in self.store.files
                          if '/layers/' in name], [])
        shutil.rmtree(here)
        self.assertEqual(self.writer('resume', here, there),
                         ['VARVE_OK ', 'step 3 equal'])

    def test_a_damaged_copy_in_a_level_is_skipped(self):
        here, there = self.local(), 's3://bucket/level'
        self.writer('manage', here, '2', '2', there)
        os.remove(f'{here}/ckpt-2.varve')
        content = self.store.files['/bucket/level/ckpt-2.varve']
        content.data = bytes(len(content.data))
        lines = self.writer('resume', here, there)
        self.assertEqual(lines[0], 'VARVE_OK ')
        self.assertIn('step 1 equal', lines)

    def test_an_unreachable_level_delays_no_save(self):
        here, there = self.local(), 's3://nobucket/level'
        lines = self.writer('manage', here, '2', '2', there)
        self.assertIn('no such bucket', lines[0])  # message of the resume
        self.assertEqual(lines[1:3], ['VARVE_OK '] * 2)
        self.assertRegex(lines[-1], 'level -1 s3://nobucket/level: .*'
                         'no such bucket')

    def test_levels_of_a_manager_in_a_store(self):
        here = self.local()
        lines = self.writer('manage', 's3://bucket/run', '3', '2', here)
        self.assertEqual(lines[-1], 'level 3 ')
        self.assertTrue(os.path.exists(f'{here}/ckpt-3.varve'))

    def test_a_saver_keeps_the_last_two(self):
        lines = self.writer('saver', 's3://bucket/run/a', '4', '2')
        self.assertEqual(lines, ['VARVE_OK '] * 4 +
                         ['latest s3://bucket/run/a-4.varve'])
        self.assertEqual(sorted(self.store.files), [
            '/bucket/run/a-3.varve', '/bucket/run/a-4.varve'])


class Faults(Store):
    def test_denied_access_is_reported(self):
        self.rules.refuses = 403, 'AccessDenied'
        for what in (SMALL, LARGE):
            self.write('VARVE_NO_PERMISSION',
                       'access denied (403 AccessDenied)',
                       what=what)
        self.rules.refuses = None
        self.write('VARVE_NO_PERMISSION', 'SignatureDoesNotMatch',
                   AWS_SECRET_ACCESS_KEY='hunter2')
        self.write('VARVE_NO_PERMISSION', 'no credentials',
                   AWS_ACCESS_KEY_ID='', AWS_SECRET_ACCESS_KEY='')
        self.write('VARVE_NOT_FOUND', 'no such bucket',
                   url='s3://nobucket/a.varve')
        self.has_nothing()

    def test_a_wrong_clock_is_reported(self):
        self.store.skew = 3600
        line = self.write('VARVE_NO_PERMISSION', 'the clock of this machine, ')
        date = r', (\w{3}, \d{2} \w{3} \d{4} [:0-9]{8} GMT),'
        self.assertRegex(line, f"machine{date} differs from the server's{date}"
                         r' by too much \(403\)$')

    def test_a_full_store_is_reported(self):
        self.rules.most_bytes = 1000
        for what in (SMALL, LARGE):
            self.write('VARVE_NO_SPACE', 'no space left in the store (',
                       what=what)
        self.has_nothing()

    def test_a_save_survives_one_fault_of_each_request(self):
        """Applies each fault once to each request of a save: the save
        succeeds in the end."""
        for what in (SMALL, LARGE):
            count = 8 if what == LARGE else 1
            for at in range(count):
                for kind in bucket.KINDS:
                    self.store.files.clear()
                    asked = []

                    def hook(line, at=at, kind=kind, asked=asked):
                        self.rules.always = kind if len(asked) == at else None
                        asked.append(line)
                    self.rules.hook = hook
                    for how in ('write', 'new'):
                        asked.clear()
                        self.store.files.clear()
                        self.write('VARVE_OK', how=how, what=what)
                        self.has(what)
        self.assertEqual(set(self.rules.faults), set(bucket.KINDS))

    def test_a_permanent_fault_leaves_no_file_or_an_unknown_outcome(self):
        """A file that was not reported is absent, or its state is unknown."""
        for what in (SMALL, LARGE):
            for kind in set(bucket.KINDS) - {'slow'}:
                self.store.files.clear()
                self.store.uploads.clear()
                self.faults_of(kind, None)
                line, = self.writer('write', URL, *what, PROBE_ATTEMPTS='2')
                if not line.startswith('VARVE_OK'):
                    self.assertRegex(line, 'VARVE_(IO|UNKNOWN_OUTCOME) ')
                if line.startswith('VARVE_OK'):
                    self.has(what)
                elif line.startswith('VARVE_IO') and kind != 'other':
                    self.assertEqual(self.store.files, {}, (kind, line))

    def test_a_lost_final_answer_is_checked_before_a_retry(self):
        for what, end in ((SMALL, 'PUT'), (LARGE, 'POST uploadId')):
            for how in ('write', 'new'):
                self.store.files.clear()
                self.store.forget()
                self.faults_of('after', f'^{end.replace(" ", " .*")}')
                self.write('VARVE_OK', how=how, what=what)
                self.has(what)
                made = methods(self.store)
                self.assertEqual(made[-1], 'HEAD')
                self.assertEqual(made.count(end), 1, made)

    def test_a_lost_final_answer_without_server_is_an_unknown_outcome(self):
        """The last answer is truncated, and then the server is unreachable."""
        for what, end in ((SMALL, 'PUT'), (LARGE, 'POST .*uploadId=')):
            self.store.files.clear()
            self.faults_of('after', f'^({end}|HEAD)')
            self.write('VARVE_UNKNOWN_OUTCOME', 'it is unknown whether',
                       what=what,
                       PROBE_ATTEMPTS='2')
            self.has(what)

    def test_a_failure_before_any_request_means_not_written(self):
        """A failure before any request reached a store is reported as not
        written."""
        url = f'http://127.0.0.1:{unused_port()}'
        for how in ('write', 'new'):
            line = self.write('VARVE_IO', 'connect to server, in each of 2',
                              how=how, what=SMALL, AWS_ENDPOINT_URL=url,
                              PROBE_ATTEMPTS='2')
            self.assertNotIn('it is unknown whether', line)

    def test_wrong_etags_are_detected(self):
        """A part is always checked; the whole object unless the store
        reports a correct checksum."""
        for kind in ('tag', 'other'):
            self.faults_of(kind, 'PUT .*partNumber=3')
            self.write('VARVE_IO',
                       'the server returned a wrong ETag for the bytes that '
                       'were sent, in each of 2 attempts',
                       PROBE_ATTEMPTS='2')
            self.has_nothing()
        self.faults_of('tag', 'PUT')
        self.write('VARVE_OK', what=SMALL)
        self.has(SMALL)
        self.store.files.clear()
        self.faults_of('other', 'PUT')
        self.write('VARVE_IO',
                   'the server returned a wrong ETag for the bytes that',
                   how='new', what=SMALL, PROBE_ATTEMPTS='2')
        self.has_nothing()

    def test_etags_that_are_not_checksums_are_ignored(self):
        self.rules.tags = False
        self.write('VARVE_OK', what=SMALL)
        self.has(SMALL)

    def test_a_store_without_metadata_tokens(self):
        self.rules.keeps_tokens = False
        for what in (SMALL, LARGE):
            self.faults_of('after', 'POST .*uploadId=|PUT [^?]*$')
            self.write('VARVE_OK', what=what, how='new')
            self.has(what)
            self.store.files.clear()

    def test_a_failed_save_leaves_no_parts(self):
        self.faults_of('500', 'POST .*uploadId=')
        self.write('VARVE_IO', 'unexpected response 500', PROBE_ATTEMPTS='2')
        self.has_nothing()
        self.assertIn('DELETE uploadId', methods(self.store))

    def test_data_damaged_in_transit_is_refused(self):
        """Signed checksums cover the bytes of each part."""
        self.write('VARVE_OK')
        sums = [h.get('x-amz-content-sha256', h.get('X-Amz-Content-Sha256'))
                for line, h in self.store.seen if line.startswith('PUT')]
        self.assertEqual(len(set(sums)), 5)
        self.rules.damages = True
        self.write('VARVE_IO', 'response 400 BadDigest, in each of 2 '
                   'attempts', PROBE_ATTEMPTS='2')

    def storm(self, rounds, rate):
        """Random faults: compares the result of each save with the stored
        files."""
        here = path_of('storm')
        os.makedirs(here, exist_ok=True)
        self.rules.rate = rate
        counts = collections.Counter()
        for first in range(0, rounds, 100):
            count = min(100, rounds - first)
            lines = self.writer('storm', here, 's3://bucket/run', str(first),
                                str(count), *LARGE[:2])
            self.assertEqual(len(lines), count)
            for line in lines:
                number, status, _ = line.split(' ', 2)
                self.check_saved(here, number, status, counts)
                os.remove(f'{here}/{number}.varve')
        return counts

    def check_saved(self, here, number, status, counts):
        there = self.store.files.pop(f'/bucket/run/{number}.varve', None)
        counts[status] += 1
        if there is None:
            self.assertNotEqual(status, 'VARVE_OK', number)
            return
        is_same = bytes(there.data) == read(f'{here}/{number}.varve')
        if status == 'VARVE_OK':
            self.assertTrue(is_same, number)
        elif status != 'VARVE_UNKNOWN_OUTCOME':
            counts['exists although the save failed'] += 1
        if not is_same:
            counts['damage that was reported'] += 1

    def test_frequent_faults_of_writes(self):
        is_long = os.environ.get('VARVE_PROOF') == 'long'
        rounds = int(os.environ.get('REMOTE_SAVES', 3200 if is_long else 60))
        counts = collections.Counter()
        for rate in (0.1, 0.3, 0.5):
            counts += self.storm(rounds, rate)
        faults = sum(self.rules.faults.values())
        left = len(self.store.uploads)
        note('remote.faults', faults)
        note('remote.saves', 3 * rounds)
        print(f'remote: {faults} faults in {self.rules.requests} requests that '
              f'write: {dict(counts)}; {left} uploads not aborted')
        self.assertEqual(set(self.rules.faults), set(bucket.KINDS))
        self.assertGreater(counts['VARVE_OK'], rounds)
        self.assertEqual(self.store.refused, [])
