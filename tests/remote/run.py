#!/usr/bin/env python3
"""run.py - Tests reading from and writing to the server of this folder, with
and without faults.

    tests/remote/run.py PROBE WRITER MODULES VARVE EXAMPLE [TEST]...

PROBE is probe.c, WRITER writer.c, MODULES the directory of varve-remote.so,
VARVE the command, EXAMPLE examples/howto/files.c; the last two are - if they
are not built. docs/howto/remote.md describes the tested behavior.
REMOTE_ROUNDS is the number of reads in the test with many faults (250),
REMOTE_SAVES the number of saves at each rate (60).

SPDX-License-Identifier: MIT
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import unittest

import bucket
import server
from ahead import Ahead, SentAtOnce  # noqa: F401, run below
from base import (EXAMPLE, KEY_ID, PLACE, QUERY, SECRET, TOKEN, VARVE, WRITER,
                  Remote, make, path_of, probe, read, run, unused_port)
from counts import Requests  # noqa: F401, run below
from identities import Identities  # noqa: F401, run below
from lists import Lists  # noqa: F401, run below
from locks import Locks, ManagerLocks  # noqa: F401, run below
from proxied import Proxied  # noqa: F401, run below
from urls import Limits, Secrets  # noqa: F401, run below
from writes import Faults, Managers, Writes  # noqa: F401, run below


class WebServers(Remote):
    def test_a_file_is_read_completely(self):
        self.assertEqual(probe('equal', '3', self.small, self.url),
                         ['COUNT VARVE_OK 3'])
        copy = path_of('copy.varve')
        self.assertEqual(probe('graph', self.small, self.url, copy),
                         ['VARVE_OK '])
        self.assertEqual(probe('equal', '1', self.small, copy),
                         ['COUNT VARVE_OK 1'])

    def test_only_needed_parts_of_a_large_file_are_read(self):
        large = make('large.varve', 64, 1 << 20)
        self.put('/large.varve', large)
        url = self.server.url + '/large.varve'
        self.assertEqual(probe('value', url, 'values/40'), ['VARVE_OK '])
        self.assertGreater(len(self.store.files['/large.varve'].data), 64 << 20)
        self.assertLess(self.store.bytes, 2 << 20)
        self.assertLess(self.store.requests, 12)
        self.store.forget()
        self.assertEqual(probe('value', url, 'step'), ['VARVE_OK '])
        self.assertLess(self.store.bytes, 1 << 20)

    def test_missing_files_are_reported(self):
        self.verify(self.server.url + '/none.varve', 'VARVE_NOT_FOUND',
                    '/none.varve: open failed: no such file (404)')
        self.verify(self.server.url + '/none', 'VARVE_NOT_FOUND')
        self.put('/empty.varve', '/dev/null')
        self.verify(self.server.url + '/empty.varve', 'VARVE_EMPTY_FILE')
        self.verify('https://', 'VARVE_IO', 'not a URL')

    def test_a_refused_connection_is_reported(self):
        url = f'http://127.0.0.1:{unused_port()}/a.varve'
        self.verify(url, 'VARVE_IO', url, "connect to server",
                    'in each of 3 attempts', PROBE_ATTEMPTS='3')
        self.verify(self.url, 'VARVE_IO', self.url, 'connect to server',
                    PROBE_ATTEMPTS='2',
                    http_proxy=f'http://127.0.0.1:{unused_port()}')

    def test_a_missing_module_is_reported(self):
        lines = probe('verify', self.url, VARVE_MODULES='/nowhere')
        self.says(lines[0], 'VARVE_NOT_FOUND',
                  'stores: the module varve-remote cannot be loaded:')

    def test_servers_without_range_requests_are_refused(self):
        self.store.has_ranges = False
        self.verify(self.url, 'VARVE_IO',
                    'the server cannot send parts of a file')
        self.assertLess(self.store.requests, 50)

    def test_a_file_that_changes_is_never_read_as_a_mixture(self):
        other = make('other.varve', 6, 90000)
        data = bytearray(read(other))
        for has_tags in (True, False):
            self.store.has_tags = has_tags
            for at in range(2, 12):
                self.store.forget()
                self.put('/a.varve', self.small)
                old = self.store.files['/a.varve']
                # Without an ETag the date shows the change; the size is the
                # same.
                new = bucket.Content(bytes(data), '"another"', 'Fri, 02 Oct '
                                     '2026 10:00:00 GMT')

                def swap(count, at=at, new=new):
                    if count == at:
                        self.store.files['/a.varve'] = new
                self.store.swap = swap
                lines = probe('equal', '1', self.small, self.url)
                self.store.swap = None
                if self.store.files['/a.varve'] is old:
                    break
                if 'COUNT VARVE_OK 1' not in lines:
                    self.says(lines[0], 'VARVE_IO', 'has changed since it was')
                    self.changed += 1
            self.assertGreater(self.changed, 0)
            self.changed = 0
    changed = 0

    def test_damage_is_detected_by_checksums(self):
        for at in (200000, 400000):
            data = bytearray(read(self.small))
            data[at] ^= 1
            self.store.files['/a.varve'] = bucket.Content(data)
            self.verify(self.url, 'VARVE_CORRUPT', self.url)
        self.store.files['/a.varve'] = bucket.Content(read(self.small)[:-1000])
        self.verify(self.url, 'VARVE_TRUNCATED')

    def test_each_permanent_fault_is_an_error(self):
        words = {'500': 'unexpected response 500 InternalError',
                 '503': '503 SlowDown',
                 'range': 'another part of the file',
                 'total': 'another part of the file',
                 'untold': 'another part of the file',
                 'whole': 'cannot send parts of a file',
                 'longer': 'more bytes than requested',
                 'gzip': 'the server sent compressed bytes'}
        for kind in server.KINDS:
            self.store.always = kind
            lines = probe('verify', self.url, PROBE_ATTEMPTS='3')
            if kind in server.CUTS and lines == ['VARVE_OK ']:
                continue
            self.says(lines[0], 'VARVE_IO', words.get(kind, self.url),
                      'in each of 3 attempts')

    def test_trailers_are_not_headers(self):
        """Trailers do not change the size of a file."""
        self.store.always = 'trailers'
        self.assertEqual(probe('equal', '1', self.small, self.url),
                         ['COUNT VARVE_OK 1'])
        self.verify(self.url, 'VARVE_OK')

    def test_a_stalled_connection_times_out(self):
        self.store.always = 'silence'
        self.verify(self.url, 'VARVE_IO', 'in each of 2 attempts',
                    PROBE_ATTEMPTS='2', PROBE_STALL='1')

    def test_a_slow_server_causes_no_error(self):
        self.store.delay = 0.05
        self.assertEqual(probe('equal', '1', self.small, self.url),
                         ['COUNT VARVE_OK 1'])

    def test_frequent_faults_give_no_wrong_bytes(self):
        """Equal bytes or a clear failure, at every rate of faults."""
        counts = collections.Counter()
        rounds = int(os.environ.get('REMOTE_ROUNDS', 250))
        for seed, rate in enumerate((0.1, 0.4, 0.7)):
            self.store.chance.seed(seed)
            self.store.rate = rate
            for line in probe('equal', str(rounds), self.small, self.url):
                self.assertNotIn('WRONG', line)
                word, _, rest = line.partition(' ')
                if word == 'COUNT':
                    status, count = rest.split()
                    counts[status] += int(count)
                else:
                    self.says(line, 'VARVE_IO', 'in each of 6 attempts')
        faults = sum(self.store.faults.values())
        print(f'remote: {faults} faults in {self.store.requests} requests: '
              f'{dict(counts)}')
        self.assertEqual(set(self.store.faults), set(self.store.kinds))
        self.assertEqual(set(counts), {'VARVE_OK', 'VARVE_IO'})
        self.assertGreater(faults, rounds)
        self.assertGreater(counts['VARVE_OK'], rounds)

    def test_threads_read_concurrently(self):
        self.store.rate = 0.1
        self.assertEqual(probe('threads', '8', self.small, self.url,
                               PROBE_ATTEMPTS='12'), ['VARVE_OK '] * 8)

    def test_signed_urls_are_not_printed(self):
        self.put('/a.varve', self.small)
        self.assertEqual(probe('equal', '1', self.small, self.url + QUERY),
                         ['COUNT VARVE_OK 1'])
        self.assertIn('GET /a.varve' + QUERY,
                      [s[0] for s in self.store.seen])
        self.verify(self.server.url + '/none.varve' + QUERY,
                    'VARVE_NOT_FOUND',
                    '/none.varve?: open failed: no such')
        self.store.always = '500'
        self.verify(self.url + QUERY, 'VARVE_IO', 'a.varve?: ',
                    PROBE_ATTEMPTS='1')
        user = self.url.replace('http://', 'http://me:hunter2@')
        self.verify(user, 'VARVE_IO',
                    'the URL must not contain a user or password')

    @unittest.skipIf(EXAMPLE == '-', 'the examples are not built')
    def test_the_example_of_the_page(self):
        self.assertEqual(run(EXAMPLE, 'store', self.url).stdout, 'step 77\n')
        self.assertIn('no checkpoint has this name, and there is no',
                      run(EXAMPLE, 'store', self.url + 'x').stderr)

    def test_redirects_are_followed(self):
        self.store.moved['/old.varve'] = self.url
        self.verify(self.server.url + '/old.varve', 'VARVE_OK')
        self.store.moved['/ring.varve'] = self.server.url + '/ring.varve'
        self.verify(self.server.url + '/ring.varve', 'VARVE_IO')
        self.store.moved['/file.varve'] = 'file://' + self.small
        self.verify(self.server.url + '/file.varve', 'VARVE_IO')


class Buckets(Remote):
    def setUp(self):
        super().setUp()
        self.aws = self.bucket()
        self.run_of = 's3://bucket/run/ckpt'

    def test_are_read_by_signed_requests(self):
        url = 's3://bucket/run/a b&c=d+e%.varve'
        for more in ({}, {'AWS_SESSION_TOKEN': TOKEN}):
            self.store.tokens = {KEY_ID: TOKEN} if more else {}
            self.assertEqual(probe('equal', '1', self.small, url,
                                   **self.aws, **more), ['COUNT VARVE_OK 1'])
        self.assertEqual(self.store.refused, [])
        self.assertTrue(all('Authorization' in s[1] for s in self.store.seen))

    def test_are_listed(self):
        """The listing has several pages."""
        self.assertEqual(probe('latest', self.run_of, **self.aws),
                         [self.run_of + '-10.varve'])
        self.verify(self.run_of, 'VARVE_OK', **self.aws)
        self.assertEqual(
            probe('list', 's3://bucket/run', 'ckpt', **self.aws),
            [f'{self.run_of}-{n}.varve' for n in (1, 2, 10)])
        self.verify('s3://bucket/run/other', 'VARVE_NOT_FOUND', **self.aws)

    def test_are_evaluated_without_leases(self):
        lines = probe('watch', self.run_of, **self.aws)
        self.assertEqual(lines[0], self.run_of + '-10.varve')
        self.says(lines[1], 'VARVE_MISUSE', 'has no locks, and so no leases')

    def test_are_not_mapped(self):
        line, = probe('map', self.run_of + '-1.varve', '90000', **self.aws)
        self.says(line, 'VARVE_IO', 'a file in a store cannot be memory-mapped')

    def test_objects_missing_despite_the_list_are_skipped(self):
        self.store.gone = ['/bucket/run/ckpt-11.varve']
        self.assertEqual(probe('latest', self.run_of, **self.aws),
                         [self.run_of + '-10.varve'])

    def test_invalid_lists_are_reported(self):
        for body in (b'<html/>', b'', b'<ListBucketResult><IsTruncated>true'
                     b'</IsTruncated></ListBucketResult>', b'\0' * 99):
            self.store.list_body = body
            lines = probe('latest', self.run_of, **self.aws)
            self.says(lines[0], 'VARVE_IO', 'listing failed')

    def test_faults_of_list_requests(self):
        self.store.rate = 0.3
        self.store.kinds = ('500', '503', 'reset')
        for _ in range(20):
            line, = probe('latest', self.run_of, PROBE_ATTEMPTS='9',
                          **self.aws)
            self.assertEqual(line, self.run_of + '-10.varve')

    def test_missing_files_are_reported(self):
        self.verify('s3://bucket/none.varve', 'VARVE_NOT_FOUND',
                    's3://bucket/none.varve: open failed: no such '
                    'file (404)', **self.aws)
        self.verify('s3://nobucket/a.varve', 'VARVE_NOT_FOUND',
                    'no such bucket', **self.aws)
        self.verify('s3://', 'VARVE_IO', 'expected s3://BUCKET/KEY',
                    **self.aws)
        line, = probe('latest', 's3://nobucket/a', **self.aws)
        self.says(line, 'VARVE_NOT_FOUND', 'no such bucket')

    def test_wrong_credentials(self):
        url = self.run_of + '-1.varve'
        wrong = {**self.aws, 'AWS_SECRET_ACCESS_KEY': 'hunter2'}
        self.verify(url, 'VARVE_NO_PERMISSION', 'SignatureDoesNotMatch',
                    **wrong)
        wrong = {**self.aws, 'AWS_ACCESS_KEY_ID': 'hunter2'}
        self.verify(url, 'VARVE_NO_PERMISSION', 'InvalidAccessKeyId', **wrong)
        none = {'AWS_ENDPOINT_URL': self.server.url}
        self.verify(url, 'VARVE_NO_PERMISSION', 'no credentials: looked for '
                    'AWS_ACCESS_KEY_ID', **none)
        self.verify(url, 'VARVE_IO',
                    'the region must be a word such as us-east-1 (AWS_REGION,',
                    **{**self.aws, 'AWS_REGION': 'a.example/'})
        self.verify(url, 'VARVE_IO',
                    'the endpoint (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL)', **{
            **self.aws, 'AWS_ENDPOINT_URL': 'ftp://me:hunter2@there'})

    def test_a_wrong_clock_is_reported(self):
        self.store.skew = 3600
        self.verify(self.run_of + '-1.varve', 'VARVE_NO_PERMISSION',
                    'the clock of this machine, ', ' differs from the '
                    "server's, ", **self.aws)

    def test_credentials_of_profiles_are_used(self):
        folder = path_of('.aws')
        os.makedirs(folder, exist_ok=True)
        self.addCleanup(shutil.rmtree, folder)
        with open(f'{folder}/credentials', 'w', encoding='utf-8') as stream:
            stream.write(f'[default]\naws_access_key_id = {KEY_ID}\n'
                         'aws_secret_access_key = hunter2\n'
                         f'[tests]\naws_access_key_id={KEY_ID}\n'
                         f'  aws_secret_access_key = no\n'
                         f'aws_secret_access_key = {SECRET}\n')
        with open(f'{folder}/config', 'w', encoding='utf-8') as stream:
            stream.write('[profile tests]\nregion = eu-west-9\n'
                         f'endpoint_url = {self.server.url}\n')
        self.verify(self.run_of, 'VARVE_OK', AWS_PROFILE='tests')
        self.verify(self.run_of, 'VARVE_NO_PERMISSION',
                    'SignatureDoesNotMatch',
                    AWS_ENDPOINT_URL=self.server.url)

    def test_signed_requests_follow_no_redirects(self):
        other = server.Store()
        with server.Server(other) as elsewhere:
            self.store.moved['/bucket/run/ckpt-1.varve'] = (
                elsewhere.url + '/a.varve')
            self.verify(self.run_of + '-1.varve', 'VARVE_IO',
                        'unexpected response 302',
                        **self.aws)
        self.assertEqual(other.requests, 0)

    def test_http_urls_are_not_written(self):
        before = {name: read(path_of(name)) for name in os.listdir(PLACE)
                  if os.path.isfile(path_of(name))}
        files = dict(self.store.files)
        self.store.forget()
        for place in (self.server.url, 'https://there'):
            lines = probe('refuse', self.small, place, **self.aws)
            self.assertEqual(len(lines), 10, lines)
            for line in lines:
                self.says(line, 'VARVE_MISUSE', place,
                          'a local path is required: ')
        self.assertEqual(self.store.files, files)
        self.assertEqual(self.store.written.requests, 0)
        self.assertEqual(before, {
            name: read(path_of(name)) for name in os.listdir(PLACE)
            if os.path.isfile(path_of(name))})
        self.assertEqual([name for name in os.listdir(PLACE) if ':' in name],
                         [])


def certificate():
    """Returns a certificate for localhost and its key; None without
    openssl."""
    path = path_of('localhost.pem')
    if not shutil.which('openssl'):
        return None
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes',
                    '-keyout', path + '.key', '-out', path, '-days', '2',
                    '-subj', '/CN=localhost', '-addext',
                    'subjectAltName=DNS:localhost'],
                   check=True, capture_output=True)
    return path, path + '.key'


class Tls(Remote):
    def setUp(self):
        super().setUp()
        self.made = certificate()
        if not self.made:
            self.skipTest('openssl is not installed')
        self.secure = self.enterContext(server.Server(self.store, self.made))

    def test_only_trusted_certificates_are_accepted(self):
        url = self.secure.url + '/a.varve'
        self.verify(url, 'VARVE_IO', 'certificate of the server is not '
                    'trusted')
        self.verify(url, 'VARVE_OK', PROBE_CERTIFICATES=self.made[0])
        self.verify(url.replace('localhost', '127.0.0.1'), 'VARVE_IO',
                    'not trusted', PROBE_CERTIFICATES=self.made[0])

    def test_redirects_from_https_to_http_are_refused(self):
        self.store.moved['/old.varve'] = self.url
        self.verify(self.secure.url + '/old.varve' + QUERY, 'VARVE_IO',
                    PROBE_CERTIFICATES=self.made[0])
        self.assertEqual({s[0] for s in self.store.seen},
                         {'GET /old.varve' + QUERY})


@unittest.skipIf(VARVE == '-', 'the command is not built')
class Command(Remote):
    def setUp(self):
        super().setUp()
        self.aws = self.bucket()

    def varve(self, *arguments, code=0, **more):
        done = run(VARVE, *arguments, **more)
        self.assertEqual(done.returncode, code, done)
        return done.stdout + done.stderr

    def test_reads_from_stores(self):
        file = self.small
        for url, more in ((self.url, {}), (self.url + QUERY, {}),
                          ('s3://bucket/run/ckpt-2.varve', self.aws)):
            self.store.keys = {KEY_ID: SECRET} if more else {}
            self.store.buckets = {'bucket'} if more else set()
            for words in (['ls'], ['ls', '-l'], ['ls', '--json'], ['stat'],
                          ['verify'], ['graph', '--json'], ['show'],
                          ['stat', '-v'], ['ls', '-l', '--json'],
                          ['show', '--json'], ['graph', '--html']):
                here = self.varve(*words, file)
                there = self.varve(*words, url, **more)
                plain = url.partition('?')[0]
                self.assertEqual(here.replace(file, plain),
                                 there.replace('.varve?', '.varve'), words)
            self.assertEqual(self.varve('cat', f'{url}:step', **more)
                             if '?' not in url else
                             self.varve('cat', url, 'step', **more),
                             'M' + '\0' * 7)
            self.varve('diff', file, url, **more)
            self.varve('plan', file, f'--into={url}', **more)
            copy = path_of('converted.safetensors')
            self.varve('convert', '-f', url, copy, **more)
            self.assertIn('3    uint8 [90000]', self.varve('ls', copy))

    def test_finds_the_latest(self):
        out = self.varve('ls', 's3://bucket/run/ckpt@latest', **self.aws)
        self.assertIn('ckpt-10.varve', out)
        self.assertIn('ckpt-2.varve', self.varve(
            'ls', 's3://bucket/run/ckpt@2', **self.aws))
        out = self.varve('log', 's3://bucket/run/ckpt', **self.aws)
        for number in (1, 2, 10):
            self.assertIn(f'ckpt-{number}.varve', out)
        out = self.varve('log', 's3://bucket/run/none', code=1, **self.aws)
        self.assertIn('no checkpoints', out)

    def test_lists_a_directory(self):
        """The same files are deleted as on a disk, those of a manager and
        others."""
        here, there = path_of('listed'), 's3://bucket/listed'
        done = run(WRITER, 'steps', here, '3')
        self.assertEqual(done.stdout.splitlines(), ['VARVE_OK '] * 3)
        for name, words in (('other-7.varve', []), ('a-5.safetensors', [])):
            self.varve('convert', '-q', self.small, f'{here}/{name}', *words)
        self.addCleanup(shutil.rmtree, here)
        for name in os.listdir(here):
            if os.path.isfile(f'{here}/{name}') and '.lock' not in name:
                self.put(f'/bucket/listed/{name}', f'{here}/{name}')
        def listed(place, *words):
            out = self.varve('log', place, '--json', *words, **self.aws)
            return [{name: value for name, value in row.items()
                     if name not in ('path', 'modified', 'saved')}
                    for row in json.loads(out)['items']]
        self.assertEqual(len(listed(here)), 5)
        for each in (there, there + '/'):
            self.assertEqual(listed(each), listed(here))
        for prefix in ('/ckpt', '/other', '/a'):
            self.assertEqual(listed(there + prefix), listed(here + prefix))
        out = self.varve('log', 's3://bucket/none', code=1, **self.aws)
        self.assertIn('no checkpoints', out)
        out = self.varve('log', 's3://bucket', code=1, **self.aws)
        out = self.varve('log', 's3://nobucket/run', code=3, **self.aws)
        self.assertIn('no such bucket', out)
        self.varve('prune', '--keep-last=1', there, **self.aws)
        self.varve('prune', '--keep-last=1', here)
        self.assertEqual(
            sorted(name.split('/')[-1] for name in self.store.files
                   if name.startswith('/bucket/listed/') and '-' in name),
            sorted(name for name in os.listdir(here) if '-' in name))

    def test_fails_in_one_sentence(self):
        self.store.keys = {}
        self.store.buckets = set()
        for path in ('/none.varve', '/none.varve' + QUERY):
            out = self.varve('ls', self.server.url + path, code=3)
            self.assertEqual(out.count('\n'), 1)
            self.assertIn('404', out)
        out = self.varve('ls', 's3://bucket/run/ckpt-1.varve', code=3,
                         AWS_ENDPOINT_URL=self.server.url)
        self.assertIn('no credentials', out)
        out = self.varve('ls', self.url, code=3, VARVE_MODULES='/nowhere')
        self.assertIn('the module varve-remote cannot be loaded', out)

    def test_writes_checkpoints_to_stores(self):
        """A local directory with the name of a store is not changed."""
        os.makedirs(path_of('s3:/bucket/run'))
        self.addCleanup(shutil.rmtree, path_of('s3:'))
        there = 's3://bucket/run/'
        self.varve('convert', self.small, there + 'new.varve', **self.aws)
        self.varve('diff', self.small, there + 'new.varve', **self.aws)
        self.varve('convert', self.small, there + 'new.varve', code=3,
                   **self.aws)
        self.varve('convert', '-f', self.small, there + 'new.varve',
                   **self.aws)
        self.varve('convert', self.small, there + 'new.safetensors',
                   **self.aws)
        self.varve('diff', self.small, there + 'new.safetensors', **self.aws)
        self.varve('repack', there + 'ckpt-1.varve', **self.aws)
        self.varve('repack', self.small, '-o', there + 'b.varve', **self.aws)
        self.varve('repair', there + 'b.varve', '-o', there + 'c.varve',
                   **self.aws)
        self.varve('diff', self.small, there + 'c.varve', **self.aws)
        self.varve('pin', there + 'ckpt@1', **self.aws)
        self.assertIn('/bucket/run/ckpt-1.pin', self.store.files)
        self.varve('unpin', there + 'ckpt@1', **self.aws)
        self.assertNotIn('/bucket/run/ckpt-1.pin', self.store.files)
        self.assertEqual(os.listdir(path_of('s3:/bucket/run')), [])

    def test_refuses_unsupported_writes_to_stores(self):
        there = 's3://bucket/run/'
        for words, why in (
                (['convert', self.small, there + 'a.npz'], 'in their order'),
                (['convert', self.small, there + 'a.pt'], 'in their order'),
                (['prune', there], 'has no locks'),
                (['graph', '--svg', self.small, '-o', there + 'a.svg'],
                 'only checkpoints can be written to a store'),
                (['cat', self.small, 'step', '-o', there + 'a'],
                 'only checkpoints can be written to a store'),
                (['convert', self.small, self.server.url + '/b.varve'],
                 'read only'), (['repack', self.url], 'read only')):
            done = run(VARVE, *words, **self.aws)
            self.assertEqual(done.returncode, 3, (words, done))
            self.assertIn(why, done.stderr, words)
        self.assertEqual(self.store.written.requests, 0)


if __name__ == '__main__':
    del sys.argv[1:6]
    try:
        unittest.main(verbosity=1)
    finally:
        shutil.rmtree(PLACE)
