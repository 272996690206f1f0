"""layout_rules.py - Checks the places and names of files.

SPDX-License-Identifier: MIT
"""
import os
import re

from c_rules import INCLUDE, STANDARD, SYSTEM
from tree import EXCEPTIONS

# A function of the library that other files use.
PRIVATE = re.compile(r'^(?!static)\w[\w *]*\b(vv_\w+)\(', re.M)
TAG = re.compile(r'^(?:struct|union|enum) ((?:vv|varve)_\w+) \{', re.M)
# A test as named in meson.build, and text there that is not a name.
LISTED = re.compile(r"'((?:[^'\n]*/)?test_\w+\.\w+)'")
REMARK = re.compile(r'#.*')
# The parts of a header that are not declarations.
FRAME = re.compile(r'/\*(?s:.*?)\*/'
                   r'|^#(?:include .*|ifndef .*|endif|define \w+_H)$', re.M)
OUTSIDE = ('examples', 'tools', 'bench', 'tests/story')


def check(tree):
    seen, tags = {}, {}
    for f in tree.c_files('lib'):
        check_unique(tree, f, seen)
        check_tags(tree, f, tags)
        if f.suffix == '.h':
            check_shell(tree, f)
        if f.suffix == '.c':
            check_header(tree, f)
            check_test(tree, f)
        elif f.stem in STANDARD | SYSTEM:
            tree.offence('name', f.path, 1, f'<{f.name}> is a header of the '
                         'system')
    check_orphans(tree)
    check_listed(tree)
    check_outside(tree, seen)
    check_exceptions(tree)


def check_unique(tree, f, seen):
    if f.name in seen:
        tree.offence('name', f.path, 1, f'{seen[f.name]} has the same name')
    seen.setdefault(f.name, f.path)


def check_tags(tree, f, seen):
    """Each struct has a unique name."""
    for match in TAG.finditer(f.code):
        if match[1] in seen:
            tree.offence('name', f.path, f.line_of(match.start()),
                         f'{match[1]} is in {seen[match[1]]} too')
        seen.setdefault(match[1], f.path)


def check_header(tree, f):
    """Every .c has its .h beside it, unless its external functions are declared
    in public headers, of which it includes one first, or in another header of
    its folder."""
    beside = f'{f.folder}/{f.stem}.h'
    if beside in tree.paths:
        return
    first = INCLUDE.search(f.text)
    if not first or not first.group(2).startswith('varve/'):
        tree.offence('header', f.path, 1, f'there is no {beside}')
    declared = ''.join(h.text for h in tree.c_files(f.folder)
                       if h.suffix == '.h')
    for match in PRIVATE.finditer(f.text):
        if f'{match.group(1)}(' not in declared:
            tree.offence('header', f.path, f.line_of(match.start()),
                         f'{match.group(1)} is declared nowhere')


def check_shell(tree, f):
    """A header contains declarations."""
    if not FRAME.sub('', f.text).strip():
        tree.offence('header', f.path, 1, 'declares nothing')


def check_test(tree, f):
    layer = f.path.split('/')[1]
    test = f'tests/unit/{layer}/test_{f.stem}.c'
    if test not in tree.paths:
        tree.offence('mirror', f.path, 1, f'there is no {test}')


def check_orphans(tree):
    """A unit test mirrors a file of the library, or a header with code, or a
    part of one: test_merge_rounds.c tests merge_rounds.c, or rounds of merge.c.
    The subfolders of a layer share a folder of tests."""
    mirrored = {(f.path.split('/')[1], f.stem) for f in tree.c_files('lib')}
    for f in tree.c_files('tests/unit'):
        layer = f.path.split('/')[2]
        words = f.stem.removeprefix('test_').split('_')
        stem = '_'.join(words)
        if f.suffix == '.c' and not any(
                (layer, '_'.join(words[:i + 1])) in mirrored
                for i in range(len(words))):
            tree.offence('mirror', f.path, 1,
                         f'there is no lib/{layer}/{stem}.c')


def check_listed(tree):
    """A test that no meson.build names is never built."""
    listed = {os.path.normpath(os.path.join(f.folder, name))
              for f in tree.files if f.name == 'meson.build'
              for name in LISTED.findall(REMARK.sub('', f.text))}
    for f in tree.c_files('tests'):
        if f.stem.startswith('test_') and f.suffix != '.h' \
                and f.path not in listed:
            tree.offence('listed', f.path, 1, 'no meson.build has it')


def check_outside(tree, private):
    """Code on the public headers includes no private one."""
    for folder in OUTSIDE:
        files = tree.c_files(folder)
        own = {f.name for f in files}
        for f in files:
            for match in INCLUDE.finditer(f.text):
                form, name = match.groups()
                if form == '"' and name in private and name not in own:
                    tree.offence('public', f.path, f.line_of(match.start()),
                                 f'"{name}" is private: {private[name]}')


def check_exceptions(tree):
    """Every exception has a reason and is needed. This check runs last."""
    for (rule, path), reason in tree.exceptions.items():
        if not reason:
            tree.offence('exception', EXCEPTIONS, 1,
                         f'{rule} {path}: no reason is given')
        if (rule, path) not in tree.excused:
            tree.offence('exception', EXCEPTIONS, 1,
                         f'{rule} {path}: no longer needed')
