#!/usr/bin/env python3
"""layers.py - Tests that a layer includes and calls only permitted layers.

    tests/lint/layers.py SOURCE BUILD

Takes the compiler flags of each layer from the compile database, and tests
which private headers the compiler finds with them: only those of the layer and
of the layers in its row of the table in lib/README.md. Undefined symbols of a
layer must be defined by these layers. Files of a layer outside its subfolders
are below all of these: the kernel of the graph does not depend on features.

Also tests the seams of the neighbours of the core. The rest of the library
includes only formats.h of lib/foreign, and calls only the functions that it
declares. No layer uses lib/training or lib/group.

SPDX-License-Identifier: MIT
"""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

PART = re.compile(r'libvarve_(\w+)\.a\.p/')
OWN = re.compile(r'_?(vv|varve)_')
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
# The only header of lib/foreign that the rest of the library includes, and what
# the module varve-hdf5 includes instead.
FORMATS = 'formats.h'
HDF5_MODULE = 'hdf5_module.h'
# No other layer uses these.
UNUSED = ('training', 'group')
WITH_VALUE = ('-o', '-MQ', '-MF', '-MT')


ROW = re.compile(r'^\| \[([\w/]+)\]\(\1\) \| ([^|]+) \|$', re.M)


def rules_of(source):
    """Returns the layers that each layer may use, from the table in
    lib/README.md."""
    with open(os.path.join(source, 'lib', 'README.md'),
              encoding='utf-8') as stream:
        rows = ROW.findall(stream.read())
    words = {'nothing': [], 'all of them': [layer for layer, _ in rows]}
    return {layer: words.get(sees) if sees in words else sees.split(', ')
            for layer, sees in rows}


def calls_of(rules):
    """The layers whose functions each layer may call: those that it may use,
    and the implementation of formats.h."""
    return {layer: [*sees, 'foreign/formats'] if 'foreign' in sees else sees
            for layer, sees in rules.items()}


def flags_of_layers(build):
    """Returns the compiler and its flags, without input and output, by
    layer."""
    with open(os.path.join(build, 'compile_commands.json'),
              encoding='utf-8') as stream:
        entries = json.load(stream)
    found = {}
    for entry in entries:
        part = PART.search(entry['command'])
        if part:
            found[part[1].replace('_', '/')] = clean(entry)
    return found


def clean(entry):
    words = iter(shlex.split(entry['command']))
    kept = []
    for word in words:
        if word in WITH_VALUE:
            next(words)
        elif word not in ('-c', '-MD', '-MMD', entry['file']):
            kept.append(word)
    return kept


def compile_text(command, build, text, *more):
    return subprocess.run([*command, *more, '-x', 'c', '-'], cwd=build,
                          input=text, capture_output=True, text=True,
                          check=False)


def visible(command, build, headers):
    """Returns the headers that an include in this layer finds."""
    probe = ''.join(f'#if __has_include("{h}")\nfound {h}\n#endif\n'
                    for h in headers)
    result = compile_text(command, build, probe, '-E', '-P')
    if result.returncode:
        sys.exit(f'layers: the probe failed: {result.stderr}')
    return set(re.findall(r'^found (\S+)$', result.stdout, re.M))


def compiles(command, build, header):
    text = f'#include "{header}"\nint probe;\n'
    result = compile_text(command, build, text, '-fsyntax-only')
    return result.returncode == 0, result.stderr


def check_kernels(rules):
    """Returns errors for files outside the subfolders of a layer that use
    one."""
    for layer, sees in rules.items():
        for folder in sees:
            if folder.startswith(layer + '/'):
                yield f'{layer}: must not include its subfolder {folder}'


def check_layer(layer, sees, command, build, headers):
    """Returns errors for one layer. `headers` maps names to layers."""
    found = visible(command, build, headers)
    for header, home in sorted(headers.items()):
        allowed = home == layer or home in sees
        if allowed != (header in found):
            yield (f'{layer}: "{header}" of {home} is '
                   + ('not found' if allowed else 'found'))
    above = next((h for h, home in sorted(headers.items())
                  if home != layer and home not in sees), None)
    own = next((h for h, home in sorted(headers.items())
                if home == layer), None)
    if above:
        done, message = compiles(command, build, above)
        if done or above not in message:
            yield f'{layer}: an include of "{above}" compiles'
    if own:
        done, message = compiles(command, build, own)
        if not done:
            yield f'{layer}: an include of its own "{own}" fails: {message}'


def symbols_of(archive, *options):
    result = subprocess.run(['nm', '-P', *options, archive],
                            capture_output=True, text=True, check=True)
    names = (line.split()[0] for line in result.stdout.splitlines()
             if len(line.split()) > 1)
    return {name.lstrip('_') for name in names if OWN.match(name)}


def check_includes(top, headers):
    """Errors for headers of foreign that the rest of the library includes."""
    for path in glob.glob(os.path.join(top, '**', '*.[ch]'), recursive=True):
        part = os.path.relpath(path, top).split(os.sep)[0]
        if part == 'foreign':
            continue
        with open(path, encoding='utf-8') as stream:
            included = INCLUDE.findall(stream.read())
        allowed = HDF5_MODULE if part == 'hdf5' else FORMATS
        for header in included:
            if headers.get(header, '').split('/')[0] == 'foreign' \
                    and header != allowed:
                yield (f'{os.path.relpath(path, top)}: includes {header} of '
                       f'{headers[header]}: use {allowed}')


def check_unused(rules):
    """Errors for layers that may use a layer that no other layer uses."""
    for layer, sees in rules.items():
        for other in UNUSED:
            if other in sees:
                yield f'{layer}: may not use {other}'


def declared_formats(top):
    """The functions of formats.h, without inline ones, and a public one that
    lib/foreign implements."""
    with open(os.path.join(top, 'foreign', FORMATS),
              encoding='utf-8') as stream:
        text = re.sub(r'/\*.*?\*/', '', stream.read(), flags=re.S)
    text = re.sub(r'^static inline .*?^\}', '', text, flags=re.S | re.M)
    return set(re.findall(r'\b(vv_\w+)\(', text)) | {'varve_format_name'}


def check_calls(rules, top, build):
    """Errors for names of a layer that another layer must not use."""
    if not shutil.which('nm'):
        print('layers: calls were not checked without nm')
        return
    archives = {layer: os.path.join(
        build, 'lib', f"libvarve_{layer.replace('/', '_')}.a")
                for layer in rules}
    archives = {layer: path for layer, path in archives.items()
                if os.path.exists(path)}
    home = {name: layer for layer, path in archives.items()
            for name in symbols_of(path, '-g', '--defined-only')}
    formats, used = declared_formats(top), set()
    for layer, path in archives.items():
        for name in sorted(symbols_of(path, '-u')):
            if name not in home:
                yield f'{layer}: nobody defines {name}'
            elif home[name].startswith('foreign') \
                    and not layer.startswith('foreign'):
                used.add(name)
                if name not in formats:
                    yield (f'{layer}: calls {name} of {home[name]}, which '
                           f'{FORMATS} does not declare')
            elif home[name] != layer and home[name] not in rules[layer]:
                yield f'{layer}: calls {name} of {home[name]}'
    for name in sorted(formats - used):
        yield f'{FORMATS}: no other layer uses {name}'
    print(f'layers: {len(home)} names looked at; the rest of the library uses '
          f'{len(used)} of foreign')


def main(source, build):
    top = os.path.join(source, 'lib')
    # (Modules are separate: no layer is linked with them.)
    modules = [os.path.join(top, name) for name in ('hdf5', 'remote')]
    headers = {os.path.basename(path):
               os.path.relpath(os.path.dirname(path), top)
               for path in glob.glob(os.path.join(top, '**', '*.h'),
                                     recursive=True)
               if os.path.dirname(path) not in modules}
    commands = flags_of_layers(build)
    rules = rules_of(source)
    if 'base' not in commands:
        sys.exit('layers: the compile database contains no file of lib/base')
    complaints = [f'{layer}: not in the table of lib/README.md'
                  for layer in sorted(set(headers.values()) - set(rules))]
    complaints += check_kernels(rules)
    complaints += check_includes(top, headers)
    complaints += check_unused(rules)
    for layer, sees in rules.items():
        if layer in commands:
            complaints += check_layer(layer, sees, commands[layer], build,
                                      headers)
            print(f'layers: {layer} checked')
        else:
            print(f'layers: {layer} has no files yet')
    complaints += check_calls(rules, top, build)
    for complaint in complaints:
        print(f'layers: {complaint}')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
