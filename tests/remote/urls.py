"""urls.py - Tests which hosts a URL may lead to, timeouts, and which parts of
a URL are printed.

SPDX-License-Identifier: MIT
"""
import os
import random
import time
import unittest

import server
from base import (PLACE, SIGNED, VARVE, Remote, make, probe, run, unused_port)


class Limits(Remote):
    def test_unsafe_redirects_are_refused(self):
        other = server.Store()
        other.files = dict(self.store.files)
        with server.Server(other) as elsewhere:
            self.store.moved['/near.varve'] = elsewhere.url + '/a.varve'
            self.store.moved['/far.varve'] = elsewhere.url.replace(
                '127.0.0.1', 'localhost') + '/a.varve'
            near, far = (self.server.url + f'/{place}.varve'
                         for place in ('near', 'far'))
            same_host, none = {'PROBE_REDIRECTS': '1'}, {'PROBE_REDIRECTS': '2'}
            self.verify(near, 'VARVE_OK')
            self.verify(far, 'VARVE_OK')
            self.verify(near, 'VARVE_OK', **same_host)
            asked = other.requests
            self.verify(far, 'VARVE_NO_PERMISSION',
                        'the server redirects to another host', **same_host)
            for url in (near, far):
                self.verify(url, 'VARVE_IO', 'unexpected response 302', **none)
            self.assertEqual(other.requests, asked)
        self.verify(self.url, 'VARVE_OK', **none)

    def test_link_local_addresses_are_never_contacted(self):
        """A proxy answers, so none of these hosts is needed."""
        hosts = ('169.254.169.254', '[fe80::1]', '[FEBF::1]', '[fd00:ec2::254]',
                 '[::ffff:169.254.1.1]')
        for host in hosts:
            url = f'http://{host}/a.varve'
            self.store.moved['http://127.0.0.1/moved.varve'] = url
            asked = self.store.requests
            self.verify(url, 'VARVE_NO_PERMISSION', 'link-local',
                        http_proxy=self.server.url)
            self.assertEqual(self.store.requests, asked)
            self.verify('http://127.0.0.1/moved.varve', 'VARVE_NO_PERMISSION',
                        'link-local', http_proxy=self.server.url)

    def test_an_operation_times_out(self):
        """Also while bytes arrive, so the connection has not stalled."""
        self.store.trickles = True
        began = time.monotonic()
        self.verify(self.url, 'VARVE_IO', 'operation_timeout_s',
                    PROBE_TIMEOUT='2')
        self.assertLess(time.monotonic() - began, 20)

    def test_files_without_etag_or_date_are_not_assembled(self):
        self.store.has_tags = self.store.has_dates = False
        self.verify(self.url, 'VARVE_IO', 'neither an ETag nor a Last-Modified')
        self.verify(self.url, 'VARVE_OK', PROBE_UNVERSIONED='1')
        tiny = make('tiny.varve', 1, 100)
        self.put('/tiny.varve', tiny)
        self.verify(self.server.url + '/tiny.varve', 'VARVE_OK')

    def test_a_current_date_is_not_a_version(self):
        self.store.has_tags = False
        self.store.has_fresh_dates = True
        self.verify(self.url, 'VARVE_IO', 'neither an ETag nor a Last-Modified')
        self.store.has_fresh_dates = False
        self.verify(self.url, 'VARVE_OK')


def odd_urls(count, host):
    """URLs with a secret user and query, with any characters."""
    chance = random.Random(7)
    signs = "aZ09-._~!$&'()*+,;=:@%/?#[] \"<>{}|\\^`\t\u00e9\u202e"
    for _ in range(count):
        odd = [''.join(chance.choices(signs, k=chance.randrange(9)))
               for _ in range(4)]
        user = odd[0].translate({ord(c): None for c in '/?#'})
        scheme = chance.choice(('http', 'https', 's3', 'gs', 'x+y.z-1'))
        query = chance.choice('?#') + odd[1] + 'hunter2' + odd[2]
        # A query that resembles the text after a path in a message.
        query = query.replace(': ', ':')
        yield (f'{scheme}://{user}hunter2@{host}/a{odd[3].split("?")[0]}'
               f'{query}')


class Secrets(Remote):
    def test_are_not_in_the_messages_of_random_urls(self):
        urls = list(odd_urls(1000, f'127.0.0.1:{unused_port()}'))
        aws = {**SIGNED, 'AWS_ENDPOINT_URL': self.server.url}
        for at in range(0, len(urls), 250):
            part = urls[at:at + 250]
            for more in ({'PROBE_LATE': '1'}, {'PROBE_ATTEMPTS': '1'}):
                lines = probe('verify', *part, **aws, **more)
                self.assertEqual(len(lines), len(part))
                for line in lines:
                    self.assertFalse(line.startswith('VARVE_OK'))

    @unittest.skipIf(VARVE == '-', 'the command is not built')
    def test_are_not_in_the_output_of_the_command(self):
        port = unused_port()
        aws = {**SIGNED, 'AWS_ENDPOINT_URL': f'http://127.0.0.1:{port}'}
        urls = [f'https://user:hunter2@127.0.0.1:{port}/x',
                f"http://127.0.0.1:{port}/x.varve?a='hunter2",
                f'http://127.0.0.1:{port}/x.varve?a=b hunter2',
                's3://user:hunter2@bucket/x', 'gs://user:hunter2@bucket/x?y',
                *odd_urls(3, f'127.0.0.1:{port}')]
        for url in urls:
            for command in ('ls', 'verify', 'verify --json', 'cat', 'stat',
                            'show', 'graph', 'repack', 'prune', 'diff',
                            'log', 'pin', 'prune --keep-last 1', 'plan'):
                done = run(VARVE, *command.split(), url, self.small, **aws)
                self.assertNotEqual(done.returncode, 0)

    def test_paths_with_a_scheme_are_not_local_files(self):
        before = sorted(os.listdir(PLACE))
        for place, word in (('s3://bucket', 'call varve_remote_enable()'),
                            ('https://there', 'call varve_remote_enable()'),
                            ('gs://bucket/run',
                             'this scheme is not supported, only s3://,')):
            lines = probe('refuse', self.small, place, PROBE_LATE='1')
            self.assertGreater(len(lines), 5)
            for line in lines:
                self.says(line, 'VARVE_MISUSE', word)
            self.verify(place + '/a.varve', 'VARVE_MISUSE', word,
                        PROBE_LATE='1')
            line, = probe('latest', place + '/ckpt', PROBE_LATE='1')
            self.says(line, 'VARVE_MISUSE', word)
        self.verify('gs://bucket/a.varve', 'VARVE_MISUSE',
                    'this scheme is not supported, only s3://, https:// and')
        self.assertEqual(sorted(os.listdir(PLACE)), before)
