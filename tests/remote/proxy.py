"""proxy.py - Forwards requests to a store, with delays, repetitions, losses
and damaged answers selected by a seed.

It parses only the boundaries of messages. So it can drop an answer after the
store has done the work, or send a request twice.

SPDX-License-Identifier: MIT
"""
import random
import re
import socket
import socketserver
import threading
import time

# Possible faults of a request.
FATES = ('lag',          # delayed
         'lose before',  # the request does not reach the store
         'lose',         # the request is done, and the answer is dropped
         'cut',          # the request is done, and the answer is truncated
         # the request is sent twice; the second answer is returned
         'repeat',
         'trickle',      # the answer is sent byte by byte up to byte 300
         'longer',       # Content-Length is larger than the body
         'shorter',      # Content-Length is smaller than the body
         'range',        # Content-Range is wrong
         'trailers',     # chunked, with wrong sizes and ranges in trailers
         # 502 with a body of its own, although the request is done
         'gateway')


class Stopped(Exception):
    """Reads a line; raises an exception if the connection has ended."""


def read_line(stream):
    line = stream.readline(65536)
    if not line.endswith(b'\n'):
        raise Stopped
    return line


def read_head(stream):
    """Returns the first line, and the headers as pairs."""
    first = read_line(stream)
    pairs = []
    while (line := read_line(stream)) != b'\r\n':
        name, _, value = line.decode('latin-1').partition(':')
        pairs.append((name, value.strip()))
    return first.decode('latin-1'), pairs


def value_of(pairs, wanted, default=''):
    for name, value in pairs:
        if name.lower() == wanted:
            return value
    return default


def read_exactly(stream, size):
    data = stream.read(size)
    if len(data) < size:
        raise Stopped
    return data


def join(first, pairs, body):
    lines = ''.join(f'{name}: {value}\r\n' for name, value in pairs)
    return f'{first}{lines}\r\n'.encode('latin-1') + body


def with_value(pairs, wanted, value):
    return [(name, value if name.lower() == wanted else old)
            for name, old in pairs]


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        try:
            while self.serve_one():
                pass
        except (Stopped, OSError):
            pass

    def serve_one(self):
        first, pairs = read_head(self.rfile)
        if value_of(pairs, 'expect'):
            self.wfile.write(b'HTTP/1.1 100 Continue\r\n\r\n')
            pairs = [p for p in pairs if p[0].lower() != 'expect']
        body = read_exactly(self.rfile,
                            int(value_of(pairs, 'content-length', '0')))
        method = first.split(' ')[0]
        fate = self.server.draw(first)
        if fate == 'lose before':
            return False
        answer = self.ask(method, join(first, pairs, body))
        if fate == 'repeat':
            answer = self.ask(method, join(first, pairs, body))
        if fate == 'lose':
            return False
        return self.give(fate, method, *answer)

    def ask(self, method, message):
        with socket.create_connection(self.server.behind) as upstream:
            upstream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            upstream.sendall(message)
            with upstream.makefile('rb') as stream:
                first, pairs = read_head(stream)
                size = int(value_of(pairs, 'content-length', '0'))
                body = b'' if method == 'HEAD' or ' 204 ' in first \
                    else read_exactly(stream, size)
        return first, pairs, body

    def give(self, fate, method, first, pairs, body):
        if fate == 'lag':
            time.sleep(0.02)
        if fate == 'gateway':
            first, pairs, body = 'HTTP/1.1 502 X\r\n', [
                ('Content-Length', '3')], b'<a>'
        if fate == 'longer':
            pairs = with_value(pairs, 'content-length', len(body) + 7)
        if fate == 'shorter':
            pairs = with_value(pairs, 'content-length', len(body) // 2)
        if fate == 'range':
            told = value_of(pairs, 'content-range')
            pairs = with_value(pairs, 'content-range', re.sub(
                r'\d+', lambda m: str(int(m[0]) + 1), told, count=1))
        if fate == 'trailers' and body:
            pairs = [p for p in pairs if p[0].lower() != 'content-length']
            pairs.append(('Transfer-Encoding', 'chunked'))
            body = (b'%x\r\n%s\r\n0\r\nContent-Length: 1\r\nContent-Range: '
                    b'bytes 0-0/1\r\nETag: "other"\r\n\r\n' %
                    (len(body), body))
        message = join(first, pairs, b'' if method == 'HEAD' else body)
        if fate == 'cut':
            message = message[:self.server.below(len(message))]
        if fate == 'trickle':
            for at in range(min(300, len(message))):
                self.wfile.write(message[at:at + 1])
            message = message[300:]
        self.wfile.write(message)
        return fate not in ('cut', 'longer', 'shorter')


class Proxy(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, behind):
        super().__init__(('127.0.0.1', 0), Handler)
        self.behind = behind  # host and port of the store
        self.lock = threading.Lock()
        self.counts = {}
        self.reset(0, 0)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, *_):
        pass  # the peer has closed the connection

    @property
    def url(self):
        return f'http://127.0.0.1:{self.server_address[1]}'

    def reset(self, seed, rate, only=None):
        """Applies faults to requests at this rate from now on."""
        self.chance = random.Random(seed)
        self.rate = rate
        self.only = only  # a pattern of "METHOD /path"; None: all
        self.always = None

    def below(self, limit):
        with self.lock:
            return self.chance.randrange(limit)

    def draw(self, first):
        with self.lock:
            if self.only and not re.search(self.only, first):
                return None
            fate = self.always
            if not fate and self.chance.random() < self.rate:
                fate = self.chance.choice(FATES)
            if fate:
                self.counts[fate] = self.counts.get(fate, 0) + 1
            return fate
