"""text_rules.py - Checks links, code in documents and unwanted words.

SPDX-License-Identifier: MIT
"""
import os
import re
import textwrap

# Each word is written so that this file does not contain it.
UNWANTED = [
    (re.compile(r'\b(TOD[O]|FIXM[E]|XX[X])\b'), 'unfinished work'),
    (re.compile(r'(?<![\w.])/(wor[k]|roo[t]|hom[e]/\w+|tm[p]/wt)(/|\b(?!\w))'),
     'a machine-specific path'),
    (re.compile(r'\b(pyp[i]\.org|pythonhoste[d]\.org|npmj[s]\.\w+|crate[s]\.io|'
                r'(?:de[b]|securit[y])\.debian\.org|archiv[e]\.ubuntu\.com|'
                r'prox[y]\.golang\.org|rubygem[s]\.org)\b'),
     'the address of a package registry'),
]

LINK = re.compile(r'(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)')
FENCE = re.compile(r'^```[^\n]*\n.*?^```[ \t]*$', re.M | re.S)
BLOCK = re.compile(r'(?P<above>^[^\n]*\n|\A)^```(?P<language>[\w+-]*)[^\n]*\n'
                   r'(?P<code>.*?)^```', re.M | re.S)
# Blocks that are not copied from files: pictures, and commands, which
# tests/pages runs in a shell.
UNCUT = ('mermaid', 'console')
MARKER = re.compile(
    r'^<!-- from ([\w./-]+)(?::([\w-]+))?(?: as [\w.-]+)? -->$', re.M)
# Python code that the tests of the package run, and code that the tests of
# pages and of the installation run.
RUN = ('python/tests',)
FOLLOWED = ('examples', 'tests/install')
OPENING = re.compile(
    r'\A(#![^\n]*\n)?(?:/\*.*?\*/|""".*?"""|(?:#[^\n]*\n)+)\s*', re.S)


# The limits of the README.
README = 'README.md'
README_LINES = 170
README_LINKS = 10


def check(tree, write=False):
    for f in tree.files:
        check_words(tree, f)
    for f in tree.files:
        if f.suffix == '.md':
            check_links(tree, f)
            if f.path == README:
                check_readme(tree, f)
            if f.path == README or f.within('docs'):
                check_blocks(tree, f, write)


def check_words(tree, f):
    for number, line in enumerate(f.lines, 1):
        for pattern, what in UNWANTED:
            found = pattern.search(line)
            if found:
                tree.report('word', f.path, number, f'{found.group()}: {what}')


def check_links(tree, f):
    """Checks that local links refer to existing files and anchors."""
    text = FENCE.sub(lambda m: '\n' * m.group().count('\n'), f.text)
    for match in LINK.finditer(text):
        target = match.group(1) or match.group(2)
        if re.match(r'[a-z]+:', target):
            continue
        path, _, anchor = target.partition('#')
        full = os.path.normpath(os.path.join(tree.root, f.folder, path)) \
            if path else os.path.join(tree.root, f.path)
        line = text.count('\n', 0, match.start()) + 1
        if not os.path.exists(full):
            tree.report('link', f.path, line, f'{target} does not exist')
        elif anchor and full.endswith('.md') and anchor not in anchors(full):
            tree.report('link', f.path, line, f'no heading for {target}')


def check_readme(tree, f):
    """Checks that the first page is short and has few links."""
    if len(f.lines) > README_LINES:
        tree.report('readme', f.path, README_LINES + 1,
                     f'{len(f.lines)} lines exceed the limit of {README_LINES}')
    links = [m for m in LINK.finditer(FENCE.sub('', f.text)) if m[1]]
    if len(links) > README_LINKS:
        tree.report('readme', f.path, 1,
                     f'{len(links)} links exceed the limit of {README_LINKS}')


def anchors(path):
    """Returns the anchors of headings, in the form of GitHub and others."""
    with open(path, encoding='utf-8') as stream:
        text = FENCE.sub('', stream.read())
    return {re.sub(r'[^\w\- ]', '', heading.lower()).strip().replace(' ', '-')
            for heading in re.findall(r'^#+ +(.*)$', text, re.M)}


def check_blocks(tree, f, write):
    """Checks that code in documents is copied from compiled files."""
    text = f.text
    marked = set()
    for match in reversed(list(BLOCK.finditer(f.text))):
        if match['language'] in UNCUT:
            continue
        marker = MARKER.match(match['above'].rstrip('\n'))
        line = f.line_of(match.start('code')) - 1
        if not marker:
            tree.report('block', f.path, line,
                         'no line "<!-- from FILE[:region] -->" above this')
            continue
        marked.add(f.line_of(match.start('above')))
        source, problem = source_of(tree, *marker.groups())
        if problem:
            tree.report('block', f.path, line, problem)
        elif match['code'] not in source and write:
            text = text[:match.start('code')] + source[0] \
                + text[match.end('code'):]
        elif match['code'] not in source:
            tree.report('block', f.path, line,
                         f'differs from {marker[0][10:-4]} (lint.py '
                         '--write-docs puts the present text here)')
    for match in MARKER.finditer(f.text):
        if f.line_of(match.start()) not in marked:
            tree.report('block', f.path, f.line_of(match.start()),
                         'no code block follows this line')
    if text != f.text:
        with open(os.path.join(tree.root, f.path), 'w',
                  encoding='utf-8') as stream:
            stream.write(text)


def source_of(tree, path, region):
    """Returns the texts that a block may have, the preferred one first, and
    the error."""
    if path not in tree.paths:
        return (), f'{path} does not exist'
    f = tree.file(path)
    if f.is_c and not is_compiled(tree, f):
        return (), f'{path} is not in its meson.build'
    if not f.is_c and not f.within(*FOLLOWED) and \
            not (f.suffix == '.py' and f.within(*RUN)):
        return (), f'no test runs {path}'
    if not region:
        return (OPENING.sub(r'\1', f.text), f.text), ''
    name = re.escape(region)
    begin, end = (r'/\* ', r' \*/') if f.is_c else (r'# ', '')
    found = re.search(rf'^[ \t]*{begin}\[{name}\]{end}\n(.*?)'
                      rf'^[ \t]*{begin}\[/{name}\]{end}$', f.text,
                      re.M | re.S)
    if not found:
        return (), f'{path} has no region [{region}]'
    return (textwrap.dedent(found[1]), found[1]), ''


def is_compiled(tree, f):
    """Returns true if the build file beside it, or one above, contains its
    name."""
    folder = f.folder
    while True:
        build = os.path.join(folder, 'meson.build')
        if build in tree.paths and re.search(
                rf'[\'/]{re.escape(f.stem)}(\.c(pp)?)?\'',
                tree.file(build).text):
            return True
        if not folder:
            return False
        folder = os.path.dirname(folder)
