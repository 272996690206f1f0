#!/usr/bin/env python3
"""messages.py - Lists the texts of all messages of the library, of the command
and of Python in tests/docs/messages.txt, and checks them.

    messages.py ROOT            fails if the list is not up to date, or if a
                                message has one of the patterns below
    messages.py ROOT --write    writes the list

A text is a string literal of at least two words that is an argument of a
function.

SPDX-License-Identifier: MIT"""
import ast
import pathlib
import re
import sys

TOKENS = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"'
                    r"|'(?:[^'\\\n]|\\.)*'|^[ \t]*#[ \t]*include[^\n]*",
                    re.S | re.M)
BETWEEN = re.compile(r'\s*(?:(?:PRI\w+|[A-Z_]{4,})\s*)?', re.S)
BAD = re.compile(r'expected to be|found it\b|found one\b|found NULL|nobody|'
                 r'somebody|whoever|\bminds\b|\btells\b|\bknows\b|\bwants\b|'
                 r'half restored|passed over|found others\b|found another\b|'
                 r'found something else|expected one\b')
SKIPPED = ('tools/page/page_text.c',)


def texts_of_c(text):
    """Yields the combined values of adjacent string literals."""
    end, value = -1, ''
    for match in TOKENS.finditer(text):
        token = match.group(0)
        if token.startswith(('/*', '//')):
            continue
        if not token.startswith('"'):
            yield value
            end, value = -1, ''
            continue
        between = text[end:match.start()] if end >= 0 else None
        if between is not None and BETWEEN.fullmatch(between):
            name = between.strip()
            value += (f'<{name}>' if name else '') + token[1:-1]
        else:
            yield value
            value = token[1:-1]
        end = match.end()
    yield value


def texts_of_python(text):
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Raise) or not node.exc:
            continue
        for part in ast.walk(node.exc):
            if isinstance(part, ast.JoinedStr):
                yield ''.join(v.value if isinstance(v, ast.Constant) else '{}'
                              for v in part.values)
            elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


def lines_of(root):
    for folder, endings in (('lib', 'ch'), ('tools', 'ch'), ('python', 'py')):
        for path in sorted((root / folder).rglob('*')):
            name = path.relative_to(root).as_posix()
            suffixes = ['.py'] if endings == 'py' else ['.c', '.h']
            if path.suffix not in suffixes:
                continue
            if name in SKIPPED or '/tests/' in name or '/build' in name:
                continue
            text = path.read_text(encoding='utf-8')
            of = texts_of_python if endings == 'py' else texts_of_c
            seen = []
            for value in of(text):
                value = value.strip().replace('\n', '\\n')
                if re.search(r'[a-z]{2,}\W+\S*[a-z]{2,}', value) \
                        and value not in seen and '<path' not in value:
                    seen.append(value)
            if seen:
                yield name, seen


def main():
    root = pathlib.Path(sys.argv[1])
    path = root / 'tests/docs/messages.txt'
    out, wrong = [], []
    for name, seen in lines_of(root):
        out += [f'{name}:'] + [f'    {value}' for value in seen] + ['']
        wrong += [f'{name}: {value}' for value in seen
                  if BAD.search(value)]
    text = '\n'.join(out)
    if '--write' in sys.argv:
        path.write_text(text, encoding='utf-8')
    elif path.read_text(encoding='utf-8') != text:
        wrong.append('messages.txt is not up to date: run '
                     'tests/docs/messages.py . --write, and read the diff')
    for line in wrong:
        print(line)
    print(f'messages: {len(out)} lines, {len(wrong)} wrong')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
