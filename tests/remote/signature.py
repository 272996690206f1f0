"""signature.py - Verifies signatures of requests according to AWS Signature
Version 4.

SPDX-License-Identifier: MIT
"""
import datetime
import hashlib
import hmac
import re
import types
import urllib.parse

FORM = re.compile(r'AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/'
                  r'aws4_request, ?SignedHeaders=([^,]+), ?'
                  r'Signature=([0-9a-f]{64})')
NEEDED = {'host', 'x-amz-date', 'x-amz-content-sha256'}


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def canonical_query(query):
    """Sorts the query and encodes each name and value again."""
    def encode(text):
        return urllib.parse.quote(text, safe='-_.~')
    pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
    return '&'.join(sorted(f'{encode(k)}={encode(v)}' for k, v in pairs))


def canonical_request(handler, signed, body_digest):
    path, _, query = handler.path.partition('?')
    lines = [handler.command, urllib.parse.quote(urllib.parse.unquote(path),
                                       safe='/-_.~'),
             canonical_query(query)]
    for name in signed:
        value = ' '.join(handler.headers.get(name, '').split())
        lines.append(f'{name}:{value}')
    return '\n'.join(lines + ['', ';'.join(signed), body_digest])


def signature_of(request, date, region, secret):
    day = date[:8]
    text = '\n'.join(['AWS4-HMAC-SHA256', date,
                      f'{day}/{region}/s3/aws4_request',
                      hashlib.sha256(request.encode()).hexdigest()])
    key = ('AWS4' + secret).encode()
    for part in (day, region, 's3', 'aws4_request'):
        key = digest(key, part)
    return digest(key, text).hex()


def sign(request, key_id, secret, region):
    """Signs a urllib.request.Request that has no body."""
    date = datetime.datetime.now(datetime.timezone.utc).strftime(
        '%Y%m%dT%H%M%SZ')
    nothing = hashlib.sha256(b'').hexdigest()
    headers = {'host': request.host, 'x-amz-content-sha256': nothing,
               'x-amz-date': date}
    signed = sorted(headers)
    what = types.SimpleNamespace(command=request.get_method(),
                                 path=request.selector, headers=headers)
    signature = signature_of(canonical_request(what, signed, nothing), date,
                             region, secret)
    for name, value in headers.items():
        request.add_header(name, value)
    request.add_header('Authorization', (
        f'AWS4-HMAC-SHA256 Credential={key_id}/{date[:8]}/{region}/s3/'
        f'aws4_request, SignedHeaders={";".join(signed)}, '
        f'Signature={signature}'))


def wrong(handler, store, body=b''):
    """Returns the error code and details, or None if the signature is
    valid."""
    match = FORM.fullmatch(handler.headers.get('Authorization', ''))
    if not match:
        return 'AccessDenied', 'not signed'
    secrets, tokens = store.keys, store.tokens
    key_id, day, region, names, given = match.groups()
    signed = names.split(';')
    if key_id not in secrets:
        return 'InvalidAccessKeyId', key_id
    needed = set(NEEDED)
    token = handler.headers.get('x-amz-security-token')
    if token != tokens.get(key_id):
        return 'InvalidToken', token
    if token:
        needed.add('x-amz-security-token')
    needed |= {name.lower() for name in handler.headers
               if name.lower().startswith('x-amz-')}
    if signed != sorted(signed) or not needed <= set(signed):
        return 'AccessDenied', names
    if any(name not in handler.headers for name in signed):
        return 'SignatureDoesNotMatch', names
    date = handler.headers.get('x-amz-date', '')
    now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(
        seconds=store.skew)
    told = datetime.datetime.strptime(date, '%Y%m%dT%H%M%SZ').replace(
        tzinfo=datetime.timezone.utc)
    if abs((now - told).total_seconds()) > 900 or date[:8] != day:
        return 'RequestTimeTooSkewed', date
    body_digest = handler.headers.get('x-amz-content-sha256', '')
    if body_digest != hashlib.sha256(body).hexdigest():
        return 'XAmzContentSHA256Mismatch', body_digest
    request = canonical_request(handler, signed, body_digest)
    expected = signature_of(request, date, region, secrets[key_id])
    if not hmac.compare_digest(expected, given):
        return 'SignatureDoesNotMatch', request
    return None
