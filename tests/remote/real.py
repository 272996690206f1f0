#!/usr/bin/env python3
"""real.py - the same against a server that others wrote: moto's, of PyPI.

    tests/remote/real.py PROBE WRITER MODULES

It is looked for on the path, and in the virtual environment that VARVE_INTEROP
names; without it the test is skipped.

SPDX-License-Identifier: MIT
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

SKIPPED = 77
PROBE, WRITER, MODULES = (os.path.abspath(word) for word in sys.argv[1:4])
PLACE = tempfile.mkdtemp()
RUN = 's3://bucket/run'
LARGE = '3', '6000000', '7'  # in four parts of 5 MiB, the least of S3
SMALL = '3', '1000', '7'


def find_server():
    folder = os.environ.get('VARVE_INTEROP')
    places = [os.path.join(folder, 'bin')] if folder else []
    return shutil.which('moto_server', path=os.pathsep.join(
        places + [os.environ.get('PATH', '')]))


def unused_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def begin(program):
    """The server, once it answers, and its address."""
    port = unused_port()
    server = subprocess.Popen([program, '-H', '127.0.0.1', '-p', str(port)],
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    url = f'http://127.0.0.1:{port}'
    for _ in range(600):
        try:
            request = urllib.request.Request(f'{url}/bucket', method='PUT')
            urllib.request.urlopen(request, timeout=5).close()
            return server, url
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    server.kill()
    sys.exit('real: the server does not answer')


class Real(unittest.TestCase):
    url = None

    def run_one(self, *command):
        environment = {**os.environ, 'VARVE_MODULES': MODULES, 'HOME': PLACE,
                       'AWS_ACCESS_KEY_ID': 'key', 'AWS_REGION': 'us-east-1',
                       'AWS_SECRET_ACCESS_KEY': 'secret', 'no_proxy': '*',
                       'AWS_ENDPOINT_URL': self.url,
                       'PROBE_PART': str(5 << 20)}
        done = subprocess.run(command, env=environment, text=True, cwd=PLACE,
                              capture_output=True, check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.splitlines()

    def both(self, what, *where):
        for path in where:
            self.assertEqual(self.run_one(WRITER, 'write', path, *what),
                             ['VARVE_OK '])

    def test_what_is_written_is_read(self):
        for name, what in (('small', SMALL), ('large', LARGE)):
            here, there = f'{PLACE}/{name}.varve', f'{RUN}/{name} a+b.varve'
            self.both(what, here, there)
            self.assertEqual(self.run_one(PROBE, 'equal', '1', here, there),
                             ['COUNT VARVE_OK 1'])
            self.assertEqual(self.run_one(PROBE, 'verify', there),
                             ['VARVE_OK '])

    def test_it_comes_in_parts_and_leaves_none(self):
        self.both(LARGE, f'{RUN}/parts.varve')
        request = urllib.request.Request(
            f'{self.url}/bucket/run/parts.varve', method='HEAD')
        with urllib.request.urlopen(request) as answer:
            self.assertRegex(answer.headers['ETag'], '^"[0-9a-f]{32}-4"$')
        with urllib.request.urlopen(f'{self.url}/bucket?uploads') as answer:
            self.assertNotIn(b'<Upload>', answer.read())

    def test_what_is_there_is_not_replaced(self):
        for name, what in (('new', SMALL), ('new-large', LARGE)):
            path = f'{RUN}/{name}.varve'
            self.assertEqual(self.run_one(WRITER, 'new', path, *what),
                             ['VARVE_OK '])
            line, = self.run_one(WRITER, 'new', path, *what)
            self.assertRegex(line, '^VARVE_EXISTS ')

    def test_numbers_and_lists(self):
        prefix = 's3://bucket/numbers/ckpt'
        self.assertEqual(self.run_one(WRITER, 'save', prefix, '12',
                                      *SMALL[:2]), ['VARVE_OK '] * 12)
        self.assertEqual(self.run_one(PROBE, 'latest', prefix),
                         [prefix + '-12.varve'])
        self.assertEqual(self.run_one(PROBE, 'list', 's3://bucket/numbers',
                                      'ckpt'),
                         [f'{prefix}-{n}.varve' for n in range(1, 13)])

    def test_a_manager(self):
        directory = 's3://bucket/managed'
        lines = self.run_one(WRITER, 'manage', directory, '4', '2')
        self.assertEqual(lines, ['VARVE_OK '] * 4 + [
            f'there {directory}/ckpt-{n}.varve' for n in (3, 4)])
        self.assertEqual(self.run_one(WRITER, 'resume', directory),
                         ['VARVE_OK ', 'step 4 equal'])

    def test_layers(self):
        prefix = 's3://bucket/layers-of/ckpt'
        self.assertEqual(self.run_one(WRITER, 'layered', prefix, '3', '4',
                                      '100000'), ['VARVE_OK '] * 3)
        self.assertEqual(self.run_one(PROBE, 'verify', prefix + '-3.varve'),
                         ['VARVE_OK '])

    def test_no_bucket(self):
        line, = self.run_one(WRITER, 'write', 's3://nobucket/a.varve', *SMALL)
        self.assertRegex(line, '^VARVE_NOT_FOUND .*there is no such bucket')


def main():
    program = find_server()
    if not program:
        print("real: skipped, there is no moto_server (pip install "
              "'moto[server]')")
        return SKIPPED
    del sys.argv[1:4]
    server, Real.url = begin(program)
    try:
        return 0 if unittest.main(exit=False).result.wasSuccessful() else 1
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(PLACE)


if __name__ == '__main__':
    sys.exit(main())
