"""server.py - Implements a small web server and a store like Amazon S3 for
tests. It serves ranges, counts requests, and injects faults.

SPDX-License-Identifier: MIT
"""
import contextlib
import email.utils
import http.server
import random
import re
import ssl
import threading
import time
import urllib.parse
import xml.sax.saxutils

import bucket
import signature

PAGE = 3  # names in a page of a listing (S3: 1000)
CUTS = 'cut', 'short', 'reset'
KINDS = CUTS + ('500', '503', 'range', 'total', 'whole', 'longer', 'gzip',
                'untold')


class Store:
    """The files of a server by path, and its settings."""
    def __init__(self):
        self.files = {}
        self.uploads = {}     # incomplete uploads by number
        self.written = bucket.Rules()
        self.moved = {}       # path and redirection target
        self.keys = {}        # secrets by key id: then signatures are required
        self.tokens = {}      # session tokens by key id
        self.buckets = set()  # existing buckets
        self.has_ranges = True
        self.has_tags = True
        self.has_dates = True
        self.has_fresh_dates = False  # each answer has the current date
        self.trickles = False
        self.delay = 0
        self.skew = 0         # error of the clock in seconds
        self.gone = []        # listed paths that no longer exist
        self.hidden = set()   # existing paths that are not listed yet
        self.list_body = None  # returned instead of a listing
        self.page = None      # names in a page of a listing, if not PAGE
        # XML elements of a path in listings, None: omitted
        self.listed = {}
        self.rate = 0
        self.kinds = KINDS
        self.chance = random.Random(1)
        self.lock = threading.Condition()
        self.flying = 0       # requests that are being answered
        self.meeting = 0      # requests that wait until so many have arrived
        self.swap = None      # called with the count of each request
        self.always = None    # a fault of all requests
        self.forget()

    def forget(self):
        """Waits for pending answers and resets the counters."""
        with self.lock:
            self.lock.wait_for(lambda: self.flying == 0, 5)
        self.requests = 0
        self.most_flying = 0
        self.bytes = 0
        self.faults = {}
        self.seen = []        # method, path, headers
        self.refused = []     # reasons for rejected signatures

    @contextlib.contextmanager
    def flight(self):
        """Counts a request while it is answered."""
        with self.lock:
            self.flying += 1
            self.most_flying = max(self.most_flying, self.flying)
            self.lock.notify_all()
            if self.flying > 1 and self.meeting:
                self.lock.wait_for(
                    lambda: self.most_flying >= self.meeting, 5)
                self.meeting = 0
        try:
            yield
        finally:
            with self.lock:
                self.flying -= 1
                self.lock.notify_all()

    def draw(self):
        """Returns the fault of the next request, or None."""
        with self.lock:
            self.requests += 1
            if self.swap:
                self.swap(self.requests)
            kind = self.always
            if self.rate and self.chance.random() < self.rate:
                kind = self.chance.choice(self.kinds)
            if kind:
                self.faults[kind] = self.faults.get(kind, 0) + 1
            return kind


def error_body(code):
    return (f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>no'
            '</Message></Error>').encode()


def entry_of(store, path, key):
    """Returns the XML of an object in a listing, with elements in a random
    order."""
    content = store.files.get(path) or bucket.Content(b'?')
    date = email.utils.parsedate_to_datetime(content.date)
    fraction = random.Random(key).randrange(1000)
    elements = {'Key': key, 'Size': str(len(content.data)),
                'LastModified': f'{date:%Y-%m-%dT%H:%M:%S}.{fraction:03}Z',
                'ETag': content.tag, 'StorageClass': 'STANDARD'}
    if not store.has_tags:
        del elements['ETag']
    elements.update(store.listed.get(path, {}))
    names = [name for name, text in elements.items() if text is not None]
    random.Random(key).shuffle(names)
    quotes = {'"': '&quot;'}
    return ''.join(
        f'<{name}>{xml.sax.saxutils.escape(elements[name], quotes)}</{name}>'
        for name in names)


def list_body(store, name, query):
    """Returns a page of ListObjectsV2."""
    prefix = query.get('prefix', '')
    after = query.get('continuation-token', '')
    stem = f'/{name}/'
    keys = sorted(path[len(stem):] for path in [*store.files, *store.gone]
                  if path.startswith(stem) and path not in store.hidden)
    found = {}
    for key in keys:
        if key.startswith(prefix):
            rest = key[len(prefix):]
            cut = rest.split('/')[0] + '/' if '/' in rest else rest
            found[prefix + cut] = '/' in rest
    keys = sorted(key for key in found if key > after)
    most = store.page or PAGE
    page = keys[:most]
    escape = xml.sax.saxutils.escape
    text = ['<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult '
            'xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f'<Name>{name}</Name><Prefix>{escape(prefix)}</Prefix>'
            f'<KeyCount>{len(page)}</KeyCount>']
    is_cut = len(keys) > most
    text.append(f'<IsTruncated>{"true" if is_cut else "false"}</IsTruncated>')
    if is_cut:
        text.append('<NextContinuationToken>'
                    f'{escape(page[-1])}</NextContinuationToken>')
    for key in page:
        text.append(f'<CommonPrefixes><Prefix>{escape(key)}</Prefix>'
                    '</CommonPrefixes>' if found[key] else
                    f'<Contents>{entry_of(store, stem + key, key)}</Contents>')
    return ''.join(text + ['</ListBucketResult>']).encode()


class Handler(bucket.Writing, http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, code, body=b'', headers=(), size=None):
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header('Content-Length', len(body) if size is None else size)
        self.end_headers()
        self.wfile.write(body)
        with self.server.store.lock:
            self.server.store.bytes += len(body)

    def answer_with_trailers(self, code, body, headers, trailers):
        self.send_response(code)
        for name, value in [*headers, ('Transfer-Encoding', 'chunked')]:
            self.send_header(name, value)
        self.end_headers()
        lines = ''.join(f'{name}: {value}\r\n' for name, value in trailers)
        self.wfile.write(b'%x\r\n%s\r\n0\r\n' % (len(body), body) +
                         lines.encode() + b'\r\n')

    def trickle(self, code, body, headers):
        """Sends 100 bytes per second, so the connection is not idle."""
        self.send_response(code)
        for name, value in [*headers, ('Content-Length', len(body))]:
            self.send_header(name, value)
        self.end_headers()
        try:
            for at in range(0, len(body), 20):
                self.wfile.write(body[at:at + 20])
                time.sleep(0.2)
        except OSError:
            self.hang_up()

    def date_time_string(self, timestamp=None):
        return super().date_time_string(
            (timestamp or time.time()) + self.server.store.skew)

    def hang_up(self):
        self.close_connection = True

    def refuse(self, code, name):
        body = b'' if self.command == 'HEAD' else error_body(name)
        self.answer(code, body, [('Content-Type', 'application/xml')])

    def do_GET(self):
        with self.server.store.flight():
            self.get()

    def get(self):
        store = self.server.store
        path, _, query = self.path.partition('?')
        kind = store.draw()
        with store.lock:
            store.seen.append((f'GET {self.path}',
                               dict(self.headers.items())))
        if store.delay:
            time.sleep(store.delay)
        if kind in ('500', '503'):
            self.refuse(int(kind), 'SlowDown' if kind == '503' else
                        'InternalError')
            return
        if kind == 'reset':
            self.hang_up()
            return
        if kind == 'silence':
            time.sleep(4)
            self.hang_up()
            return
        if store.keys:
            why = signature.wrong(self, store)
            if why:
                store.refused.append(why)
                self.refuse(403, why[0])
                return
        self.give(path, query, kind)

    def give(self, path, query, kind):
        store = self.server.store
        name = urllib.parse.unquote(path)
        if path in store.moved:
            self.answer(302, b'moved',
                        [('Location', store.moved[path])])
            return
        if store.buckets:
            place = name.split('/')[1]
            if place not in store.buckets:
                self.refuse(404, 'NoSuchBucket')
                return
            if 'list-type=2' in query:
                asked = dict(urllib.parse.parse_qsl(query))
                self.answer(200, list_body(store, place, asked)
                            if store.list_body is None else store.list_body)
                return
        content = store.files.get(name)
        if content is None:
            self.refuse(404, 'NoSuchKey')
        else:
            self.give_part(content, kind)

    def headers_of(self, content):
        headers = []
        date = content.date
        if self.server.store.has_fresh_dates:
            date = self.date_time_string()
        if self.server.store.has_dates:
            headers.append(('Last-Modified', date))
        if content.token:
            headers.append((bucket.TOKEN, content.token))
        if self.server.store.has_tags:
            headers.append(('ETag', content.tag))
        return headers

    def give_part(self, content, kind):
        store = self.server.store
        total = len(content.data)
        match = self.headers.get('If-Match')
        if match and store.has_tags and match != content.tag:
            self.refuse(412, 'PreconditionFailed')
            return
        asked = re.fullmatch(r'bytes=(\d+)-(\d*)',
                             self.headers.get('Range', ''))
        if not asked or not store.has_ranges or kind == 'whole':
            # Sends enough to show if a client accepts it.
            self.answer(200, bytes(content.data[:1 << 20]),
                        self.headers_of(content), size=total)
            if total > 1 << 20:
                self.hang_up()
            return
        first, last = (int(each or total) for each in asked.groups())
        if first >= total:
            self.answer(416, b'', [('Content-Range', f'bytes */{total}')])
            return
        last = min(last, total - 1)
        self.give_bytes(content, kind, first, last)

    def give_bytes(self, content, kind, first, last):
        total = len(content.data)
        data = bytes(content.data[first:last + 1])
        headers = self.headers_of(content)
        told_first, told_last, told_total = first, last, total
        if kind == 'range':
            told_first, told_last = first + 1, last + 1
        if kind == 'total':
            told_total = last  # an answer that cannot contain the range
        if kind == 'gzip':
            headers.append(('Content-Encoding', 'gzip'))
        if kind != 'untold':
            headers.append(('Content-Range',
                            f'bytes {told_first}-{told_last}/{told_total}'))
        if kind in ('range', 'total', 'gzip', 'untold', 'longer'):
            # Wrong bytes, which a client must not accept as those of the file.
            data = bytes(len(data) + (1 if kind == 'longer' else 0))
        size = len(data)
        if kind in CUTS:
            data = data[:self.server.store.chance.randrange(len(data) + 1)]
        if kind == 'short':
            size = len(data)
        if kind == 'trailers':
            self.answer_with_trailers(206, data, headers, [
                ('Content-Range', f'bytes {first}-{last}/{2 * total}'),
                ('ETag', '"another"')])
            return
        if self.server.store.trickles:
            self.trickle(206, data, headers)
            return
        self.answer(206, data, headers, size=size)
        if kind == 'cut' and size != len(data):
            self.hang_up()


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # many connections arrive at once


class Server:
    """Runs a server on a free port in threads, as a context manager."""
    def __init__(self, store, certificate=None):
        self.http = Listener(('127.0.0.1', 0), Handler)
        self.http.store = store
        self.http.handle_error = lambda *_: None  # disconnected clients
        scheme = 'http'
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.http.socket = context.wrap_socket(self.http.socket,
                                                   server_side=True)
            scheme = 'https'
        host = 'localhost' if certificate else '127.0.0.1'
        self.url = f'{scheme}://{host}:{self.http.server_port}'

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, args=(0.05,),
                         daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()
