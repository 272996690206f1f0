"""name_rules.py - rules for names: public functions are shown somewhere, and
the words of the structs are in the dictionary.

SPDX-License-Identifier: MIT
"""
import re

PUBLIC = re.compile(r'VARVE_API\b[^;{]*?\b(varve_\w+)\s*\(')
WORD = re.compile(r'\bvarve_\w+')
# Where a reader would look for a function beside its header.
SHOWN_IN = ('docs', 'examples')
DICTIONARY = 'docs/concepts.md'
PLAIN = 'tests/lint/plain_words.txt'
CODE = re.compile(r'`[^`\n]*`')
TERM = re.compile(r'\*\*([^*]+)\*\*')
STRUCT = re.compile(r'^(?:typedef )?(?:struct|union) vv_(\w+)\s*\{', re.M)


def check(tree):
    check_shown(tree)
    if DICTIONARY in tree.paths:
        check_words(tree, terms(tree), plain_words(tree))


def check_shown(tree):
    """Each public function stands in an example or on a page."""
    shown = set()
    for f in tree.files:
        if f.within(*SHOWN_IN):
            shown.update(WORD.findall(f.text))
    for f in tree.c_files('include/varve'):
        for match in PUBLIC.finditer(f.code):
            if f.suffix == '.h' and match[1] not in shown:
                tree.offence('shown', f.path, f.line_of(match.start()),
                             f'{match[1]} is in no example and on no page')


def terms(tree):
    """The last words of what the dictionary defines, in bold, each once."""
    found = {}
    f = tree.file(DICTIONARY)
    text = CODE.sub(lambda m: ' ' * len(m.group()), f.text)
    for match in TERM.finditer(text):
        term = ' '.join(match[1].lower().split())
        line = f.line_of(match.start())
        if term in found:
            tree.offence('dictionary', f.path, line, f'"{term}" is defined in '
                         f'line {found[term]} already')
        found.setdefault(term, line)
    return {term.split()[-1] for term in found}


def plain_words(tree):
    """The words that need no definition, and the line of each."""
    if PLAIN not in tree.paths:
        return {}
    return {word: number
            for number, line in enumerate(tree.file(PLAIN).lines, 1)
            if not line.startswith('#') for word in line.split()}


def check_words(tree, defined, plain):
    """A struct is called by a word of the dictionary, by a plain one, or by
    what is done, as `reading`."""
    used = set()
    for f in tree.c_files('lib'):
        for match in STRUCT.finditer(f.code):
            word = match[1].rsplit('_', 1)[-1]
            known = [w for w in singulars(word) if w in defined or w in plain]
            used.update(known)
            if not known and not word.endswith('ing'):
                tree.offence('dictionary', f.path, f.line_of(match.start()),
                             f'"{word}", of vv_{match[1]}, is not in '
                             f'{DICTIONARY}')
    for word, number in plain.items():
        if word in defined or word not in used:
            tree.offence('dictionary', PLAIN, number, f'"{word}" is defined in '
                         f'{DICTIONARY}, or no struct is called so')


def singulars(word):
    """What a word may be the plural of, and itself."""
    return {word, re.sub('s$', '', word), re.sub('es$', '', word),
            re.sub('ies$', 'y', word)}
