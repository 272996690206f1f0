#!/usr/bin/env python3
"""store.py - Counts requests and bytes for reads from a store, compared with
the whole file by `aws s3 cp` and ranges by safetensors.

    bench/peers/store.py BUILD [AWS]

BUILD contains the command, tests/remote/remote_probe and the module; AWS is
the program aws, by default searched on the path, and skipped if it is missing.
The server is that of tests/remote on the loopback interface: times are not
compared.

SPDX-License-Identifier: MIT
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import urllib.request

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(SOURCE, 'tests', 'remote'))
import bucket  # noqa: E402  pylint: disable=wrong-import-position
import server  # noqa: E402  pylint: disable=wrong-import-position

COUNT, SIZE = 256, 1 << 20  # values, and bytes of each
KEY = 'values/100'
ROW = '{:<44} {:>9} {:>14} {:>14}'


class Measure:
    """Runs programs against a server and prints its counts."""
    def __init__(self, build, place):
        self.build = os.path.abspath(build)
        self.place = place
        self.store = server.Store()
        self.store.keys = {'key': 'secret'}
        self.store.buckets = {'bucket'}
        self.url = None

    def run(self, *command, **more):
        environment = {**os.environ, 'AWS_ACCESS_KEY_ID': 'key',
                       'AWS_SECRET_ACCESS_KEY': 'secret', 'HOME': self.place,
                       'AWS_REGION': 'us-east-1', 'no_proxy': '*',
                       'AWS_ENDPOINT_URL': self.url or '',
                       'AWS_REQUEST_CHECKSUM_CALCULATION': 'when_required',
                       'VARVE_MODULES': f'{self.build}/lib/remote', **more}
        done = subprocess.run(command, env=environment, cwd=self.place,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f'store: {command}: {done.stdout}{done.stderr}')

    def varve(self, *words):
        self.run(f'{self.build}/tools/varve', *words)

    def probe(self, *words):
        self.run(f'{self.build}/tests/remote/remote_probe', *words)

    def probe_once(self, *words):
        self.run(f'{self.build}/tests/remote/remote_probe', *words,
                 PROBE_PASSES='1')

    def row(self, name, work, *arguments):
        self.store.forget()
        self.store.written.requests = self.store.written.sent = 0
        work(*arguments)
        print(ROW.format(name, self.store.requests +
                         self.store.written.requests,
                         f'{self.store.bytes:,}',
                         f'{self.store.written.sent:,}'), flush=True)

    def keep(self, name):
        with open(f'{self.place}/{name}', 'rb') as stream:
            self.store.files[f'/bucket/{name}'] = bucket.Content(stream.read())


def tensors_by_ranges(url, names):
    """Without signatures: the server is accessed without keys here."""
    def ask(first, last):
        request = urllib.request.Request(
            url, headers={'Range': f'bytes={first}-{last}'})
        with urllib.request.urlopen(request) as answer:
            return answer.read()
    size, = struct.unpack('<Q', ask(0, 7))
    header = json.loads(ask(8, 7 + size))
    header.pop('__metadata__', None)
    for name in names or header:
        first, last = header[name]['data_offsets']
        if last > first:
            ask(8 + size + first, 7 + size + last)


def main(build, aws=None):
    aws = aws or shutil.which('aws')
    with tempfile.TemporaryDirectory() as place:
        m = Measure(build, place)
        m.probe('make', f'{place}/a.varve', str(COUNT), str(SIZE))
        m.varve('convert', '-q', f'{place}/a.varve',
                f'{place}/a.safetensors')
        m.keep('a.varve')
        m.keep('a.safetensors')
        with server.Server(m.store) as web:
            m.url = web.url
            there, flat = 's3://bucket/a.varve', 's3://bucket/a.safetensors'
            size = len(m.store.files['/bucket/a.varve'].data)
            print(ROW.format(f'of {size:,} bytes', 'requests', 'bytes read',
                             'bytes written'))
            m.row('varve ls', m.varve, 'ls', there)
            m.row('varve ls of safetensors', m.varve, 'ls', flat)
            m.row('one value of 1 MiB', m.probe, 'value', there, KEY)
            m.row('one value of safetensors', m.probe, 'value', flat, KEY)
            m.row('all, restored in one pass', m.probe_once, 'graph',
                  f'{place}/a.varve', there, f'{place}/copy.varve')
            m.row('all of safetensors, in one pass', m.probe_once, 'graph',
                  f'{place}/a.safetensors', flat, f'{place}/copy.varve')
            m.row('all, verified and then restored', m.probe, 'graph',
                  f'{place}/a.varve', there, f'{place}/copy.varve')
            if aws:
                m.row('aws s3 cp, down', m.run, aws, 's3', 'cp', '--quiet',
                      there, f'{place}/copied')
            m.store.keys = {}
            url = f'{web.url}/bucket/a.safetensors'
            m.row('safetensors by ranges, one tensor', tensors_by_ranges, url,
                  [KEY])
            m.row('safetensors by ranges, each tensor', tensors_by_ranges, url,
                  None)
            m.store.keys = {'key': 'secret'}
            m.row('varve convert, up', m.varve, 'convert', '-q',
                  f'{place}/a.varve', 's3://bucket/up.varve')
            if aws:
                m.row('aws s3 cp, up', m.run, aws, 's3', 'cp', '--quiet',
                      f'{place}/a.varve', 's3://bucket/cp.varve')


if __name__ == '__main__':
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
