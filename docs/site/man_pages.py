"""man_pages.py - the manual of the library, section 3, from its headers.

A page for each comment, under the names of all that it is about; one for each
header, varve-graph(3) for graph.h, with a line for each of these; and varve(3),
which lists the headers. What is in a page is what is in the header: its
comment, and of the statuses that this mentions what error.h says of them.

SPDX-License-Identifier: MIT
"""
import datetime
import os
import re
import textwrap

import prose
from headers import Group, Heading, Prose

DATE = re.compile(r'^ -- .*  \w+, (\d+ \w+ \d+)', re.M)
OPENING = ('Varve saves the state of a program as a graph of named objects '
           'and restores it by name. These pages describe its interface: one '
           'page for each header, and one for each function and type.')
ERROR_ARGUMENT = ('On failure, \\fIerror\\fR receives the status and a '
                  'message. \\fIerror\\fR may be NULL.')
RETURNS = [  # of a result, whether it has an argument `error`: what it gives
    (lambda r, e: r == 'varve_status',
     'VARVE_OK, which is 0, or the status of the failure.'),
    (lambda r, e: r.endswith('*') and e, 'NULL on failure.'),
]


def escape(text):
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return protect(text)


def protect(text):
    """No line of it begins with what would make it a request."""
    return re.sub(r"^(?=[.'])", '\\&', text, flags=re.M)


def lower(brief):
    """As what goes on behind a dash."""
    is_word = brief[1:2].islower() or brief[1:2] == ' '
    return brief[:1].lower() + brief[1:] if is_word else brief


def header_page(name):
    return 'varve-' + name.removesuffix('.h').replace('_', '-')


class Manual:
    def __init__(self, headers, version, date):
        self.headers = [each for each in headers if each.name != 'varve.h'
                        and each.declared()]
        self.main = next(each for each in headers if each.name == 'varve.h')
        self.frame = f'"{date}" "Varve {version}" "Varve"'
        # Of every name the page that describes it.
        self.page_of = {
            each.name: group.declared[0].name
            for header in self.headers for group in header.groups()
            for each in group.declared}
        self.statuses = {
            member.name: member.comment for header in self.headers
            for each in header.declared() if each.name == 'varve_status'
            for member in each.members}
        self.enumerators = {
            member.name: each.name for header in self.headers
            for each in header.declared() if each.kind == 'enum'
            for member in each.members}

    def words(self, words):
        """A paragraph, with the names that it mentions in bold."""
        out = []
        for kind, text in prose.mentions(words):
            if kind == 'name' and text in self.page_of and not text.isupper():
                out.append(f'\\fB{escape(text)}\\fR(3)')
            elif kind in ('code', 'name'):
                out.append(f'\\fB{escape(text)}\\fR')
            elif kind == 'header' and header_page(text) in self.pages():
                out.append(f'\\fB{escape(header_page(text))}\\fR(3)')
            else:
                out.append(escape(text))
        return protect(textwrap.fill(''.join(out), 78, break_long_words=False,
                                     break_on_hyphens=False))

    def pages(self):
        return {header_page(header.name) for header in self.headers}

    def text(self, comment):
        for number, (kind, text) in enumerate(prose.blocks(comment)):
            if number:
                yield '.PP'
            if kind == 'code':
                yield from ('.nf', '.RS 4', escape(text), '.RE', '.fi')
            else:
                yield self.words(text)

    def declaration(self, each):
        """As it stands in the header; a macro by its head."""
        text = f'#define {each.text}' if each.kind in ('macro', 'constant') \
            else each.text
        if each.kind == 'constant' and len(each.value) < 40:
            text += f' {each.value}'
        return escape(text)

    @staticmethod
    def goes_on_from(header, group):
        """The name of the call above, where a comment is said of that one: by
        itself its page would not tell what is the same."""
        above = None
        for each in header.groups():
            if each is group:
                break
            if any(one.kind in ('function', 'macro') for one in each.declared):
                above = each
        is_more = group.comment.startswith('The same')
        return above.declared[0].name if is_more and above else None

    def description(self, header, group):
        if not group.comment:
            return
        yield '.SH DESCRIPTION'
        yield from self.text(group.comment)
        above = self.goes_on_from(header, group)
        if above:
            yield from ('.PP', f'It goes on from \\fB{above}\\fR(3).')

    def synopsis(self, header, group):
        yield from ('.SH SYNOPSIS', '.nf',
                    f'\\fB#include <varve/{header.name}>\\fR')
        for each in group.declared:
            yield from ('.PP', self.declaration(each))
        yield '.fi'

    def results(self, group):
        functions = [each for each in group.declared if each.kind == 'function']
        said = []
        for each in functions:
            has_error = any('varve_error *' in kind
                            for kind, _ in each.parameters)
            said += [text for fits, text in RETURNS
                     if fits(each.result, has_error)]
            if has_error:
                said.append(ERROR_ARGUMENT)
        if said:
            yield '.SH RETURN VALUE'
            yield from dict.fromkeys(said)

    def errors(self, group):
        named = [name for name in self.statuses
                 if re.search(rf'\b{name}\b', group.comment)
                 and name != 'VARVE_OK']
        if named and any(each.kind in ('function', 'callback')
                         for each in group.declared):
            yield '.SH ERRORS'
            yield 'Those that are named above; \\fBvarve_status\\fR(3) has all.'
            for name in named:
                yield from ('.TP', f'\\fB{name}\\fR',
                            self.words(' '.join(self.statuses[name].split())))

    def see_also(self, header, group):
        text = group.comment + ' '.join(
            each.text for each in group.declared if each.kind != 'opaque')
        own = {each.name for each in group.declared}
        names = [name for name in self.page_of
                 if name not in own and re.search(rf'\b{name}\b', text)]
        pages = [*sorted(names), header_page(header.name)]
        yield '.SH SEE ALSO'
        yield ',\n'.join(f'\\fB{escape(name)}\\fR(3)' for name in pages)

    def name(self, names, brief):
        names = ', '.join(map(escape, names))
        yield from ('.SH NAME', f'{names} \\- {escape(lower(brief))}')

    def page(self, title, *sections):
        lines = [f'.TH {title} 3 {self.frame}', '.nh', '.ad l']
        for section in sections:
            lines += section
        return '\n'.join(lines) + '\n'

    def group_page(self, header, group):
        names = [each.name for each in group.declared if self.has_page(each)]
        brief = prose.brief(group.comment) or f'declared in {header.name}'
        return self.page(
            names[0], self.name(names, brief), self.synopsis(header, group),
            self.description(header, group),
            self.results(group), self.errors(group),
            self.see_also(header, group))

    def header_text(self, header):
        yield from ('.SH SYNOPSIS', f'\\fB#include <varve/{header.name}>\\fR',
                    '.SH DESCRIPTION', self.words(
                        header.title[:1].upper() + header.title[1:]))
        if header.opening:
            yield '.PP'
            yield from self.text(header.opening)
        headed = False
        for item in header.items:
            if isinstance(item, Heading):
                yield f'.SH {escape(item.title.upper())}'
            elif isinstance(item, Prose):
                yield from ([] if headed else ['.PP'])
                yield from self.text(item.text)
            elif isinstance(item, Group):
                names = ', '.join(
                    f'\\fB{escape(each.name)}\\fR(3)' for each in item.declared)
                brief = prose.brief(item.comment)
                yield from ('.TP', names, self.words(brief) or '\\&')
            headed = isinstance(item, Heading)

    def header_page(self, header):
        name = header_page(header.name)
        return self.page(name, self.name([name], header.title.rstrip('.')),
                         self.header_text(header),
                         ['.SH SEE ALSO', '\\fBvarve\\fR(3)'])

    def main_page(self):
        def lines():
            yield from ('.SH SYNOPSIS', '\\fB#include <varve/varve.h>\\fR',
                        '.PP', '\\fBcc\\fR program.c $(pkg\\-config '
                        '\\-\\-cflags \\-\\-libs varve)',
                        '.SH DESCRIPTION', escape(OPENING))
            for header in self.headers:
                yield from ('.TP', f'\\fB{escape(header_page(header.name))}'
                            '\\fR(3)', self.words(header.title))
            yield from ('.SH SEE ALSO', '\\fBvarve\\fR(1)')
        return self.page('varve', self.name(
            ['varve'], self.main.title.rstrip('.')), lines())

    def all(self):
        """Of every page its name, as varve_write.3, and its text."""
        yield 'varve.3', self.main_page()
        for header in self.headers:
            yield header_page(header.name) + '.3', self.header_page(header)
            for group in header.groups():
                names = [each.name for each in group.declared
                         if self.has_page(each)]
                if names:
                    yield names[0] + '.3', self.group_page(header, group)
                    yield from ((name + '.3', f'.so man3/{names[0]}.3\n')
                                for name in names[1:])

    def has_page(self, each):
        """Not where another header has the struct that is only named here;
        nor for a macro in capitals that has a twin in small letters, which
        some file systems would not tell apart."""
        return not (each.kind == 'opaque' and self.is_defined(each) or
                    each.name.isupper() and each.name.lower() in self.page_of)

    def is_defined(self, opaque):
        return any(each.name == opaque.name and each.kind == 'struct'
                   for header in self.headers for each in header.declared())


def date_of(source):
    """That of the last entry of the changes, so that the same sources give the
    same pages."""
    path = os.path.join(source, 'packaging', 'debian', 'changelog')
    with open(path, encoding='utf-8') as stream:
        found = DATE.search(stream.read())[1]
    return datetime.datetime.strptime(found, '%d %b %Y').date().isoformat()


def version_of(source):
    path = os.path.join(source, 'meson.build')
    with open(path, encoding='utf-8') as stream:
        return re.search(r"^  version: '(.*)'", stream.read(), re.M)[1]


def write(source, headers, folder):
    manual = Manual(headers, version_of(source), date_of(source))
    os.makedirs(folder, exist_ok=True)
    names = set()
    for name, text in manual.all():
        names.add(name)
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as stream:
            stream.write(text)
    for name in set(os.listdir(folder)) - names:
        os.remove(os.path.join(folder, name))
    os.utime(folder)
    return len(names)
