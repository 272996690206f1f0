#!/usr/bin/env python3
"""amalgamate.py - Writes the library as one varve.c and one varve.h.

    scripts/amalgamate.py BUILD DIRECTORY

BUILD is a meson build directory, compiled or only configured. The two files
have the features of that build. Functions, types, constants and macros that are
private to a file and not unique get the name of their file as a prefix.

SPDX-License-Identifier: MIT
"""
import json
import os
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PART = re.compile(r'lib/libvarve_\w+\.a\.p/')
OPTION = re.compile(r'-D(VV_(?!MODULES)\w+)(?:=(.*))?$')
INCLUDE = re.compile(r'#\s*include\s*([<"])([^>"]+)[>"]')
GUARD = re.compile(r'#ifndef (\w+_H)\n#define \1\n')
TOKEN = re.compile(r'''
    (?P<comment>/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<space>\s+)
  | (?P<sign>->|\.\.\.|.)
''', re.S | re.M | re.X)
OURS = re.compile(r'(?:vv|varve)_|(?:VV|VARVE)_')
INLINE = re.compile(r'^static inline\b', re.M)
TAGS = ('struct', 'union', 'enum')
# Words that can be followed by () although they are not functions.
WITH_WORDS = ('_Atomic', '__attribute__')
# The macros that a file defines for system headers before its first include.
FIRST = '''\
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64
#define XXH_STATIC_LINKING_ONLY
#define VARVE_BUILDING
#define VV_INLINE static inline __attribute__((unused))
'''


SYSTEM = ('_GNU_SOURCE', '_POSIX_C_SOURCE', 'XXH_STATIC_LINKING_ONLY')


class Token:
    """A token (word, operator or literal) and its position in the file."""

    def __init__(self, kind, text):
        self.kind, self.text = kind, text
        self.is_member = False  # set if the token is the name of a member


def tokens_of(text):
    return [Token(m.lastgroup, m[0]) for m in TOKEN.finditer(text)]


def is_code(token):
    return token.kind not in ('comment', 'directive', 'space')


# --- Private names of a file --------------------------------------------------

def declarations(code):
    """Yields code outside of functions: the tokens of each declaration, or of
    the head of a function, and a flag if a body follows."""
    head, depth, is_body = [], 0, False
    for token in code:
        if token.text == '{':
            if depth == 0:
                is_body = bool(head) and head[-1].text == ')'
            depth += 1
        if not (is_body and depth):
            head.append(token)
        if token.text == '}':
            depth -= 1
            if depth == 0 and is_body:
                yield head
                head, is_body = [], False
        elif token.text == ';' and depth == 0:
            yield head
            head = []


def outside(declaration):
    """Yields the tokens outside of braces and brackets with their depth in ().
    Omits initializers of variables."""
    braces = brackets = parentheses = 0
    is_value = False
    for token in declaration:
        text = token.text
        if text in '{}':
            braces += 1 if text == '{' else -1
            if braces == 0 and not is_value:
                yield token, parentheses
        elif text in '[]':
            brackets += 1 if text == '[' else -1
            yield token, parentheses
        elif braces or brackets:
            continue
        elif text in '()':
            parentheses += 1 if text == '(' else -1
            if not is_value:
                yield token, parentheses
        elif text == '=' and parentheses == 0:
            is_value = True
            yield token, 0
        elif text in ',;' and parentheses == 0:
            is_value = False
            yield token, 0
        elif not is_value:
            yield token, parentheses


def declared(declaration):
    """Returns the functions, variables and types that a declaration defines in
    its file."""
    seen = list(outside(declaration))
    words = [token.text for token in declaration]
    if 'static' not in words[:4] and words[0] != 'typedef':
        return
    for i, (token, depth) in enumerate(seen[:-1]):
        before = seen[i - 1][0].text if i else ''
        after = seen[i + 1][0].text
        if token.kind != 'word' or before in TAGS or token.text in WITH_WORDS:
            continue
        if depth == 0 and after in '([=,;' and before != '(':
            yield token.text
            if after == '(':
                return
        # (*name)(...)
        elif depth == 1 and before in ('*', 'const') and after in ')[':
            yield token.text
            return


def constants(code):
    """Returns the constants of all enumerations."""
    for i, token in enumerate(code):
        if token.text != 'enum':
            continue
        at = i + 1 if code[i + 1].text == '{' else i + 2
        if code[at].text != '{':
            continue
        depth = 0
        while code[at].text != '}' or depth > 0:
            if code[at].text in '{,' and depth == 0 and \
                    code[at + 1].kind == 'word':
                yield code[at + 1].text
            depth += code[at].text == '('
            depth -= code[at].text == ')'
            at += 1


def tags(code):
    for i, token in enumerate(code[:-2]):
        if token.text in TAGS and code[i + 2].text == '{':
            yield code[i + 1].text


def macros(tokens):
    found = []
    for token in tokens:
        match = token.kind == 'directive' and \
            re.match(r'\s*#\s*define\s+(\w+)', token.text)
        if match and match[1] not in found and match[1] not in SYSTEM:
            found.append(match[1])
    return found


def mark_members(code):
    """Marks names after a dot or an arrow, and in declarations of structs."""
    stack, is_type = [], False
    for i, token in enumerate(code):
        before = code[i - 1].text if i else ''
        after = code[i + 1].text if i + 1 < len(code) else ''
        if token.text in '{([':
            stack.append('type' if token.text == '{' and is_type
                         else token.text)
            is_type = False
        elif token.text in '})]':
            stack.pop()
        elif token.kind == 'word':
            is_type = token.text in TAGS[:2] and before != '(' or \
                is_type and before in TAGS[:2]
            if before in ('.', '->'):
                token.is_member = True
            elif before not in TAGS and after in ';[,:)':
                token.is_member = 'type' in stack and stack[-1] != '['
        else:
            is_type = False


# --- One file ----------------------------------------------------------------

class Source:
    """A file of the library and its includes."""

    def __init__(self, path):
        self.path = path
        self.tokens = tokens_of(path.read_text())
        code = [t for t in self.tokens if is_code(t)]
        mark_members(code)
        self.names = {name for declaration in declarations(code)
                      for name in declared(declaration)}
        self.names.update(constants(code))
        self.names = {n for n in self.names if not OURS.match(n)}
        self.tags = {n for n in tags(code) if not OURS.match(n)}
        self.macros = macros(self.tokens)

    def renamed(self, names, known_tags):
        """Returns the text, with a prefix for private names that are not
        unique."""
        own = self.path.stem + '_'
        before = ''
        parts = []
        for token in self.tokens:
            text = token.text
            if token.kind == 'directive':
                text = renamed_words(text, own, self.names & names,
                                     self.tags & known_tags)
            elif token.kind == 'word' and before in TAGS:
                if text in self.tags & known_tags:
                    text = own + text
            elif token.kind == 'word' and not token.is_member and \
                    text in self.names & names:
                text = own + text
            if is_code(token):
                before = token.text
            parts.append(text)
        return ''.join(parts)


def renamed_words(directive, own, names, own_tags):
    """Does not rename members and parts of pasted names in a macro's words."""
    def word(match):
        before, name = match[1] or '', match[2]
        if before.strip() in TAGS:
            return before + (own + name if name in own_tags else name)
        if before in ('.', '->', '##', '#') or name not in names:
            return match[0]
        return before + own + name
    if not re.match(r'\s*#\s*define', directive):
        return directive
    return re.sub(r'((?:struct|union|enum)\s+|->|\.|##|#)?\b([A-Za-z_]\w*)\b'
                  r'(?!\s*##)', word, directive)


# --- All files ---------------------------------------------------------------

def of_build(build):
    """Returns the files of the library in a build, and its options."""
    sources, options = [], {}
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        if not PART.match(entry['output']):
            continue
        sources.append(Path(os.path.normpath(
            Path(entry['directory']) / entry['file'])))
        for word in shlex.split(entry['command']):
            match = OPTION.match(word)
            if match:
                options[match[1]] = match[2] or '1'
    return sources, options


def without_head(text):
    """Returns a text without its first comment."""
    return re.sub(r'\A/\*.*?\*/\n', '', text, flags=re.S)


class Headers:
    """Collects the headers, each once, at its first use."""

    def __init__(self, paths, given=()):
        self.paths = paths
        self.given = set(given)

    def text(self, name):
        if name in self.given:
            return ''
        self.given.add(name)
        text = without_head(self.paths[name].read_text())
        if not name.startswith('varve/'):
            text = INLINE.sub('VV_INLINE', text)
        return GUARD.sub('', self.joined(text)).rsplit('#endif', 1)[0]

    def joined(self, text):
        """Returns a header after the private headers that it includes."""
        inner = []

        def take(match):
            if match[1] == '<' and not match[2].startswith('varve/'):
                return match[0]
            inner.append(self.text(match[2]))
            return ''
        rest = INCLUDE.sub(take, text)
        return ''.join(inner) + rest


def headers_in(folder, before=''):
    return {before + path.name: path for path in folder.rglob('*.h')}


def own_macros(source):
    return ''.join(f'#undef {name}\n' for name in source.macros)


def clashes(sources, what):
    """Returns the names that occur in more than one file."""
    seen, twice = set(), set()
    for source in sources:
        mine = what(source)
        twice |= mine & seen
        seen |= mine
    return twice


def whole(paths, options, public):
    sources = [Source(path) for path in sorted(paths)]
    # A name that is not a function of another file may be a member or local.
    names = set().union(*(s.names for s in sources))
    known_tags = clashes(sources, lambda s: s.tags)
    headers = Headers(headers_in(ROOT / 'lib'), public)
    parts = [FIRST]
    parts += [f'#define {name} {value}\n' for name, value in options.items()]
    parts += ['#include "varve.h"\n']
    for source in sources:
        text = source.renamed(names, known_tags)
        parts += [f'\n/* --- {source.path.relative_to(ROOT)} */\n',
                  headers.joined(without_head(text)), own_macros(source)]
    twice = clashes(sources, lambda s: s.names)
    print(f'amalgamate: {len(sources)} files; {len(twice)} names of functions, '
          f'variables and constants and {len(known_tags)} of types occur in '
          'several')
    return ''.join(parts)


def opening(name):
    """Returns the first comment: version, origin, and license."""
    version = re.search(r"^  version: '(.*)',$",
                        (ROOT / 'meson.build').read_text(), re.M)[1]
    license_text = (ROOT / 'LICENSE').read_text().strip()
    text = (f'{name} - Varve {version} in two files, varve.c and varve.h.\n\n'
            'Made by scripts/amalgamate.py from the sources of Varve. Do not '
            'edit:\nchange the sources instead.\n\n' + license_text)
    lines = [(' * ' + line).rstrip() for line in text.split('\n')]
    return '/*' + lines[0][2:] + '\n' + '\n'.join(lines[1:]) + '\n */\n'


def main():
    if len(sys.argv) != 3:
        sys.exit('usage: scripts/amalgamate.py BUILD DIRECTORY')
    paths, options = of_build(Path(sys.argv[1]))
    to = Path(sys.argv[2])
    to.mkdir(parents=True, exist_ok=True)
    public = headers_in(ROOT / 'include' / 'varve', 'varve/')
    (to / 'varve.h').write_text(
        opening('varve.h') + '#ifndef VARVE_VARVE_H\n#define VARVE_VARVE_H\n' +
        Headers(public).text('varve/varve.h') + '#endif\n')
    (to / 'varve.c').write_text(
        opening('varve.c') + whole(paths, options, public))


if __name__ == '__main__':
    main()
