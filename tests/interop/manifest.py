"""manifest.py - Writes a description (describe.py) as lines for check.c.

Fields are separated by one space; in a field, the bytes up to and including
the space, DEL and '%' are written as %XX. '-' alone stands for an empty field.

    file PATH                   the following lines describe this file
    needs LIBRARY               can be read only with this library
    refused STATUS              cannot be opened; nothing follows
    counter N                   the save counter
    text NAME TEXT              metadata
    value NAME TYPE SHA256      a value without a graph, by global name
    opaque NAME TAG SHA256      the same, of a type that Varve lacks
    edge NODE NAME NODE         an edge of a graph. Node 0 is the root; each
                                node is the target of an edge or slot before
                                it is the source of an edge
    attribute NODE NAME TYPE SHA256 [CONTENT]
    opaque_attribute NODE NAME TAG SHA256
    slot NODE NAME NODE NODE    owner, name, variable, slot variable
    end                         the file contains nothing else

CONTENT is the digest of a single string, which may be stored as a state. A
digest is '-' if the other program does not return the bytes.

SPDX-License-Identifier: MIT
"""


def field(text):
    made = ''.join(chr(b) if 0x20 < b != 0x7f and b != 0x25 and b < 0x80
                   else f'%{b:02X}' for b in str(text).encode())
    return '%2D' if made == '-' else made or '-'


def line(*fields):
    """None is a missing field."""
    return ' '.join('-' if f is None else field(f) for f in fields) + '\n'


def type_of(value):
    return f"{value['dtype']}[{','.join(map(str, value['shape']))}]"


def lines(path, found):
    """Yields the lines of a file; `found` is its description."""
    yield line('file', path)
    if 'needs' in found:
        yield line('needs', found['needs'])
    if 'refused' in found:
        yield line('refused', found['refused'])
        return
    for name, text in sorted(found.get('metadata', {}).items()):
        yield line('text', name, text)
    if 'nodes' in found:
        nodes = found['nodes']
        if 'counter' in found:
            yield line('counter', found['counter'])
            nodes = without_counter(nodes)
        yield from graph_lines(nodes, found['values'])
    else:
        for name, value in sorted(found['values'].items()):
            yield value_line('value', 'opaque', [name], value)
    yield 'end\n'


def value_line(word, opaque_word, where, value):
    if 'state' in value:
        return line(opaque_word, *where, value['state'],
                    value.get('sha256'))
    return line(word, *where, type_of(value), value['sha256'],
                *([value['content']] if 'content' in value else []))


def without_counter(nodes):
    """Varve stores the save counter as a number, not as a node."""
    root = dict(nodes[0])
    root['children'] = [c for c in root['children'] if c[0] != 'save_counter']
    return [root] + nodes[1:]


def graph_lines(nodes, values):
    """Breadth first, so that each node is a target before it is a source."""
    order, seen = [0], {0}
    for number in order:
        for name, child in nodes[number]['children']:
            yield line('edge', number, name, child)
            if child not in seen:
                seen.add(child)
                order.append(child)
    for number in order:
        for name, variable, slot in nodes[number]['slots']:
            yield line('slot', number, name, variable, slot)
            if slot not in seen:
                seen.add(slot)
                order.append(slot)
    for number in order:
        for name, key, _ in nodes[number]['attributes']:
            for part in parts_of(key, values):
                yield value_line('attribute', 'opaque_attribute',
                                 [number, name + part[len(key):]],
                                 values[part])


def parts_of(key, values):
    """Returns the key of an attribute, or the common prefix of the keys of its
    tensors, such as those of a hash table."""
    if key in values:
        return [key]
    return sorted(k for k in values if k.startswith(key))
