"""headers.py - what the public headers declare, each with its comment.

A comment documents what stands right below it, without an empty line between:
a declaration, or several of them up to the next empty line or comment. A type
needs none where each of its members has one. What has none is undocumented,
which is an error of whoever asks `undocumented`. A comment by itself, between
empty lines, is prose of the page; `/* --- Words --- */` is a heading. Macros
whose names end in `_`, and those of the guards, are nobody's business.

SPDX-License-Identifier: MIT
"""
import glob
import os
import re
from dataclasses import dataclass, field

HEADING = re.compile(r'--- (.*?) -*$')
CONTINUED = re.compile(r'[ \t]*\*(?: |$)?')
MARKS = re.compile(r'\bVARVE_(?:API|MUST_CHECK)\b')
BARE = re.compile(r'VARVE_(?:BEGIN|END)_DECLS')
TOKEN = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|[ \t\n]+|.', re.S)
DIRECTIVE = re.compile(r'#(?:/\*.*?\*/|\\\n|[^\n])*', re.S)
DEFINE = re.compile(r'#[ \t]*define[ \t]+(\w+)(\([^)]*\))?[ \t]*(.*)', re.S)
FUNCTION = re.compile(r'(?P<result>[\w \*]+?[ \*])(?P<name>\w+)'
                      r'\((?P<parameters>.*)\);$', re.S)
TYPEDEF = re.compile(r'typedef\s+(?P<keyword>struct|enum)\s+\w+\s*'
                     r'(?:\{(?P<body>.*)\})?\s*(?P<name>\w+);$', re.S)
STRUCT = re.compile(r'(?P<keyword>struct|enum) (?P<name>\w+)\s*'
                    r'\{(?P<body>.*)\};$', re.S)
PARAMETER = re.compile(r'(.*?[ *])(\w+)$')
MEMBER_NAME = re.compile(r'\(\*(\w+)\)\('
                         r'|(\w+)(?:\[[^\]]*\])*(?:\s*=.*)?$', re.S)


@dataclass
class Member:
    """Of a struct or an enumeration."""
    name: str
    text: str
    comment: str = ''


@dataclass
class Declared:
    """kind: function, callback (a type of functions), struct, enum, opaque,
    macro (with arguments) or constant (without)."""
    kind: str
    name: str
    text: str  # as it stands in the header, less the marks of the export
    line: int
    header: str
    result: str = ''
    parameters: list = field(default_factory=list)  # of pairs: type, name
    members: list = field(default_factory=list)
    value: str = ''  # of a constant

    @property
    def is_type(self):
        return self.kind in ('callback', 'struct', 'enum', 'opaque')


@dataclass
class Group:
    """What shares a comment; '' for what has none."""
    comment: str
    declared: list

    def is_documented(self):
        return bool(self.comment) or all(
            each.members and all(
                member.comment for member in each.members
                if member.name != 'reserved') for each in self.declared)


@dataclass
class Heading:
    title: str


@dataclass
class Prose:
    text: str


@dataclass
class Header:
    name: str  # such as graph.h
    title: str  # what the opening comment begins with
    opening: str  # and what it goes on with
    items: list  # of headings, prose and groups, in order

    def groups(self):
        return [item for item in self.items if isinstance(item, Group)]

    def declared(self):
        return [each for group in self.groups() for each in group.declared]


def clean(comment):
    """The words of a comment, without its frame; lines stay lines."""
    lines = comment[2:-2].split('\n')
    rest = lines[1:]
    if all(re.match(r'[ \t]*\*|[ \t]*$', line) for line in rest):
        rest = [CONTINUED.sub('', line, count=1) for line in rest]
    else:
        rest = [line.strip() for line in rest]
    lines = [lines[0].strip(), *(line.rstrip() for line in rest)]
    return '\n'.join(lines).strip()


def bodiless(text):
    """Code without comments, in single spaces."""
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    return re.sub(r'\s+', ' ', text).strip()


def pieces(text, end, line=1):
    """(kind, text, line) of comments, gaps (empty lines), directives and what
    ends with `end`, at the outermost level of brackets."""
    at, depth, begun, begun_line = 0, 0, '', line
    while at < len(text):
        is_fresh = not begun.strip()
        token = (DIRECTIVE if text[at] == '#' and is_fresh
                 else TOKEN).match(text, at).group()
        begin_line, at = line, at + len(token)
        line += token.count('\n')
        if is_fresh and token.startswith('#'):
            yield 'directive', token, begin_line
        elif is_fresh and token.startswith('/*'):
            yield 'comment', token, begin_line
        elif is_fresh and token.isspace():
            if token.count('\n') > 1:
                yield 'gap', '', begin_line
            elif '\n' in token:
                yield 'line', '', begin_line
        else:
            begun_line = begin_line if is_fresh else begun_line
            begun = token if is_fresh else begun + token
            depth += (token in '([{') - (token in ')]}') if len(token) == 1 \
                else 0
            if depth == 0 and token == '}' and \
                    begun.startswith('static inline'):
                begun = ''  # a function that macros call
                continue
            bare = depth == 0 and BARE.fullmatch(begun.strip())
            if bare or depth == 0 and token == end:
                if not bare:
                    yield 'code', begun.strip(), begun_line
                begun = ''
    if begun.strip():
        yield 'code', begun.strip(), begun_line


def members(body, end):
    """Of a type; a comment stands above what it is about, up to an empty line
    or the next comment, or behind it."""
    found, above, beside = [], '', None
    for kind, text, _ in pieces(body, end):
        if kind == 'comment' and beside:
            beside.comment = clean(text)
        elif kind == 'comment':
            above = clean(text)
        elif kind == 'gap':
            above = ''
        elif kind == 'code':
            # The comment of the last one may stand before no comma.
            inner = re.findall(r'/\*.*?\*/', text, re.S)
            plain = bodiless(text).rstrip(end).strip()
            name = MEMBER_NAME.search(plain)
            found.append(Member(name[1] or name[2], plain,
                                clean(inner[-1]) if inner else above))
        beside = found[-1] if kind == 'code' else \
            beside if kind == 'comment' else None
    return found


def declaration(text, line, header):
    """What a piece of code declares; None for what is no declaration."""
    text = MARKS.sub('', text).strip()
    plain = re.sub(r' +([;,)])', r'\1', bodiless(text))
    shown = re.sub(r'\s+;$', ';', text)
    matched = TYPEDEF.match(text) or STRUCT.match(text)
    if matched:
        keyword, body = matched['keyword'], matched['body']
        kind = keyword if body is not None else 'opaque'
        return Declared(kind, matched['name'], shown, line, header, members=
                        members(body or '', ',' if keyword == 'enum' else ';'))
    kind = 'callback' if plain.startswith('typedef ') else 'function'
    matched = FUNCTION.match(plain.removeprefix('typedef '))
    if not matched:
        return None
    parameters = [PARAMETER.match(each)
                  for each in re.split(r', (?![^(]*\))', matched['parameters'])]
    return Declared(kind, matched['name'], shown, line, header,
                    result=matched['result'].strip(),
                    parameters=[(each[1].strip(), each[2])
                                for each in parameters if each])


def macro(text, line, header):
    """What a directive defines; None if that is nothing."""
    found = DEFINE.match(text)
    if not found or found[1].upper().endswith(('_H', '_HPP')):
        return None
    name, arguments, value = found.groups()
    kind = 'constant' if arguments is None else 'macro'
    value = bodiless(value.replace('\\\n', ' '))
    return Declared(kind, name, name + (arguments or ''), line, header,
                    value=value)


class Reading:
    """One header, read from top to bottom."""

    def __init__(self, name, text):
        self.name = name
        self.items = []
        self.above = None  # a comment that nothing stands below yet
        self.open = None  # the group to which what comes next belongs
        self.last_line = ''
        self.feed(text)

    def feed(self, text):
        for kind, piece, line in pieces(text, ';'):
            if kind == 'comment':
                self.comment(piece)
            elif kind == 'gap':
                self.settle()
            elif kind == 'directive':
                found = macro(piece, line, self.name)
                if found:
                    self.take(found)
            elif kind == 'code':
                found = declaration(piece, line, self.name)
                if found:
                    self.take(found)
        self.settle()

    def settle(self):
        """An empty line: what was begun is over."""
        if self.above:
            self.items.append(Prose(self.above))
        self.above = self.open = None

    def comment(self, piece):
        self.settle()
        text = clean(piece)
        heading = HEADING.match(text)
        if heading:
            self.items.append(Heading(heading[1]))
        else:
            self.above = text

    def take(self, found):
        if self.open is None:
            self.open = Group(self.above or '', [])
            self.above = None
            self.items.append(self.open)
        if not found.name.endswith('_') and found.name not in [
                each.name for each in self.open.declared]:
            self.open.declared.append(found)


def read_text(name, text):
    items = [item for item in Reading(name, text).items
             if not isinstance(item, Group) or item.declared]
    opening = items.pop(0).text if items and isinstance(
        items[0], Prose) else ''
    opening = opening.split('SPDX-License-Identifier')[0].rstrip()
    title, _, opening = opening.partition('\n\n')
    title = ' '.join(title.split()).partition(' - ')[2] or title
    return Header(name, title, opening, items)


def read(path):
    with open(path, encoding='utf-8') as stream:
        return read_text(os.path.basename(path), stream.read())


def read_all(include):
    """Every public header of C, in the order in which varve.h has them, and
    what it does not include last."""
    folder = os.path.join(include, 'varve')
    with open(os.path.join(folder, 'varve.h'), encoding='utf-8') as stream:
        order = re.findall(r'<varve/(\w+\.h)>', stream.read())
    names = sorted(map(os.path.basename, glob.glob(f'{folder}/*.h')))
    names.sort(key=lambda name: (order + [name]).index(name))
    return [read(os.path.join(folder, name)) for name in names]


def undocumented(headers):
    """A line for each public name without a comment."""
    return [f'{each.header}:{each.line}: {each.name} is public and has no '
            'comment'
            for header in headers for group in header.groups()
            for each in group.declared if not group.is_documented()]
