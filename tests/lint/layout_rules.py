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
# The list of sources of the library that the tools compile too.
SHARING = 'tools/meson.build'
SHARED = re.compile(r'^shared_with_library = files\(([^)]*)\)', re.M)
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
            tree.report('name', f.path, 1, f'<{f.name}> is also a system '
                         'header')
    check_orphans(tree)
    check_listed(tree)
    check_outside(tree, seen)
    check_exceptions(tree)


def check_unique(tree, f, seen):
    if f.name in seen:
        tree.report('name', f.path, 1, f'{seen[f.name]} has the same name')
    seen.setdefault(f.name, f.path)


def check_tags(tree, f, seen):
    """Checks that each struct has a unique name."""
    for match in TAG.finditer(f.code):
        if match[1] in seen:
            tree.report('name', f.path, f.line_of(match.start()),
                         f'{match[1]} is also defined in {seen[match[1]]}')
        seen.setdefault(match[1], f.path)


def check_header(tree, f):
    """Checks that every .c has a .h beside it, unless its external functions
    are declared in public headers, of which it includes one first, or in
    another header of its folder."""
    beside = f'{f.folder}/{f.stem}.h'
    if beside in tree.paths:
        return
    first = INCLUDE.search(f.text)
    if not first or not first.group(2).startswith('varve/'):
        tree.report('header', f.path, 1, f'{beside} does not exist')
    declared = ''.join(h.text for h in tree.c_files(f.folder)
                       if h.suffix == '.h')
    for match in PRIVATE.finditer(f.text):
        if f'{match.group(1)}(' not in declared:
            tree.report('header', f.path, f.line_of(match.start()),
                         f'{match.group(1)} is not declared')


def check_shell(tree, f):
    """Checks that a header contains declarations."""
    if not FRAME.sub('', f.text).strip():
        tree.report('header', f.path, 1, 'declares nothing')


def check_test(tree, f):
    layer = f.path.split('/')[1]
    test = f'tests/unit/{layer}/test_{f.stem}.c'
    if test not in tree.paths:
        tree.report('mirror', f.path, 1, f'{test} does not exist')


def check_orphans(tree):
    """Checks that a unit test corresponds to a file of the library, or a
    header with code, or a part of one: test_merge_rounds.c tests
    merge_rounds.c, or rounds of merge.c. The subfolders of a layer share a
    folder of tests."""
    mirrored = {(f.path.split('/')[1], f.stem) for f in tree.c_files('lib')}
    for f in tree.c_files('tests/unit'):
        layer = f.path.split('/')[2]
        words = f.stem.removeprefix('test_').split('_')
        stem = '_'.join(words)
        if f.suffix == '.c' and not any(
                (layer, '_'.join(words[:i + 1])) in mirrored
                for i in range(len(words))):
            tree.report('mirror', f.path, 1,
                         f'lib/{layer}/{stem}.c does not exist')


def check_listed(tree):
    """Checks that each test is in a meson.build; otherwise it is never
    built."""
    listed = {os.path.normpath(os.path.join(f.folder, name))
              for f in tree.files if f.name == 'meson.build'
              for name in LISTED.findall(REMARK.sub('', f.text))}
    for f in tree.c_files('tests'):
        if f.stem.startswith('test_') and f.suffix != '.h' \
                and f.path not in listed:
            tree.report('listed', f.path, 1, 'no meson.build lists it')


def shared_headers(tree):
    """The headers of the sources that the tools share with the library."""
    found = set()
    for f in tree.files:
        if f.path == SHARING:
            for text in SHARED.findall(f.text):
                found.update(os.path.normpath(os.path.join(f.folder, name))
                             for name in re.findall(r"'([^']+)\.c'", text))
    return {path + '.h' for path in found}


def check_outside(tree, private):
    """Code on the public headers includes no private one, except the tools
    those of shared sources."""
    shared = shared_headers(tree)
    for folder in OUTSIDE:
        files = tree.c_files(folder)
        own = {f.name for f in files}
        for f in files:
            for match in INCLUDE.finditer(f.text):
                form, name = match.groups()
                path = os.path.normpath(os.path.join(f.folder, name))
                if form != '"' or folder == 'tools' and path in shared:
                    continue
                if path in private.values():
                    tree.report('public', f.path, f.line_of(match.start()),
                                 f'"{name}" is private')
                elif name in private and name not in own:
                    tree.report('public', f.path, f.line_of(match.start()),
                                 f'"{name}" is private: {private[name]}')
    check_shared(tree, shared)


def check_shared(tree, shared):
    """A source that the tools share includes no other file of the library."""
    for f in tree.c_files('lib'):
        if f.path[:-1] + 'h' not in shared:
            continue
        for match in INCLUDE.finditer(f.text):
            form, name = match.groups()
            if form == '"' and f'{f.folder}/{name}' not in shared:
                tree.report('public', f.path, f.line_of(match.start()),
                             f'"{name}" is not shared with the tools: '
                             f'see {SHARING}')


def check_exceptions(tree):
    """Checks that every exception has a reason and is needed. This check
    runs last."""
    for (rule, path), reason in tree.exceptions.items():
        if not reason:
            tree.report('exception', EXCEPTIONS, 1,
                         f'{rule} {path}: the reason is missing')
        if (rule, path) not in tree.excused:
            tree.report('exception', EXCEPTIONS, 1,
                         f'{rule} {path}: no longer needed')
