"""base.py - Contains the common parts of the tests of stores: the programs
that are run, and a server for each test.

SPDX-License-Identifier: MIT
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import bucket
import server

PROBE, WRITER, MODULES, VARVE, EXAMPLE = (
    word if word == '-' else os.path.abspath(word) for word in sys.argv[1:6])
LOCKER = os.path.join(os.path.dirname(PROBE), 'remote_locker')
LISTED = os.path.join(os.path.dirname(PROBE), 'remote_listed')
PLACE = tempfile.mkdtemp()
KEY_ID, SECRET, TOKEN = 'AKIDOFTESTS', 'sEcReT/of+tests', 'ToKeN/of+tests=='
SIGNED = {'AWS_ACCESS_KEY_ID': KEY_ID, 'AWS_SECRET_ACCESS_KEY': SECRET,
          'AWS_REGION': 'eu-west-9'}
QUERY = '?X-Amz-Signature=0ddba11deadbeef&X-Amz-Expires=60'
SECRETS = (SECRET, TOKEN, '0ddba11deadbeef', 'hunter2')
MOST_SECONDS = 300


def path_of(name):
    return os.path.join(PLACE, name)


def surroundings(**more):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(('AWS_', 'PROBE_'))
            and not name.lower().endswith('_proxy')}
    return {**kept, 'VARVE_MODULES': MODULES, 'HOME': PLACE,
            'AWS_EC2_METADATA_DISABLED': 'true', **more}


def run(*command, **more):
    """Runs a command. Returns its output and exit status; neither may
    contain secrets."""
    done = subprocess.run(command, env=surroundings(**more), text=True,
                          capture_output=True, check=False, cwd=PLACE,
                          timeout=MOST_SECONDS)
    said = done.stdout + done.stderr
    for secret in SECRETS:
        if secret in said:
            raise AssertionError(f'a secret in: {said}')
    if done.returncode < 0 or 'Sanitizer' in said:
        raise AssertionError(f'{command}: {done.returncode}\n{said}')
    return done


def probe(*arguments, **more):
    return run(PROBE, *arguments, **more).stdout.splitlines()


def read(path):
    with open(path, 'rb') as stream:
        return stream.read()


def make(name, count, size):
    path = path_of(name)
    if not os.path.exists(path):
        assert probe('make', path, str(count), str(size)) == ['VARVE_OK ']
    return path


def unused_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Remote(unittest.TestCase):
    def setUp(self):
        self.store = server.Store()
        self.server = self.enterContext(server.Server(self.store))
        self.small = make('small.varve', 6, 90000)
        self.put('/a.varve', self.small)
        self.url = self.server.url + '/a.varve'

    def enterContext(self, context):  # Python 3.11
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def put(self, name, path):
        self.store.files[name] = bucket.Content(read(path))

    def bucket(self):
        """Creates a store with the file in a bucket; returns the
        environment for it."""
        self.store.keys = {KEY_ID: SECRET}
        self.store.buckets = {'bucket'}
        for number in (1, 2, 10):
            self.put(f'/bucket/run/ckpt-{number}.varve', self.small)
        self.put('/bucket/run/deep/ckpt-99.varve', self.small)
        self.put('/bucket/run/a b&c=d+e%.varve', self.small)
        return {**SIGNED, 'AWS_ENDPOINT_URL': self.server.url}

    def says(self, line, status, *words):
        """Checks that a line consists of the status and one sentence with
        these words."""
        self.assertEqual(line.split(' ')[0], status, line)
        for word in words:
            self.assertIn(word, line)

    def verify(self, url, status, *words, **more):
        lines = probe('verify', url, **more)
        self.assertEqual(len(lines), 1, lines)
        self.says(lines[0], status, *words)


