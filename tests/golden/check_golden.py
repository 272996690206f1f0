#!/usr/bin/env python3
"""check_golden.py - the independent reader and the library say the same of the
golden files: every path, type, shape, digest, byte, edge, slot and tag.

    check_golden.py DUMP FILE...

SPDX-License-Identifier: MIT
"""
import hashlib
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import read_format  # noqa: E402

KINDS = ['', 'object', 'variable', 'list', 'dict', 'state']


def lines_of(content):
    """What dump.c prints; the bytes of values as their SHA-256."""
    items = {item['id']: item for item in content['items']}
    yield f"counter {content['counter']}"
    for node in content['objects']:
        number = node['id']
        yield f"node {number} {KINDS.index(node['kind'])} {node['path']}"
        for edge in node['edges']:
            yield f"edge {number} {edge['node']} {edge['name']}"
        for slot in node['slots']:
            yield (f"slot {number} {slot['variable']} {slot['node']} "
                   f"{slot['name']}")
        for tag in node['tags']:
            yield f'tag {number} {tag}'
        item = items.get(number)
        if item and item['saved']:
            shape = ','.join(map(str, item['shape']))
            yield (f"value {number} {item['dtype']} [{shape}] "
                   f"{item['bytes']} {item['sha256']}")
            yield f"digest {number} {item['digest'] or '00' * 16}"


def with_sha256(line):
    if not line.startswith('value '):
        return line
    head, _, data = line.rpartition(' ')
    return f'{head} {hashlib.sha256(bytes.fromhex(data)).hexdigest()}'


def compare(dump, path):
    text = subprocess.run([dump, path], check=True, stdout=subprocess.PIPE,
                          encoding='utf-8').stdout
    library = [with_sha256(line) for line in text.splitlines()]
    try:
        content = read_format.read(pathlib.Path(path).read_bytes())
    except NotImplementedError as reason:
        print(f'{path}: left out, {reason}')
        return
    independent = list(lines_of(content))
    for a, b in zip(library, independent):
        if a != b:
            sys.exit(f'{path}: the library says "{a}", the other "{b}"')
    if len(library) != len(independent):
        sys.exit(f'{path}: {len(library)} lines from the library, '
                 f'{len(independent)} from the other')
    print(f'{path}: {len(library)} lines agree')


if __name__ == '__main__':
    for argument in sys.argv[2:]:
        compare(sys.argv[1], argument)
