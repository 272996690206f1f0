"""bucket.py - Implements writes to the test store: objects, multipart uploads,
conditions, deletions, and their faults.

SPDX-License-Identifier: MIT
"""
import base64
import email.utils
import hashlib
import random
import re
import time
import urllib.parse

import signature

TOKEN = 'x-amz-meta-varve'
MOST_PARTS = 10000
# Faults of a request that writes.
KINDS = ('before',   # the connection ends before anything is done
         'half',     # the connection ends within the body
         'after',    # the request is done, then the connection ends
         'cut',      # the request is done, and half of the answer is sent
         '500', '503',
         'late 500',  # the request is done nevertheless
         'tag',      # the answer has another ETag
         'other',    # other bytes are stored, and the answer has their ETag
         'early 200',  # success status followed by an error; not done
         'slow')


class Content:
    """The content of an object, its ETag, and its date."""
    def __init__(self, data, tag=None, date='Thu, 01 Oct 2026 10:00:00 GMT',
                 token=None):
        self.data = data
        self.date = date
        self.token = token
        self.tag = tag or '"' + hashlib.md5(bytes(data[:1 << 20]) + str(
            len(data)).encode()).hexdigest() + '"'


class Upload:
    """The parts of an incomplete upload, by number."""
    def __init__(self, name, token):
        self.name = name
        self.token = token
        self.parts = {}


class Rules:
    """The settings of writes to a store, and the violations found."""
    def __init__(self):
        self.least_part = 5 << 20
        self.has_conditions = True  # If-None-Match; None: ignored
        self.has_matches = True     # If-Match; None: ignored
        self.keeps_tokens = True
        self.tags = True            # are checksums
        self.rate = 0
        self.kinds = KINDS
        self.chance = random.Random(1)
        self.always = None
        # a pattern of "METHOD path?query"; others have no faults
        self.only = None
        self.hook = None            # called with each "METHOD path?query"
        self.refuses = None         # HTTP status and error code for all writes
        self.most_bytes = None      # capacity
        self.faults = {}
        self.requests = 0
        self.damages = False        # bytes are damaged on the way
        self.sent = 0               # bytes
        self.number = 0
        self.broken = []            # violations of the protocol by the client


def tag_of(data):
    return f'"{hashlib.md5(data).hexdigest()}"'


def flipped(data):
    return bytes([data[0] ^ 1]) + data[1:] if data else data


class Cut(Exception):
    """Raised where the connection ends."""


class Writing:
    """The part of the request handler for writes."""
    def rules(self):
        return self.server.store.written

    def draw_write(self):
        rules = self.rules()
        line = f'{self.command} {self.path}'
        if rules.hook:
            rules.hook(line)
        with self.server.store.lock:
            rules.requests += 1
            if rules.only and not re.search(rules.only, line):
                return None
            kind = rules.always
            if rules.rate and rules.chance.random() < rules.rate:
                kind = rules.chance.choice(rules.kinds)
            if kind:
                rules.faults[kind] = rules.faults.get(kind, 0) + 1
            return kind

    def read_body(self, kind):
        size = int(self.headers.get('Content-Length') or 0)
        if kind == 'half':
            self.rfile.read(size // 2)
            raise Cut
        body = self.rfile.read(size)
        self.rules().sent += len(body)
        if kind == 'before':
            raise Cut
        return flipped(body) if self.rules().damages else body

    def check_body(self, body):
        """Returns HTTP status and error code if a checksum or the signature is
        wrong, else None."""
        md5 = self.headers.get('Content-MD5')
        if self.command == 'PUT' and not md5:
            self.rules().broken.append(f'no Content-MD5: {self.path}')
        if md5 and base64.b64decode(md5) != hashlib.md5(body).digest():
            return 400, 'BadDigest'
        why = signature.wrong(self, self.server.store, body)
        if why:
            self.server.store.refused.append(why)
            return 403, why[0]
        return None

    def serve(self, kinds, work):
        with self.server.store.flight():
            self.serve_one(kinds, work)

    def serve_one(self, kinds, work):
        """Reads a request and does `work`, with a randomly selected fault."""
        kind = self.draw_write()
        kind = kind if kind in kinds else None
        with self.server.store.lock:
            self.server.store.seen.append((f'{self.command} {self.path}',
                                           dict(self.headers.items())))
        try:
            body = self.read_body(kind)
            if self.server.store.delay:
                time.sleep(self.server.store.delay)
            if kind == 'slow':
                time.sleep(0.002)
            wrong = self.check_body(body) or self.rules().refuses
            if kind in ('500', '503'):
                wrong = int(kind), 'SlowDown' if kind == '503' else 'Internal'
            path = urllib.parse.unquote(self.path.partition('?')[0])
            name = path.split('/')[1]
            if not wrong and name not in self.server.store.buckets:
                wrong = 404, 'NoSuchBucket'
            if wrong:
                self.refuse(*wrong)
                return
            with self.server.store.lock:
                answer = work(path, body, kind)
            if kind == 'after':
                raise Cut
            if kind == 'late 500':
                answer = 500, 'InternalError'
            self.finish_write(kind, *answer)
        except Cut:
            self.hang_up()

    def finish_write(self, kind, code, body=b'', headers=(), told=None):
        if isinstance(body, str):
            self.refuse(code, body)
            return
        size = len(body) if told is None else told
        if kind == 'cut':
            if not body:
                raise Cut
            body = body[:size // 2]
        self.answer(code, body, headers, size=size)
        if kind == 'cut':
            self.hang_up()

    # --- Objects -------------------------------------------------------------

    def is_taken(self, path):
        """Returns an error if a condition of the request does not hold."""
        rules, content = self.rules(), self.server.store.files.get(path)
        match = self.headers.get('If-Match')
        if match and rules.has_matches is False:
            return 501, 'NotImplemented'
        if match and rules.has_matches:
            if not content:
                return 404, 'NoSuchKey'
            return None if match == content.tag else (
                412, 'PreconditionFailed')
        if self.headers.get('If-None-Match') != '*':
            return None
        if rules.has_conditions is False:
            return 501, 'NotImplemented'
        if rules.has_conditions and content:
            return 412, 'PreconditionFailed'
        return None

    def keep(self, path, data, tag, token):
        rules, store = self.rules(), self.server.store
        room = rules.most_bytes
        if room is not None and room < len(data) + sum(
                len(c.data) for c in store.files.values()):
            return 507, 'XMinioStorageFull'
        store.files[path] = Content(
            data, tag, email.utils.formatdate(time.time() + store.skew,
                                              usegmt=True),
            token if rules.keeps_tokens else None)
        return None

    def put_object(self, path, body, kind):
        taken = self.is_taken(path)
        if taken:
            return taken
        data = flipped(body) if kind == 'other' else body
        tag = tag_of(data) if self.rules().tags else '"of-our-own"'
        full = self.keep(path, data, tag, self.headers.get(TOKEN))
        if full:
            return full
        return 200, b'', [('ETag', tag_of(b'?') if kind == 'tag' else tag)]

    def put_part(self, query):
        def work(path, body, kind):
            upload = self.server.store.uploads.get(query['uploadId'])
            number = int(query['partNumber'])
            if not upload or upload.name != path:
                return 404, 'NoSuchUpload'
            if not 1 <= number <= MOST_PARTS:
                return 400, 'InvalidArgument'
            data = flipped(body) if kind == 'other' else body
            upload.parts[number] = data
            tag = tag_of(b'?' if kind == 'tag' else data)
            return 200, b'', [('ETag', tag)]
        return work

    def do_PUT(self):
        query = dict(urllib.parse.parse_qsl(self.path.partition('?')[2]))
        if 'uploadId' in query:
            self.serve(set(KINDS) - {'early 200'}, self.put_part(query))
        else:
            self.serve(set(KINDS) - {'early 200'}, self.put_object)

    # --- Of several parts ----------------------------------------------------

    def begin(self, path, _body, _kind):
        store = self.server.store
        store.written.number += 1
        number = f'upload/{store.written.number}+='
        store.uploads[number] = Upload(path, self.headers.get(TOKEN))
        return 200, (f'<?xml version="1.0"?><InitiateMultipartUploadResult>'
                     f'<Key>k</Key><UploadId>{number}</UploadId>'
                     '</InitiateMultipartUploadResult>').encode()

    def complete(self, number):
        def work(path, body, kind):
            store = self.server.store
            upload = store.uploads.get(number)
            if kind == 'early 200':
                return 200, (b'<?xml version="1.0"?>\n<Error><Code>'
                             b'InternalError</Code></Error>')
            if not upload or upload.name != path:
                return 404, 'NoSuchUpload'
            parts = re.findall(r'<PartNumber>(\d+)</PartNumber><ETag>&quot;'
                               r'(\w+)&quot;</ETag>', body.decode())
            data = []
            for at, (part, tag) in enumerate(parts, 1):
                have = upload.parts.get(int(part))
                if int(part) != at or have is None or (
                        tag_of(have) != f'"{tag}"'):
                    return 400, 'InvalidPart'
                if at < len(parts) and len(have) < self.rules().least_part:
                    return 400, 'EntityTooSmall'
                data.append(have)
            taken = self.is_taken(path)
            if taken:
                return taken
            sums = b''.join(hashlib.md5(part).digest() for part in data)
            tag = f'"{hashlib.md5(sums).hexdigest()}-{len(data)}"'
            full = self.keep(path, b''.join(data), tag, upload.token)
            if full:
                return full
            del store.uploads[number]
            tag = tag.replace('"', '&quot;')
            return 200, (f'<?xml version="1.0"?><CompleteMultipartUploadResult>'
                         f'<ETag>{tag}</ETag></CompleteMultipartUploadResult>'
                         ).encode()
        return work

    def do_POST(self):
        query = dict(urllib.parse.parse_qsl(self.path.partition('?')[2],
                                            keep_blank_values=True))
        plain = set(KINDS) - {'tag', 'other'}
        if 'uploads' in query:
            self.serve(plain - {'early 200'}, self.begin)
        else:
            self.serve(plain, self.complete(query['uploadId']))

    # --- What is there -------------------------------------------------------

    def look(self, path, _body, _kind):
        content = self.server.store.files.get(path)
        if not content:
            return 404, 'NoSuchKey'
        return 200, b'', self.headers_of(content), len(content.data)

    def do_HEAD(self):
        self.serve({'before', 'half', 'after', '500', '503', 'slow'},
                   self.look)

    def remove(self, number):
        def work(path, _body, _kind):
            store = self.server.store
            if number:
                gone = store.uploads.pop(number, None)
                return (204,) if gone else (404, 'NoSuchUpload')
            store.files.pop(path, None)
            return (204,)
        return work

    def do_DELETE(self):
        query = dict(urllib.parse.parse_qsl(self.path.partition('?')[2]))
        self.serve({'before', 'half', 'after', '500', '503', 'slow',
                    'late 500'}, self.remove(query.get('uploadId')))
