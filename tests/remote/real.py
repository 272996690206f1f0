#!/usr/bin/env python3
"""real.py - Runs the tests of stores with other servers: OpenStack Swift from
Debian, and moto from PyPI.

    tests/remote/real.py PROBE WRITER MODULES

moto is searched on the path and in the environment in VARVE_INTEROP. A missing
server is not tested; without both the test is skipped.

SPDX-License-Identifier: MIT
"""
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import signature

SKIPPED = 77
PROBE, WRITER, MODULES = (os.path.abspath(word) for word in sys.argv[1:4])
LOCKER = os.path.join(os.path.dirname(PROBE), 'remote_locker')
LISTED = os.path.join(os.path.dirname(PROBE), 'remote_listed')
PLACE = tempfile.mkdtemp()
RUN = 's3://bucket/run'
LARGE = '3', '6000000', '7'  # four parts of 5 MiB, the minimum of S3
SMALL = '3', '1000', '7'

KEY_ID, SECRET, REGION = 'test:tester', 'testing', 'us-east-1'


def find_moto():
    """Returns the command that starts moto's server at a port, or None."""
    folder = os.environ.get('VARVE_INTEROP')
    places = [os.path.join(folder, 'bin')] if folder else []
    program = shutil.which('moto_server', path=os.pathsep.join(
        places + [os.environ.get('PATH', '')]))
    return program and (lambda port: [program, '-H', '127.0.0.1', '-p', port])


def find_swift():
    """Returns the command for Swift, with the Python of Debian's packages."""
    python = '/usr/bin/python3'
    here = os.path.dirname(os.path.abspath(__file__))
    script = os.path.join(here, 'swift_server.py')
    probe = [python, '-B', '-c', 'import swift.common.middleware.s3api']
    if not os.path.exists(python) or subprocess.run(
            probe, stderr=subprocess.DEVNULL, check=False).returncode:
        return None
    return lambda port: [python, '-B', script, f'{PLACE}/swift', port]


def unused_ports(count):
    """Returns the first of some adjacent free ports, outside of the range from
    which Linux assigns client ports, which other tests use."""
    for _ in range(1000):
        port = random.randrange(10000, 30000)
        try:
            for offset in range(count):
                with socket.socket() as s:
                    s.bind(('127.0.0.1', port + offset))
            return port
        except OSError:
            pass
    sys.exit('real: no ports are free')


def ask(method, url):
    data = b'' if method == 'PUT' else None
    request = urllib.request.Request(url, method=method, data=data)
    signature.sign(request, KEY_ID, SECRET, REGION)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.headers, answer.read()


def create_bucket(url):
    """Creates the bucket, unless an earlier request did, of which the answer
    was late or an error."""
    try:
        ask('PUT', f'{url}/bucket')
    except urllib.error.HTTPError as error:
        if error.code != 409:  # BucketAlreadyOwnedByYou
            raise


def begin(command):
    """Starts a server. Returns it and its address once it stores an object."""
    port = unused_ports(4)
    # pylint: disable=consider-using-with
    server = subprocess.Popen(command(str(port)), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    url = f'http://127.0.0.1:{port}'
    failure = None
    for _ in range(600):
        try:
            create_bucket(url)
            ask('PUT', f'{url}/bucket/first')
            return server, url
        except (urllib.error.URLError, OSError) as error:
            failure = error
            time.sleep(0.1)
    server.terminate()
    sys.exit(f'real: the server stores nothing: {failure}')


class Real(unittest.TestCase):
    """The tests that run with each server."""
    url = None

    def run_one(self, *command, told=None):
        environment = {**os.environ, 'VARVE_MODULES': MODULES, 'HOME': PLACE,
                       'AWS_ACCESS_KEY_ID': KEY_ID, 'AWS_REGION': REGION,
                       'AWS_SECRET_ACCESS_KEY': SECRET, 'no_proxy': '*',
                       'AWS_ENDPOINT_URL': self.url,
                       'PROBE_PART': str(5 << 20)}
        done = subprocess.run(command, env=environment, text=True, cwd=PLACE,
                              capture_output=True, check=False, timeout=120,
                              input=told)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.splitlines()

    def both(self, what, *where):
        for path in where:
            self.assertEqual(self.run_one(WRITER, 'write', path, *what),
                             ['VARVE_OK '])

    def test_a_written_file_is_read(self):
        for name, what in (('small', SMALL), ('large', LARGE)):
            here, there = f'{PLACE}/{name}.varve', f'{RUN}/{name} a+b.varve'
            self.both(what, here, there)
            self.assertEqual(self.run_one(PROBE, 'equal', '1', here, there),
                             ['COUNT VARVE_OK 1'])
            self.assertEqual(self.run_one(PROBE, 'verify', there),
                             ['VARVE_OK '])

    def test_a_multipart_upload_leaves_no_parts(self):
        self.both(LARGE, f'{RUN}/parts.varve')
        headers, _ = ask('HEAD', f'{self.url}/bucket/run/parts.varve')
        self.assertRegex(headers['ETag'], '^"[0-9a-f]{32}-4"$')
        _, body = ask('GET', f'{self.url}/bucket?uploads=')
        self.assertNotIn(b'<Upload>', body)

    def test_an_existing_object_is_not_replaced(self):
        for name, what in (('new', SMALL), ('new-large', LARGE)):
            path = f'{RUN}/{name}.varve'
            self.assertEqual(self.run_one(WRITER, 'new', path, *what),
                             ['VARVE_OK '])
            line, = self.run_one(WRITER, 'new', path, *what)
            self.assertRegex(line, '^VARVE_EXISTS ')

    def test_numbered_saves_are_found_and_listed(self):
        prefix = 's3://bucket/numbers/ckpt'
        self.assertEqual(self.run_one(WRITER, 'save', prefix, '12',
                                      *SMALL[:2]), ['VARVE_OK '] * 12)
        self.assertEqual(self.run_one(PROBE, 'latest', prefix),
                         [prefix + '-12.varve'])
        self.assertEqual(self.run_one(PROBE, 'list', 's3://bucket/numbers',
                                      'ckpt'),
                         [f'{prefix}-{n}.varve' for n in range(1, 13)])

    def test_listed_metadata_equals_that_of_the_file(self):
        directory = 's3://bucket/said'
        for name, what in (('small', SMALL), ('large', LARGE)):
            self.both(what, f'{directory}/{name} a&b.varve')
        for line in self.run_one(LISTED, directory):
            self.assertRegex(line, '^(small|large) a&b.varve: same [0-9]+$')

    def test_a_manager_saves_and_resumes(self):
        directory = 's3://bucket/managed'
        lines = self.run_one(WRITER, 'manage', directory, '4', '2')
        self.assertEqual(lines, ['VARVE_OK '] * 4 + [
            f'there {directory}/ckpt-{n}.varve' for n in (3, 4)])
        self.assertEqual(self.run_one(WRITER, 'resume', directory),
                         ['VARVE_OK ', 'step 4 equal'])

    def test_a_lock_works_or_is_reported_as_unsupported(self):
        """On a server that ignores conditions, the lock is never reported
        as supported."""
        path = 's3://bucket/locked/.ckpt.lock'
        first = self.run_one(LOCKER, path, '500', told='take\nfree\n')
        print('real: a lock:', first[0])
        self.assertIn(first, (['VARVE_OK ', 'freed'], ['missing', 'freed']))
        # The last owner exits without a release: its lock expires.
        for _ in range(2):
            begin = time.monotonic()
            again = self.run_one(LOCKER, path, '500', told='take\n')
            self.assertEqual(again, first[:1])
            self.assertLess(time.monotonic() - begin, 8)

    def test_incremental_saves(self):
        prefix = 's3://bucket/layers-of/ckpt'
        self.assertEqual(self.run_one(WRITER, 'incremental', prefix, '3', '4',
                                      '100000'), ['VARVE_OK '] * 3)
        self.assertEqual(self.run_one(PROBE, 'verify', prefix + '-3.varve'),
                         ['VARVE_OK '])

    def test_a_missing_bucket_is_reported(self):
        line, = self.run_one(WRITER, 'write', 's3://nobucket/a.varve', *SMALL)
        self.assertRegex(line, '^VARVE_NOT_FOUND .*no such bucket')


def try_one(name, command):
    """Runs the tests on a server. Returns true if all passed."""
    print(f'real: {name}', flush=True)
    server, Real.url = begin(command)
    try:
        return unittest.main(exit=False).result.wasSuccessful()
    finally:
        server.terminate()
        server.wait()


def main():
    found = {"moto's server": find_moto(), 'Swift': find_swift()}
    del sys.argv[1:4]
    for name, command in found.items():
        if not command:
            print(f'real: {name} is not installed: skipped')
    try:
        good = [try_one(name, command)
                for name, command in found.items() if command]
    finally:
        shutil.rmtree(PLACE)
    return 0 if all(good) and good else 1 if good else SKIPPED


if __name__ == '__main__':
    sys.exit(main())
