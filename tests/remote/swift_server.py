#!/usr/bin/python3
"""swift_server.py - Runs OpenStack Swift as an S3 store on the loopback
interface.

    swift_server.py PLACE PORT

Uses Debian's python3-swift with one device in the folder PLACE and four
processes at PORT and the three following ports, until this process ends. The
user is `test:tester` with the key `testing`. Swift checks signatures,
including each signed header, and rejects conditional writes.

SPDX-License-Identifier: MIT
"""
import getpass
import os
import signal
import sys

from swift.common import utils

PLACE, PORT = os.path.abspath(sys.argv[1]), int(sys.argv[2])
utils.SWIFT_CONF_FILE = f'{PLACE}/swift.conf'  # before other modules read it

# pylint: disable=wrong-import-position
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import run_wsgi  # noqa: E402

DEVICE = 'device'
SERVERS = 'account', 'container', 'object'  # at the ports after PORT
FILTERS = ('catch_errors', 'gatekeeper', 'cache', 'listing_formats', 's3api',
           'tempauth', 'copy', 'slo', 'dlo', 'versioned_writes')
ALL = '''[swift-hash]
swift_hash_path_suffix = suffix
swift_hash_path_prefix = prefix
[storage-policy:0]
name = only
default = yes
'''
EACH = '''[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {place}
devices = {place}
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
log_level = ERROR
log_address = {place}/no-log
'''
SERVER = '''[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
recon_cache_path = {place}
'''
PROXY = '''[pipeline:main]
pipeline = {pipeline} proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
'''
OF_FILTER = {
    'cache': 'paste.filter_factory = swift_server:make_cache\n',
    's3api': 'use = egg:swift#s3api\nlocation = us-east-1\ns3_acl = false\n',
    'tempauth': 'use = egg:swift#tempauth\n'
                'user_test_tester = testing .admin\n',
}


class Cache:
    """Replaces memcached, in which Swift stores user tokens."""
    def __init__(self):
        self.all = {}

    def get(self, key, *_, **__):
        return self.all.get(key)

    def set(self, key, value, *_, **__):
        self.all[key] = value

    def delete(self, key, *_, **__):
        self.all.pop(key, None)


def make_cache(*_, **__):
    cache = Cache()

    def make_filter(application):
        def run_with_cache(environ, *more):
            environ['swift.cache'] = cache
            return application(environ, *more)
        return run_with_cache
    return make_filter


def write(name, text):
    with open(f'{PLACE}/{name}', 'w', encoding='ascii') as file:
        file.write(text)


def make_ring(name, port):
    ring = RingBuilder(part_power=2, replicas=1, min_part_hours=1)
    ring.add_dev({'region': 1, 'zone': 1, 'weight': 1, 'device': DEVICE,
                  'ip': '127.0.0.1', 'port': port,
                  'replication_ip': '127.0.0.1', 'replication_port': port})
    ring.rebalance(seed=1)
    ring.get_ring().save(f'{PLACE}/{name}.ring.gz')


def prepare():
    """Writes the settings of each server to NAME.conf."""
    os.makedirs(f'{PLACE}/{DEVICE}')
    write('swift.conf', ALL)
    user = getpass.getuser()
    for port, name in enumerate(SERVERS, PORT + 1):
        make_ring(name, port)
        write(f'{name}.conf', EACH.format(port=port, user=user, place=PLACE) +
              SERVER.format(name=name, place=PLACE))
    text = EACH.format(port=PORT, user=user, place=PLACE)
    text += PROXY.format(pipeline=' '.join(FILTERS))
    for name in FILTERS:
        text += f'[filter:{name}]\n'
        text += OF_FILTER.get(name, f'use = egg:swift#{name}\n')
    write('proxy.conf', text)


def run(name):
    child = os.fork()
    if child:
        return child
    sys.exit(run_wsgi(f'{PLACE}/{name}.conf', f'{name}-server'))


def main():
    sys.modules['swift_server'] = sys.modules['__main__']
    prepare()
    children = [run(name) for name in (*SERVERS, 'proxy')]

    def end(*_):
        for child in children:
            os.kill(child, signal.SIGKILL)
    signal.signal(signal.SIGTERM, end)
    for child in children:
        os.waitpid(child, 0)


if __name__ == '__main__':
    main()
