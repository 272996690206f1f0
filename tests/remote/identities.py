"""identities.py - Tests temporary keys: from a web identity, a container and
an instance, each with a local server.

SPDX-License-Identifier: MIT
"""
import datetime
import http.server
import json
import os
import threading
import time
import urllib.parse

from base import KEY_ID, SECRET, TOKEN, WRITER, Remote, path_of, probe, run

ROLE = 'arn:aws:iam::1:role/of+tests'
IDENTITY = 'hunter2.identity'  # also a secret
METADATA = 'hunter2-metadata'
CONTAINER = 'hunter2-container'


def end_in(seconds):
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(
        seconds=seconds)
    return end.strftime('%Y-%m-%dT%H:%M:%SZ')


class Giver(http.server.ThreadingHTTPServer):
    """Serves STS, a container's endpoint and a metadata service."""
    daemon_threads = True

    def __init__(self):
        super().__init__(('127.0.0.1', 0), GiverHandler)
        self.seen = []
        self.wrong = []
        self.lasts = 3600
        self.fails = None   # an HTTP status
        self.body = None    # returned instead of keys
        self.asks = None    # called before each answer
        self.url = f'http://127.0.0.1:{self.server_address[1]}'
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class GiverHandler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def say(self, body, code=200):
        self.send_response(code)
        self.send_header('Content-Length', len(body))
        self.end_headers()
        self.wfile.write(body.encode())

    def expect(self, is_so, what):
        if not is_so:
            self.server.wrong.append(what)

    def begin(self):
        giver = self.server
        giver.seen.append(f'{self.command} {self.path}')
        if giver.asks:
            giver.asks()
        if giver.fails:
            self.say('no', giver.fails)
        return giver.fails

    def keys(self):
        if self.server.body is not None:
            self.say(self.server.body)
            return
        self.say(json.dumps({
            'Code': 'Success', 'Type': 'AWS-HMAC', 'AccessKeyId': KEY_ID,
            'SecretAccessKey': SECRET, 'Token': TOKEN,
            'Expiration': end_in(self.server.lasts)}).replace('/', '\\/'))

    def do_POST(self):
        size = int(self.headers['Content-Length'])
        form = dict(urllib.parse.parse_qsl(self.rfile.read(size).decode()))
        if self.begin():
            return
        self.expect(form == {
            'Action': 'AssumeRoleWithWebIdentity', 'Version': '2011-06-15',
            'RoleArn': ROLE, 'RoleSessionName': form.get('RoleSessionName'),
            'WebIdentityToken': IDENTITY}, form)
        self.say('<AssumeRoleWithWebIdentityResponse><Credentials>'
                 f'<AccessKeyId>{KEY_ID}</AccessKeyId><SecretAccessKey>'
                 f'{SECRET}</SecretAccessKey><SessionToken>{TOKEN}'
                 f'</SessionToken><Expiration>{end_in(self.server.lasts)}'
                 '</Expiration></Credentials>'
                 '</AssumeRoleWithWebIdentityResponse>')

    def do_PUT(self):
        if self.begin():
            return
        self.expect(self.path == '/latest/api/token', self.path)
        self.expect(self.headers['X-aws-ec2-metadata-token-ttl-seconds'],
                    'no ttl')
        self.say(METADATA)

    def do_GET(self):
        if self.begin():
            return
        roles = '/latest/meta-data/iam/security-credentials/'
        if self.path.startswith('/keys'):
            self.expect(self.headers.get('Authorization') == CONTAINER,
                        self.headers.get('Authorization'))
            self.keys()
            return
        self.expect(self.headers['X-aws-ec2-metadata-token'] == METADATA,
                    self.path)
        if self.path == roles:
            self.say('of-tests\n')
        elif self.path == roles + 'of-tests':
            self.keys()
        else:
            self.say('no', 404)


class Identities(Remote):
    def setUp(self):
        super().setUp()
        self.bucket()
        self.store.tokens = {KEY_ID: TOKEN}
        self.giver = self.enterContext(Giver())
        self.file = path_of('identity')
        self.write(IDENTITY + '\n')
        self.addCleanup(os.remove, self.file)
        self.url = 's3://bucket/run/ckpt-1.varve'
        plain = {'AWS_ENDPOINT_URL_S3': self.server.url}
        self.role = {**plain, 'AWS_ENDPOINT_URL_STS': self.giver.url,
                     'AWS_ROLE_ARN': ROLE,
                     'AWS_WEB_IDENTITY_TOKEN_FILE': self.file}
        self.container = {
            **plain, 'AWS_CONTAINER_AUTHORIZATION_TOKEN': CONTAINER,
            'AWS_CONTAINER_CREDENTIALS_FULL_URI': self.giver.url + '/keys'}
        self.instance = {
            **plain, 'AWS_EC2_METADATA_DISABLED': 'false',
            'AWS_EC2_METADATA_SERVICE_ENDPOINT': self.giver.url}

    def write(self, text):
        with open(self.file, 'w', encoding='utf-8') as stream:
            stream.write(text)

    def tearDown(self):
        self.assertEqual(self.giver.wrong, [])
        super().tearDown()

    def works(self, more, requests):
        """Verifies the file and checks how often keys were requested."""
        self.giver.seen.clear()
        self.verify(self.url, 'VARVE_OK', **more)
        self.assertEqual(len(self.giver.seen), requests, self.giver.seen)
        self.assertEqual(self.store.refused, [])

    def test_a_web_identity(self):
        self.works(self.role, 1)
        lines = run(WRITER, 'write', 's3://bucket/run/new.varve', '1', '1000',
                    '7', **self.role).stdout.splitlines()
        self.assertEqual(lines, ['VARVE_OK '])

    def test_a_web_identity_of_a_profile(self):
        config = path_of('identity.config')
        with open(config, 'w', encoding='utf-8') as stream:
            stream.write(f'[profile tests]\nrole_arn = {ROLE}\n'
                         f'web_identity_token_file = {self.file}\n')
        self.addCleanup(os.remove, config)
        plain = {name: value for name, value in self.role.items() if name not
                 in ('AWS_ROLE_ARN', 'AWS_WEB_IDENTITY_TOKEN_FILE')}
        self.works({**plain, 'AWS_CONFIG_FILE': config,
                    'AWS_PROFILE': 'tests'}, 1)

    def test_a_container(self):
        self.works(self.container, 1)
        self.write(CONTAINER)
        self.works({**self.container, 'AWS_CONTAINER_AUTHORIZATION_TOKEN': 'x',
                    'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE': self.file}, 1)

    def test_an_instance(self):
        self.works(self.instance, 3)

    def test_keys_of_the_environment_are_preferred(self):
        self.store.tokens = {}
        self.works({**self.instance, **self.container, **self.role,
                    'AWS_ACCESS_KEY_ID': KEY_ID,
                    'AWS_SECRET_ACCESS_KEY': SECRET}, 0)

    def test_the_metadata_service_can_be_turned_off(self):
        off = {**self.instance, 'AWS_EC2_METADATA_DISABLED': 'True'}
        self.verify(self.url, 'VARVE_NO_PERMISSION', 'no credentials: looked '
                    'for AWS_ACCESS_KEY_ID', 'AWS_WEB_IDENTITY_TOKEN_FILE',
                    'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
                    'which AWS_EC2_METADATA_DISABLED disables', **off)
        self.assertEqual(self.giver.seen, [])

    def test_container_addresses_off_the_host_are_refused(self):
        """These addresses get no token."""
        for url in ('http://192.0.2.1/keys', 'http://169.254.169.254/keys',
                    'http://localhost.example/', 'ftp://127.0.0.1/keys',
                    'http://127.0.0.1@192.0.2.1/keys'):
            self.verify(self.url, 'VARVE_NO_PERMISSION',
                        'no credentials',
                        **{**self.container,
                           'AWS_CONTAINER_CREDENTIALS_FULL_URI': url})

    def test_failed_identity_requests_are_reported(self):
        self.giver.fails = 403
        for more, who in ((self.role,
                           'the STS request for a web identity role'),
                          (self.container, 'the endpoint of the container'),
                          (self.instance, 'the metadata service')):
            self.verify(self.url, 'VARVE_NO_PERMISSION', who, **more)
        self.giver.fails = None
        for body in ('', '{}', '<html>', '{"AccessKeyId":"a"}', 'x' * 100000,
                     '{"AccessKeyId":"a\\nb","SecretAccessKey":"b"}'):
            self.giver.body = body
            self.verify(self.url, 'VARVE_NO_PERMISSION',
                        'the response has no keys', **self.container)
        for date in ('', 'never', '2026-10-01T10:00:00+01:00'):
            self.giver.body = json.dumps({
                'AccessKeyId': KEY_ID, 'SecretAccessKey': SECRET,
                'Token': TOKEN, 'Expiration': date})
            self.verify(self.url, 'VARVE_NO_PERMISSION',
                        'the Expiration of the response is not a time',
                        **self.container)
        self.verify(self.url, 'VARVE_NO_PERMISSION', 'cannot be read', **{
            **self.role, 'AWS_WEB_IDENTITY_TOKEN_FILE': '/nowhere'})

    def test_unsupported_profile_settings_are_named(self):
        config = path_of('identity.config')
        with open(config, 'w', encoding='utf-8') as stream:
            stream.write('[default]\ncredential_process = hunter2 --secret\n')
        self.addCleanup(os.remove, config)
        self.verify(self.url, 'VARVE_NO_PERMISSION',
                    'the profile has credential_process, which is not',
                    AWS_CONFIG_FILE=config)

    def slowly(self, seconds):
        """A read value by value takes about this long."""
        self.store.swap = lambda count: time.sleep(seconds / 9)
        lines = probe('equal', '8', self.small, self.url, **self.container)
        self.store.swap = None
        return lines

    def test_keys_are_cached_for_all_files(self):
        """Keys that are valid for an hour are requested once."""
        self.giver.lasts = 3600
        self.assertEqual(self.slowly(0), ['COUNT VARVE_OK 8'])
        self.assertEqual(len(self.giver.seen), 1)

    def test_expired_keys_are_renewed(self):
        """Expired keys are not used: new ones are requested, even with an
        open file."""
        self.giver.lasts = 1
        self.assertEqual(self.slowly(2.4), ['COUNT VARVE_OK 8'])
        self.assertGreater(len(self.giver.seen), 3)
