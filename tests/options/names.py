#!/usr/bin/env python3
"""names.py - Writes the names of all write and read options, and of all
functions that take them, from the public headers to a C header.

    names.py INCLUDE_DIRECTORY OUTPUT DEPFILE

SPDX-License-Identifier: MIT
"""
import os
import re
import sys

COMMENT = re.compile(r'/\*.*?\*/', re.S)
STRUCT = re.compile(r'typedef struct (\w+) \{(.*?)\} \1;', re.S)
FIELD = re.compile(r'^(?:const )?(\w+) \**(\w+)$')
FUNCTION = re.compile(r'VARVE_API [^;]*?\b(varve_\w+)\(([^;]*?)\)\s*'
                      r'(?:VARVE_MUST_CHECK)?;', re.S)


def structs_of(text):
    """Returns the fields of each struct as pairs of type and name."""
    found = {}
    for name, body in STRUCT.findall(text):
        fields = []
        for line in body.split(';'):
            line = ' '.join(line.split())
            if not line:
                continue
            if line.startswith('void *reserved['):
                line = 'void *reserved'
            if '(' in line or '[' in line:
                fields.append(('other', line))
                continue
            match = FIELD.match(line)
            if not match:
                sys.exit(f'names.py: {name}: cannot parse the field: {line}')
            fields.append((match[1], match[2]))
        found[name] = fields
    return found


def options_of(structs, name, before=''):
    for kind, field in structs[name]:
        if kind in structs and kind.endswith('_options'):
            yield from options_of(structs, kind, before + field + '.')
        else:
            yield before + field


def takers_of(text, kind):
    """Returns the functions that take such options, and structs that contain a
    pointer to them."""
    pointer = f'const {kind} *'
    for name, arguments in FUNCTION.findall(text):
        if pointer in ' '.join(arguments.split()):
            yield name
    for name, body in STRUCT.findall(text):
        for field in re.findall(re.escape(pointer) + r'(\w+);', body):
            yield f'{name}.{field}'


def table(name, texts):
    lines = ''.join(f'    "{text}",\n' for text in texts)
    return f'static const char *const {name}[] = {{\n{lines}    NULL\n}};\n\n'


def main(directory, output, depfile):
    texts = {}
    for name in sorted(os.listdir(directory)):
        if name.endswith('.h'):
            with open(os.path.join(directory, name), encoding='utf-8') as f:
                texts[name] = COMMENT.sub('', f.read())
    structs = structs_of(texts['options.h'])
    whole = '\n'.join(texts.values())
    with open(output, 'w', encoding='utf-8') as f:
        f.write('/* Made by names.py of the public headers. */\n'
                '#include <stddef.h>\n\n')
        for kind in 'write', 'read':
            options = f'varve_{kind}_options'
            f.write(table(f'{kind}_fields', options_of(structs, options)))
            f.write(table(f'{kind}_takers', takers_of(whole, options)))
    with open(depfile, 'w', encoding='utf-8') as f:
        paths = ' '.join(os.path.join(directory, name) for name in texts)
        f.write(f'{output}: {paths}\n')


main(*sys.argv[1:])
