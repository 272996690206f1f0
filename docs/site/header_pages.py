"""header_pages.py - the reference of C for the site, a page for each header.

What a header declares becomes declarations of Sphinx's domain for C, so that
every name is in the index and in the search, and leads to where it is
described, from signatures as from comments.

SPDX-License-Identifier: MIT
"""
import os
import re

import prose
from headers import Heading, Prose

DIRECTIVES = {'function': 'function', 'callback': 'type', 'struct': 'struct',
              'enum': 'enum', 'opaque': 'struct', 'macro': 'macro',
              'constant': 'macro'}
ROLES = {'function': 'func', 'macro': 'macro', 'constant': 'macro'}
GROUP = re.compile(r'/\* ([^*\n]+) \*/\n((?:#include <varve/\w+\.h>\n)+)')


def escape(text):
    return re.sub(r'([\\*`|_<>\[\]])', r'\\\1', text)


def literal(text):
    return f'``{text}``'


def indent(lines, by=3):
    return [' ' * by + line if line else '' for line in lines]


def title(text, line):
    return [text, line * len(text), '']


class Pages:
    def __init__(self, headers, pages):
        """pages: the documents of the project that the site has, to link."""
        self.headers = headers
        self.pages = pages
        self.shown = [each for each in headers
                      if each.declared() and each.name != 'varve.h']
        self.role = {}
        self.seen = set()
        self.defined = {each.name for header in headers
                        for each in header.declared() if each.kind == 'struct'}
        for each in (each for header in headers for each in header.declared()):
            self.role[each.name] = ROLES.get(each.kind, 'type')
            if each.kind == 'enum':
                self.role.update((member.name, 'enumerator')
                                 for member in each.members)

    def words(self, words):
        out = ''
        for kind, text in prose.mentions(words):
            out += self.mention(kind, text)
        return out.strip()

    def mention(self, kind, text):
        if kind in ('name', 'code') and text in self.role:
            return f'\\ :c:{self.role[text]}:`{text}`\\ '
        if kind == 'page' and text in self.pages:
            return f'\\ :doc:`/{text.removesuffix(".md")}`\\ '
        if kind == 'header' and any(
                each.name == text for each in self.shown):
            return f'\\ :doc:`{text} </reference/{self.document(text)}>`\\ '
        if kind in ('name', 'code'):
            return f'\\ {literal(text)}\\ '
        return escape(text)

    @staticmethod
    def document(name):
        return name.replace('.', '-')

    def text(self, comment):
        lines = []
        for kind, text in prose.blocks(comment):
            if kind == 'code':
                lines += ['.. code-block:: c', '']
                lines += indent(text.split('\n')) + ['']
            else:
                lines += [self.words(text), '']
        return lines

    def members(self, each):
        directive = 'enumerator' if each.kind == 'enum' else 'member'
        behind = [*each.members[1:], None]
        for member, after in zip(each.members, behind):
            yield f'.. c:{directive}:: {member.text}'
            yield ''
            # What several share stands below the last of them.
            if member.name != 'reserved' and not (
                    after and after.comment == member.comment):
                yield from indent(self.text(member.comment))

    def signature(self, each):
        if each.kind in ('macro', 'constant'):
            return each.text
        if each.kind in ('function', 'callback'):
            text = ' '.join(each.text.split()).removeprefix('typedef ')
            return text.rstrip(';').replace('( ', '(')
        return each.name

    def declared(self, each, comment):
        """One declaration; where the struct is another header's, a mention."""
        if each.kind == 'opaque' and each.name in self.defined:
            return [f':c:type:`{each.name}`', '', *indent(comment)]
        lines = [f'.. c:{DIRECTIVES[each.kind]}:: {self.signature(each)}', '']
        if each.kind == 'constant' and 0 < len(each.value) < 40 and (
                not each.value.startswith('{')):
            comment = [f'Is {literal(each.value)}.', ''] + comment
        lines += indent(comment)
        lines += indent(self.members(each))
        return lines

    def group(self, group):
        """What shares a comment stands one below the other above it."""
        lines = []
        for each in group.declared[:-1]:
            lines += self.declared(each, [])
        return lines + self.declared(group.declared[-1],
                                     self.text(group.comment))

    def page(self, header):
        lines = [*title(header.name, '='),
                 self.words(header.title[:1].upper() + header.title[1:]), '',
                 '.. code-block:: c', '', f'   #include <varve/{header.name}>',
                 '', *self.text(header.opening)]
        for item in header.items:
            if isinstance(item, Heading):
                lines += title(escape(item.title), '-')
            elif isinstance(item, Prose):
                lines += self.text(item.text)
            else:
                lines += self.group(item)
        return lines

    def index(self, include):
        """The headers in the groups that varve.h puts them into."""
        with open(os.path.join(include, 'varve', 'varve.h'),
                  encoding='utf-8') as stream:
            groups = [(heading, re.findall(r'varve/(\w+\.h)', body))
                      for heading, body in GROUP.findall(stream.read())]
        named = {name for _, names in groups for name in names}
        groups.append(('By itself', [each.name for each in self.shown
                                     if each.name not in named]))
        lines = title('The headers of C', '=')
        lines += ['``#include <varve/varve.h>`` has all of them but those of '
                  'the last group. :ref:`genindex` has every name; '
                  '``man varve_restore`` shows the same in a terminal.', '']
        for heading, names in groups:
            lines += title(heading, '-')
            for header in (each for each in self.shown if each.name in names):
                lines += [f':doc:`{header.name} '
                          f'<{self.document(header.name)}>`',
                          f'   {self.words(header.title)}', '']
        lines += ['.. toctree::', '   :hidden:', '']
        lines += indent(self.document(each.name) for each in self.shown)
        return lines

    def write(self, include, folder):
        os.makedirs(folder, exist_ok=True)
        documents = {'c': self.index(include)}
        documents.update((self.document(header.name), self.page(header))
                         for header in self.shown)
        for name, lines in documents.items():
            path = os.path.join(folder, name + '.rst')
            with open(path, 'w', encoding='utf-8') as stream:
                stream.write('\n'.join(lines) + '\n')
