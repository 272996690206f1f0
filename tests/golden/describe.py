"""describe.py - Prints the same description of a file as describe.c, with the
independent reader.

SPDX-License-Identifier: MIT
"""
import struct

KINDS = ['', 'object', 'variable', 'list', 'dict', 'state']
LONGEST_PATH = 4095  # longer ones are printed as "..." and their end


def short(path):
    data = path.encode()
    if len(data) <= LONGEST_PATH:
        return path
    return '...' + data[3 - LONGEST_PATH:].decode(errors='surrogateescape')


def metadata(value):
    if isinstance(value, bool):
        return f'boolean {value:d}'
    if isinstance(value, int):
        return f'integer {value}'
    if isinstance(value, float):
        return 'real ' + struct.pack('>d', value).hex()
    return f'text {value}'


def value_lines(item):
    number = item['id']
    shape = ','.join(map(str, item['shape']))
    yield f"type {number} {item['dtype']} [{shape}]"
    if 'part' in item:
        yield f'part {number}' + ''.join(
            f' {start} of {extent}' for start, extent in
            zip(item['part']['start'], item['part']['shape']))
    if item['saved']:
        yield f"value {number} {item['bytes']} {item['sha256']}"
        yield f"digest {number} {item['digest'] or '00' * 16}"


def lines_of(content):
    items = {item['id']: item for item in content['items']}
    yield f"counter {content['counter']}"
    for name, value in content['metadata'].items():
        yield f'metadata {name} {metadata(value)}'
    for node in content['objects']:
        number = node['id']
        yield f"node {number} {KINDS.index(node['kind'])} {short(node['path'])}"
        for edge in node['edges']:
            yield f"edge {number} {edge['node']} {edge['name']}"
        for slot in node['slots']:
            yield (f"slot {number} {slot['variable']} {slot['node']} "
                   f"{slot['name']}")
        for tag in node['tags']:
            yield f'tag {number} {tag}'
        if node['global_name'] is not None:
            yield f"global {number} {node['global_name']}"
        if number in items:
            yield from value_lines(items[number])
