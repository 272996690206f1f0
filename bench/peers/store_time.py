#!/usr/bin/env python3
"""store_time.py - Measures a resume from a store and an upload, compared with
`aws s3 cp`, alternately, with 0 and 30 ms latency per request.

    bench/peers/store_time.py BUILD [AWS] [OTHER_BUILD]

BUILD contains the command, tests/remote/remote_probe and the module; AWS is
the program aws. The probe and the command of BUILD also run with the library
of OTHER_BUILD, if given. The local server is as fast as possible in Python: it
sends ranges with sendfile, discards uploads, and checks nothing. Varve reads
into memory, aws into a file; both in /dev/shm.

SPDX-License-Identifier: MIT
"""
import os
import re
import shutil
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

COUNT, SIZE = 1024, 1 << 20  # values, and bytes of each
DELAYS = 0, 0.03             # latency in seconds before each answer
ROUNDS = 2
ROW = '{:>5} {:<36} {:>9} {:>9}'


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, path):
        super().__init__(('127.0.0.1', 0), Handler)
        self.file = os.open(path, os.O_RDONLY)
        self.size = os.fstat(self.file).st_size
        self.delay = 0
        self.requests = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f'http://127.0.0.1:{self.server_address[1]}'


class Handler(socketserver.BaseRequestHandler):
    def setup(self):
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b''
        self.room = memoryview(bytearray(1 << 18))

    def handle(self):
        try:
            while self.one():
                pass
        except OSError:
            pass

    def head(self):
        data = self.rest
        while b'\r\n\r\n' not in data:
            more = self.request.recv(65536)
            if not more:
                return None
            data += more
        head, _, self.rest = data.partition(b'\r\n\r\n')
        return head

    def say(self, code, lines, body=b''):
        text = f'HTTP/1.1 {code} X\r\n' + ''.join(
            line + '\r\n' for line in lines)
        self.request.sendall(text.encode() +
                             f'Content-Length: {len(body)}\r\n\r\n'.encode() +
                             body)

    def drop_body(self, head):
        size = re.search(rb'(?i)\r\ncontent-length: *(\d+)', head)
        left = int(size[1]) if size else 0
        if re.search(rb'(?i)\r\nexpect: *100-', head):
            self.request.sendall(b'HTTP/1.1 100 Continue\r\n\r\n')
        left -= len(self.rest)
        self.rest = b''
        while left > 0:
            got = self.request.recv_into(self.room, min(left, len(self.room)))
            if not got:
                return False
            left -= got
        return True

    def one(self):
        head = self.head()
        if head is None:
            return False
        line = head.split(b'\r\n', 1)[0].decode()
        method, path, _ = line.split(' ')
        server = self.server
        with server.lock:
            server.requests += 1
        if server.delay:
            time.sleep(server.delay)
        if method in ('PUT', 'POST') and not self.drop_body(head):
            return False
        if method == 'GET':
            self.get(head)
        elif method == 'HEAD':
            self.request.sendall(
                f'HTTP/1.1 200 X\r\nContent-Length: {server.size}\r\n'
                'ETag: "of-it-2"\r\nAccept-Ranges: bytes\r\n'
                'Last-Modified: Thu, 01 Oct 2026 10:00:00 GMT\r\n\r\n'
                .encode())
        elif method == 'PUT':
            self.say(200, ['ETag: "of-it"'])
        elif method == 'POST' and 'uploads' in path:
            self.say(200, [], b'<InitiateMultipartUploadResult><Key>k</Key>'
                     b'<UploadId>u</UploadId></InitiateMultipartUploadResult>')
        elif method == 'POST':
            self.say(200, [], b'<CompleteMultipartUploadResult><ETag>&quot;of-'
                     b'it-2&quot;</ETag></CompleteMultipartUploadResult>')
        else:
            self.say(204, [])
        return True

    def get(self, head):
        server = self.server
        match = re.search(rb'(?i)\r\nrange: *bytes=(\d+)-(\d*)', head)
        if not match:
            self.say(404, [], b'<Error><Code>NoSuchKey</Code></Error>')
            return
        first = int(match[1])
        last = min(int(match[2] or server.size), server.size - 1)
        self.request.sendall(
            f'HTTP/1.1 206 X\r\nContent-Length: {last - first + 1}\r\n'
            f'Content-Range: bytes {first}-{last}/{server.size}\r\n'
            'ETag: "of-it-2"\r\nLast-Modified: Thu, 01 Oct 2026 10:00:00 GMT'
            '\r\n\r\n'.encode())
        at, end = first, last + 1
        while at < end:
            at += os.sendfile(self.request.fileno(), server.file, at, end - at)


class Measure:
    """Runs programs against the server and prints their times."""
    def __init__(self, place, server):
        self.server = server
        self.environment = {
            **os.environ, 'AWS_ACCESS_KEY_ID': 'key', 'HOME': place,
            'AWS_SECRET_ACCESS_KEY': 'secret', 'AWS_REGION': 'us-east-1',
            'AWS_ENDPOINT_URL': server.url, 'no_proxy': '*',
            'PROBE_PASSES': '1'}

    def row(self, name, command, build=None):
        self.server.requests = 0
        more = {} if not build else {
            'LD_LIBRARY_PATH': f'{build}/lib',
            'VARVE_MODULES': f'{build}/lib/remote'}
        begin = time.monotonic()
        done = subprocess.run(command, env={**self.environment, **more},
                              capture_output=True, text=True, check=False)
        seconds = time.monotonic() - begin
        if done.returncode or 'VARVE_OK' not in done.stdout + 'VARVE_OK' * (
                'remote_probe' not in command[0]):
            sys.exit(f'store_time: {command}: {done.stdout}{done.stderr}')
        print(ROW.format(int(self.server.delay * 1000), name,
                         self.server.requests, f'{seconds:.2f}'), flush=True)


def measure(m, build, aws, other, file, place):
    probe = f'{build}/tests/remote/remote_probe'
    there = 's3://bucket/a.varve'
    builds = [('', build)] + ([(' of the other build', other)] if other else [])
    for name, each in builds:
        m.row('resume' + name, [probe, 'graph', file, there, '-'], each)
    if aws:
        m.row('aws s3 cp, down',
              [aws, 's3', 'cp', '--quiet', there, f'{place}/copied'])
    for name, each in builds:
        m.row('varve convert, up' + name, [
            f'{each}/tools/varve', 'convert', '-q', '-f', file, there], each)
    if aws:
        m.row('aws s3 cp, up', [aws, 's3', 'cp', '--quiet', file, there])


def main(build, aws=None, other=None):
    aws = aws or shutil.which('aws')
    build = os.path.abspath(build)
    with tempfile.TemporaryDirectory(dir='/dev/shm') as place:
        file = f'{place}/a.varve'
        subprocess.run([f'{build}/tests/remote/remote_probe', 'make', file,
                        str(COUNT), str(SIZE)], check=True,
                       env={**os.environ,
                            'VARVE_MODULES': f'{build}/lib/remote'},
                       stdout=subprocess.DEVNULL)
        server = Server(file)
        m = Measure(place, server)
        print(ROW.format('ms', f'{server.size:,} bytes', 'requests',
                         'seconds'))
        for delay in DELAYS:
            server.delay = delay
            for _ in range(ROUNDS):
                measure(m, build, aws, other and os.path.abspath(other), file,
                        place)


if __name__ == '__main__':
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
