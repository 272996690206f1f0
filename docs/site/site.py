#!/usr/bin/env python3
"""site.py - lays out everything that Sphinx makes the site of.

    docs/site/site.py SOURCE FOLDER

The pages of the project, the reference of the headers and of the package for
Python, the manual of the command. scripts/docs.sh calls it.

SPDX-License-Identifier: MIT
"""
import glob
import json
import os
import shutil
import subprocess
import sys

import header_pages
import headers
import python_pages
from reference import documented
from stage import Stage


def write(folder, name, lines):
    path = os.path.join(folder, 'reference', name)
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write('\n'.join(lines) + '\n')


def heading(text, line='='):
    return [text, line * len(text), '']


def write_cpp(source, folder, pages):
    """The headers for C++ as they stand: each is short and says what it is."""
    lines = heading('The headers of C++')
    lines += ['``#include <varve/varve.hpp>`` has all of them. What they stand '
              'over is :doc:`the interface of C <c>`, whose comments hold; '
              ':doc:`/docs/cpp` shows them at work.', '']
    names = []
    for path in sorted(glob.glob(
            os.path.join(source, 'include', 'varve', '*.hpp'))):
        header = headers.read(path)
        name = pages.document(header.name)
        names.append(name)
        with open(path, encoding='utf-8') as stream:
            text = stream.read().rstrip('\n').split('\n')
        write(folder, name + '.rst', [
            *heading(header.name), pages.words(
                header.title[:1].upper() + header.title[1:]), '',
            *pages.text(header.opening),
            '.. code-block:: cpp', '', *header_pages.indent(text)])
        lines += [f':doc:`{header.name} <{name}>`',
                  f'   {pages.words(header.title)}', '']
    lines += ['.. toctree::', '   :hidden:', '', *header_pages.indent(names)]
    write(folder, 'cpp.rst', lines)


def write_python(source, folder):
    lines, missing = python_pages.page(source)
    for line in missing:
        print(line, file=sys.stderr)
    if missing:
        sys.exit(f'site: {len(missing)} public names of Python without a '
                 'docstring')
    write(folder, 'python.rst', lines)


def manual_page(manual):
    """A page of the manual, as what is here can show it."""
    if shutil.which('mandoc'):
        page = subprocess.run(
            ['mandoc', '-Thtml', '-Ofragment', manual], check=True,
            stdout=subprocess.PIPE, text=True).stdout
        # An empty line would end it.
        return ['<div class="manual">', *filter(str.strip, page.split('\n')),
                '</div>']
    page = subprocess.run(
        ['groff', '-man', '-Tutf8', '-P-c', '-P-b', '-P-u', manual],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return ['```text', page.strip('\n'), '```']


def write_command(source, folder):
    """The manual of the command: the page of all, then each command's."""
    place = os.path.join(source, 'tools', 'man')
    lines = ['# The command `varve`', '',
             *manual_page(os.path.join(place, 'varve.1'))]
    for name in sorted(os.listdir(place)):
        if name.startswith('varve-'):
            lines += ['', f'## {name[:-2].replace("-", " ")}', '',
                      *manual_page(os.path.join(place, name))]
    write(folder, 'command.md', lines)


def write_schemas(source, folder):
    """What the command prints as JSON, in JSON Schema."""
    lines = heading('JSON of the command')
    lines += ['What :doc:`the command </reference/command>` prints with '
              '``--json``, each kind in JSON Schema. The field ``schema`` of '
              'what is printed names its kind.', '']
    for path in sorted(glob.glob(
            os.path.join(source, 'docs', 'schemas', '*.json'))):
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
        schema = json.loads(text)
        lines += heading(header_pages.escape(schema['title']), '-')
        lines += [header_pages.escape(schema.get('description', '')), '',
                  '.. code-block:: json', '',
                  *header_pages.indent(text.rstrip('\n').split('\n')), '']
    write(folder, 'schemas.rst', lines)


def main(source, folder):
    os.makedirs(os.path.join(folder, 'reference'), exist_ok=True)
    os.makedirs(os.path.join(folder, '_static'), exist_ok=True)
    for name, place in [('conf.py', ''), ('site.css', '_static')]:
        shutil.copy(os.path.join(source, 'docs', 'site', name),
                    os.path.join(folder, place, name))
    include = os.path.join(source, 'include')
    found = documented(source)
    documents = {os.path.relpath(path, source) for path in
                 glob.glob(f'{source}/docs/*.md')}
    pages = header_pages.Pages(found, documents)
    pages.write(include, os.path.join(folder, 'reference'))
    write_cpp(source, folder, pages)
    write_python(source, folder)
    write_command(source, folder)
    write_schemas(source, folder)
    made = {'reference/' + os.path.splitext(name)[0] for name in
            os.listdir(os.path.join(folder, 'reference'))}
    stage = Stage(source, folder, made, pages.role)
    stage.lay_out()
    for line in stage.trouble:
        print(f'site: {line}', file=sys.stderr)
    if stage.trouble:
        sys.exit(1)
    print(f'site: {len(stage.placed)} pages of the project, {len(made)} of the '
          'reference')


main(*sys.argv[1:])
