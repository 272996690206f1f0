"""prose_rules.py - Checks the language of names, comments and pages.

- `coined`: a word that the project invented although the field has a term. The
  file coined_words.txt lists each with the term to use.
- `twice`: a function of lib has the name of a function in another file, which
  makes backtraces, profiles and searches ambiguous.
- `picture`: picture_texts.txt differs from the texts of the pictures.
- `opening-word` and `speaking`: more than 1 % of the sentences of the public
  headers, or of the pages, begin with "What", "Whether", "Where" or similar, or
  use verbs of speech for things ("says", "knows", "tells").

SPDX-License-Identifier: MIT
"""
import html
import os
import re

PICTURES = 'tests/lint/picture_texts.txt'
COINED = 'tests/lint/coined_words.txt'
FUNCTION = re.compile(r'^[a-z][^\n;={}#]*?\b(\w+)\(([^;{}]*)\)\n\{', re.M)
STRUCT = re.compile(r'^(?:typedef )?(?:struct|union|enum) vv_(\w+)\s*\{', re.M)
COMMENT = re.compile(r'/\*(.*?)\*/', re.S)
CODE = re.compile(r'`[^`\n]*`')
BEGINS = re.compile(r'(What|Whatever|Whoever|Whether|Where|Which|Of|How)\b')
SPEAKS = re.compile(r'\b(says|tells|minds|knows|asks|told)\b')
LARGEST_SHARE = 0.01


def check(tree):
    words = coined_words(tree)
    check_structs(tree, words)
    check_prose(tree, words)
    check_functions(tree)
    check_pictures(tree)


def coined_words(tree):
    """Returns each unwanted word and the term to use."""
    if COINED not in tree.paths:
        return {}
    return dict(line.split(': ', 1) for line in tree.file(COINED).lines
                if line and not line.startswith('#'))


def check_structs(tree, words):
    for f in tree.c_files('lib'):
        for match in STRUCT.finditer(f.code):
            for word in match[1].split('_'):
                term = words.get(word) or words.get('vv_' + word)
                if term:
                    tree.report('coined', f.path, f.line_of(match.start()),
                                 f'"{word}", of vv_{match[1]}: {term}')


def check_functions(tree):
    """Checks that no two functions of different files have the same name."""
    first = {}
    for f in tree.c_files('lib'):
        for match in FUNCTION.finditer(f.code):
            name = match[1]
            if name.isupper() or name.startswith('VV_'):
                continue
            other = first.setdefault(name, f)
            if other.stem != f.stem:  # the header has what a build leaves out
                tree.report('twice', f.path, f.line_of(match.start()),
                             f'{name} is also in {other.path}')


def check_prose(tree, words):
    """Checks the sentences of the headers, and those of the pages."""
    prose = [re.escape(w) for w in words if not w.startswith('vv_')]
    unwanted = re.compile(rf'\b({"|".join(prose)})\b') if prose else None
    groups = {'headers': [f for f in tree.c_files('include')],
              'pages': [f for f in tree.files if f.suffix == '.md' and
                        (f.within('docs') or f.path == 'README.md')]}
    for files in groups.values():
        sentences = [(f, line, text) for f in files
                     for line, text in sentences_of(f)]
        share(tree, 'opening-word', sentences,
              lambda s: BEGINS.match(s) and not s.endswith('?'))
        share(tree, 'speaking', sentences, SPEAKS.search)
        for f, line, text in sentences:
            found = unwanted and unwanted.search(CODE.sub('', text))
            if found:
                tree.report('coined', f.path, line,
                             f'"{found[1]}": {words[found[1]]}')


def share(tree, rule, sentences, is_odd):
    odd = [s for s in sentences if is_odd(s[2])]
    if len(odd) <= LARGEST_SHARE * len(sentences):
        return
    for f, line, text in odd:
        tree.report(rule, f.path, line, text[:60])


def sentences_of(f):
    """Yields each sentence of at least four words, and its line."""
    for line, words in paragraphs(f):
        for one in re.split(r'(?<=[.:?!])\s+(?=[A-Z`*\[])', words):
            if len(one.split()) >= 4:
                yield line, one.strip()


def paragraphs(f):
    if f.suffix != '.md':
        for match in COMMENT.finditer(f.text):
            words = re.sub(r'\n\s*\*? ?', ' ', match[1]).strip()
            if not words.startswith('---'):
                yield f.line_of(match.start()), words
        return
    text = re.sub(r'```.*?```|<!--.*?-->',
                  lambda m: '\n' * m[0].count('\n'), f.text, flags=re.S)
    line = 1
    for block in re.split(r'(\n\s*\n)', text):
        if block.strip() and not block.startswith(('#', '    ')):
            for row in rows_of(block):
                yield line, row
        line += block.count('\n')


def rows_of(block):
    """Returns the rows of a table, each as a sentence; or the block as a
    paragraph."""
    rows = []
    for line in block.split('\n'):
        if line.startswith('|'):
            cells = [c.strip() for c in re.split(r'(?<!\\)\|', line)]
            rows.append(' | '.join(
                c for c in cells if c and not re.fullmatch('[-: ]+', c)))
    return rows or [' '.join(block.split())]


def check_pictures(tree):
    """Checks that the list contains the texts of all pictures, so that each
    change is reviewed."""
    folder = os.path.join(tree.root, 'docs')
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith('.svg'):
            with open(os.path.join(folder, name), encoding='utf-8') as stream:
                found += [f'docs/{name}: {html.unescape(text)}' for text in
                          re.findall(r'<text[^>]*>([^<]*)', stream.read())]
    listed = tree.file(PICTURES).lines if PICTURES in tree.paths else []
    for line in set(found) ^ set(listed):
        tree.report('picture', PICTURES, 1,
                     f'check the picture, then list its text: {line}')
