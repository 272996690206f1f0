#!/usr/bin/env python3
"""fields.py - Tests that only permitted files access the fields of a struct.

    tests/lint/fields.py SOURCE BUILD [FILE...]

Other folders may read the fields below a comment "to read" in a header, and
also set those below "to fill in"; "own" ends such a section.

Compiles each file of lib again with changed copies of the headers of other
folders. Private fields have another name there, and fields to read are const,
so the compiler reports each access. Passing on a pointer to a field and copying
a whole struct are not detected.

SPDX-License-Identifier: MIT
"""
from concurrent.futures import ThreadPoolExecutor
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

PART_OF = re.compile(r'libvarve_\w+\.a\.p/')
STRUCT = re.compile(r'^struct (\w+) \{\n(.*?)^\}', re.M | re.S)
# A comment, the end of nested fields, or a declaration with its end.
PART = re.compile(r'/\*.*?\*/|\{|[^;{}/]+;', re.S)
LEVEL = re.compile(r'/\* (own|to read|to fill in)\b.*\*/$', re.S)
POINTER = re.compile(r'\(\*(\w+)\)\(')
NAME = re.compile(r'(\w+)(?:\[[^\]]*\])*(?:\s*:\s*\w+)?\s*(?=[,;])')
# Ignored: copying a whole struct that has fields to read.
ERROR = re.compile(
    r'^([^:\n]+):(\d+):\d+: error: (?!.*read-only (?:variable|location))'
    r'(?!.*with (?:nested )?const-qualified data)(.*)', re.M)
# gcc also reports this for a struct member that is copied as a whole.
WHOLE = re.compile(r'read-only member .(\w+).')


def names_in(text):
    """Returns the spans of the names in a declaration."""
    pointer = POINTER.search(text)
    if pointer:
        return [pointer.span(1)]
    return [match.span(1) for match in NAME.finditer(text)]


def guarded(header, only):
    """Returns a header for other folders. Only the field `only` is const,
    or all if it is None."""
    changes = []
    for struct in STRUCT.finditer(header):
        level = 'own'
        for part in PART.finditer(struct[2]):
            mark = LEVEL.match(part[0])
            if mark:
                level = mark[1]
            if part[0].startswith('/*') or level == 'to fill in':
                continue
            at = struct.start(2) + part.start()
            for begin, end in names_in(part[0]):
                name = part[0][begin:end]
                # After a comma, "const" can only follow a "*".
                is_next = ',' in part[0][:begin] and part[0][begin - 1] != '*'
                is_const = not is_next and only in (None, name)
                changes.append((at + begin, at + end, name + '_own'
                                if level == 'own' else
                                'const ' * is_const + name))
    for begin, end, text in reversed(changes):
        header = header[:begin] + text + header[end:]
    return header


def folder_of(path, top):
    return os.path.relpath(os.path.dirname(path), top)


def copy_headers(top, copies, only):
    for folder, _, names in os.walk(top):
        for name in (n for n in names if n.endswith('.h')):
            path = os.path.join(folder, name)
            copy = os.path.join(copies, os.path.relpath(path, top))
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            with open(path, encoding='utf-8') as stream:
                text = guarded(stream.read(), only)
            with open(copy, 'w', encoding='utf-8') as stream:
                stream.write(text)


def command_of(entry, top, copies):
    """Compiles a file with the copies, except headers of its own folder."""
    own = folder_of(path_of(entry), top)
    flags = []
    for word in shlex.split(entry['command']):
        if word.startswith('-I'):
            path = os.path.normpath(os.path.join(entry['directory'], word[2:]))
            inside = os.path.relpath(path, top)
            if not inside.startswith('..') and inside != own:
                path = os.path.join(copies, inside)
            flags.append('-I' + path)
        elif word.startswith(('-D', '-std')):
            flags.append(word)
    return [*compiler_of(entry), '-fsyntax-only', '-w', *flags, path_of(entry)]


def compiler_of(entry):
    name = next(word for word in shlex.split(entry['command'])
                if 'ccache' not in word)
    return [name, '-ferror-limit=0'] if 'clang' in name else [name]


def path_of(entry):
    return os.path.normpath(os.path.join(entry['directory'], entry['file']))


def errors_of(entries, top, only=None):
    """Returns errors in these files as path, line, message, by file."""
    with tempfile.TemporaryDirectory() as copies:
        copy_headers(top, copies, only)

        def compile_one(entry):
            return subprocess.run(
                command_of(entry, top, copies), cwd=entry['directory'],
                env={**os.environ, 'LC_ALL': 'C'}, capture_output=True,
                text=True, check=False).stderr

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            texts = list(pool.map(compile_one, entries))
    # A copy contains fields that inline functions of its header access.
    return {error: entry for entry, text in zip(entries, texts)
            for error in ERROR.findall(text) if not error[0].startswith(copies)}


def complaints_of(entries, top):
    found = errors_of(entries, top)
    for error in list(found):
        name = WHOLE.search(error[2])
        if name and error not in errors_of([found[error]], top, name[1]):
            del found[error]
    return [f'{os.path.relpath(path, os.path.dirname(top))}:{line}: field: '
            + message.split('; did you mean')[0]
            for path, line, message in
            sorted(found, key=lambda error: (error[0], int(error[1])))]


GOOD = '''struct s {
    int a, b[2];
    /* to read */
    int c;
    union { int d, *p, *q, *r; };
    struct { int e; } f;
    /* to fill in: what stands below */
    void (*g)(int a);
    /* own */
    int h : 1;
};
struct t {
    /* to fill in */
    struct s s;
    /* to read */
    struct s r;
};
static inline int peek(struct s *s) { return s->a + s->h++; }
'''
# Permitted and forbidden accesses of other folders.
MAY = ['s->c', 's->d', '*s->p = *s->r', 's->f.e', 's->g = 0', 's->g', 'peek(s)',
       '*s = *s', '(*s = (struct s){ 0 }).c', 't->s = *s']
MAY_NOT = ['s->a', 's->b[0]', 's->h', 's->a = 1', 's->c = 1', 's->c++',
           's->d = 1', 's->f.e = 1', 's->p = 0', 's->q = 0', 's->r++',
           '(struct s){ .a = 1 }.c', '&s->h', 'sizeof s->b', 't->r = *s']


def check_itself(command):
    """Tests that every kind of access to a field is detected, and nothing
    else."""
    with tempfile.TemporaryDirectory() as root:
        top = os.path.join(root, 'lib')
        for folder in 'low', 'high':
            os.makedirs(os.path.join(top, folder))
        with open(os.path.join(top, 'low', 's.h'), 'w',
                  encoding='utf-8') as stream:
            stream.write(GOOD)
        for folder, code, is_wrong in [
                *(('low', code, False) for code in MAY + MAY_NOT[:4]),
                *(('high', code, False) for code in MAY),
                *(('high', code, True) for code in MAY_NOT)]:
            name = os.path.join(folder, 'file.c')
            with open(os.path.join(top, name), 'w',
                      encoding='utf-8') as stream:
                stream.write('#include "s.h"\n'
                             'void f(struct s *s, struct t *t)\n'
                             f'{{\n    (void)({code});\n}}\n')
            entry = {'directory': top, 'file': name,
                     'command': ' '.join([*command, '-Ilow -Ihigh'])}
            found = complaints_of([entry], top)
            if [c.split(': ')[0] for c in found] != \
                    [f'lib/{name}:4'] * is_wrong:
                sys.exit(f'fields: in {folder}, "{code}" leads to {found}')


def main(source, build, *files):
    with open(os.path.join(build, 'compile_commands.json'),
              encoding='utf-8') as stream:
        entries = json.load(stream)
    top = os.path.join(os.path.realpath(source), 'lib')
    entries = [e for e in entries if PART_OF.search(e['command'])]
    if not entries:
        sys.exit('fields: the compile database contains no file of lib')
    check_itself(compiler_of(entries[0]))
    if files and not any(name.endswith('.h') for name in files):
        paths = {os.path.realpath(name) for name in files}
        entries = [e for e in entries if path_of(e) in paths]
    complaints = complaints_of(entries, top)
    for complaint in complaints:
        print(complaint)
    print(f'fields: {len(entries)} files checked, {len(complaints)} forbidden '
          'accesses')
    return 1 if complaints else 0


sys.exit(main(*sys.argv[1:]))
