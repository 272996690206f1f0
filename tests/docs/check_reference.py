#!/usr/bin/env python3
"""check_reference.py - Tests that the reference contains all public names.

    tests/docs/check_reference.py SOURCE

Compares the names that docs/site finds in the headers with those of the
compiler, and with a search for macros and export marks. Each function, type and
macro has a manual page, which mandoc or groff accepts. Headers with
undocumented names are refused, with file and line.

SPDX-License-Identifier: MIT
"""
import ast
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

# The text of a header, and the lines in it that lack a comment.
BROKEN = [
    ('VARVE_API int varve_a(void);\n', [1]),
    ('/* It. */\n\nVARVE_API int varve_a(void);\n', [3]),
    ('/* It. */\nVARVE_API int varve_a(void);\n\nint varve_b(void);\n', [4]),
    ('/* It. */\nVARVE_API int varve_a(void);\nint varve_b(void);\n', []),
    ('/* --- Words --- */\nVARVE_API int varve_a(void);\n', [2]),
    ('#define VARVE_ONE 1\n#define VARVE_TWO_ 2\n', [1]),
    ('#define VARVE_TWO_ 2\n', []),
    ('typedef enum varve_e {\n    VARVE_A, /* a */\n    VARVE_B\n} varve_e;\n',
     [1]),
    ('typedef enum varve_e {\n    VARVE_A, /* a */\n    VARVE_B /* b */\n} '
     'varve_e;\n', []),
    ('/* It. */\ntypedef enum varve_e {\n    VARVE_A\n} varve_e;\n', []),
    ('typedef struct varve_s {\n    int a;\n    int b; /* b */\n} varve_s;\n',
     [1]),
    ('typedef int varve_on(void *user);\n\n#define VARVE_X(a) \\\n    (a)\n',
     [1, 3]),
]
FRAME = '/* x.h - what.\n *\n * SPDX-License-Identifier: MIT\n */\n\n'
MACRO = re.compile(
    r'^#\s*define (?!\w+_H\b)((?:VARVE|varve)_\w*[^_\W])(?=\W|$)', re.M)
MARK = re.compile(r'^VARVE_API\b', re.M)
COMMENT = re.compile(r'/\*.*?\*/', re.S)


class Checks:
    def __init__(self):
        self.troubles = 0

    def equal(self, what, expected, found):
        for name in sorted(set(expected) - set(found)):
            self.fail(f'{what}: {name} is not in the reference')
        for name in sorted(set(found) - set(expected)):
            self.fail(f'{what}: {name} is not public')

    def fail(self, line):
        self.troubles += 1
        print(f'reference: {line}')


def public_names(source):
    """Compares the functions, types and enumerators with those the compiler
    finds."""
    sys.path.insert(0, os.path.join(source, 'python'))
    from declarations import declarations
    lines = declarations(['-I' + os.path.join(source, 'include')])
    functions, types, enumerators = set(), set(), set()
    for line in lines:
        head = line.partition('{')[0]
        if line.startswith('typedef enum'):
            enumerators.update(re.findall(r'\bVARVE_\w+', line))
        if head.startswith(('typedef', 'struct', 'enum')):
            types.add((re.search(r'(\w+)\(', head)
                       or re.search(r'(\w+) ?;?$', head))[1])
        else:
            functions.add(re.search(r'(\w+)\(', head)[1])
    named = {name for name in functions if not name.endswith('_')}
    return named, types, enumerators


def check_names(checks, source, found):
    everywhere = [each for header in found if header.name != 'mpi.h'
                  for each in header.declared()]
    functions, types, enumerators = public_names(source)
    checks.equal('functions', functions, [
        each.name for each in everywhere if each.kind == 'function'])
    checks.equal('types', types, [
        each.name for each in everywhere if each.is_type])
    checks.equal('constants', enumerators, [
        member.name for each in everywhere if each.kind == 'enum'
        for member in each.members])
    print(f'reference: {len(functions)} functions, {len(types)} types and '
          f'{len(enumerators)} enumerators, as found by the compiler')


def check_headers(checks, source, found):
    for header in found:
        path = os.path.join(source, 'include', 'varve', header.name)
        with open(path, encoding='utf-8') as stream:
            text = COMMENT.sub('', stream.read())
        checks.equal(f'macros of {header.name}', MACRO.findall(text), [
            each.name for each in header.declared()
            if each.kind in ('macro', 'constant')])
        marks = len(MARK.findall(text))
        functions = sum(each.kind == 'function' for each in header.declared())
        if marks != functions:
            checks.fail(f'{header.name}: {marks} functions are exported, '
                        f'{functions} found')


def check_broken(checks, headers):
    for text, expected in BROKEN:
        header = headers.read_text('x.h', FRAME + text)
        found = [int(line.split(':')[1]) - FRAME.count('\n')
                 for line in headers.undocumented([header])]
        if found != expected:
            checks.fail(f'lines {expected} must be reported, but lines {found} '
                        f'were, in:\n{text}')


def check_python(checks, source, python_pages):
    """Checks that every name of the package is documented and has a
    docstring."""
    lines, missing = python_pages.page(source)
    for line in missing:
        checks.fail(line)
    public = [name for _, tree in python_pages.modules(source)
              for name in python_pages.public(tree) if not name.isupper()]
    described = re.findall(r'^\.\. py:(?:class|function):: (\w+)',
                           '\n'.join(lines), re.M)
    checks.equal('the package for Python', public, described)
    broken = ast.parse("__all__ = ['f']\n\ndef f():\n    pass\n")
    found = python_pages.undocumented('x.py', broken)
    if found != ['x.py:3: f is public and has no docstring']:
        checks.fail(f'expected x.py:3 for a docstring that is not there, '
                    f'found {found}')
    print(f'reference: {len(described)} classes and functions of Python')


def lint_command():
    if shutil.which('mandoc'):
        return ['mandoc', '-Tlint', '-W', 'warning']
    if shutil.which('groff'):
        return ['groff', '-man', '-Tutf8', '-ww', '-z']
    return None


def lint(checks, pages):
    command = lint_command()
    if not command:
        print('reference: pages were not checked without mandoc or groff')
        return
    result = subprocess.run(command + pages, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False)
    for line in result.stdout.splitlines():
        if line.strip():
            checks.fail(line)
    print(f'reference: {command[0]} accepts {len(pages)} pages')


def check_manual(checks, source, found, man_pages):
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(place, 'man3')
        man_pages.write(source, found, folder)
        texts = {}
        for path in sorted(glob.glob(f'{folder}/*.3')):
            with open(path, encoding='utf-8') as stream:
                texts[os.path.basename(path)] = stream.read()
        lower = [name.lower() for name in texts]
        for each in (each for header in found for each in header.declared()):
            name, text = f'{each.name}.3', texts.get(f'{each.name}.3', '')
            if name not in texts and name.lower() in lower:
                continue  # it has an equivalent in lower case
            if text.startswith('.so man3/'):
                text = texts.get(text[9:].strip(), '')
            if each.name not in text.partition('.SH SYNOPSIS')[0]:
                checks.fail(f'{name}: expected a page with this name, found '
                            f'{"another" if text else "none"}')
        if len(set(lower)) < len(lower):
            checks.fail('two pages whose names differ in capitals only')
        if '\\fBvarve_add_variable\\fR(3)' not in texts[
                'varve_add_detached_variable.3']:
            checks.fail('varve_add_detached_variable.3: the same as what?')
        lint(checks, [os.path.join(folder, name) for name, text in
                      texts.items() if not text.startswith('.so')])


def table(path):
    """Returns the cells of each row of the tables in a page."""
    with open(path, encoding='utf-8') as stream:
        return [[cell.strip() for cell in re.split(r'(?<!\\)\|', line)[1:-1]]
                for line in stream if line.startswith('|')]


def check_statuses(checks, source, found):
    """Checks that docs/statuses.md contains each status of error.h and an
    action for it."""
    statuses = next(each for header in found for each in header.declared()
                    if each.name == 'varve_status').members
    expected = [(each.text.partition('= ')[2], f'`{each.name}`',
                 ' '.join(each.comment.split())) for each in statuses[1:]]
    rows = table(os.path.join(source, 'docs', 'statuses.md'))[2:]
    checks.equal('docs/statuses.md', list(map(str, expected)),
                 [str(tuple(row[:3])) for row in rows])
    for row in rows:
        if not row[3]:
            checks.fail(f'docs/statuses.md: no action for {row[1]}')


def check_limits(checks, source, found):
    """Checks that docs/limits.md contains the numbers in the headers and each
    environment variable that the library reads."""
    path = os.path.join(source, 'docs', 'limits.md')
    with open(path, encoding='utf-8') as stream:
        text = stream.read()
    values = {each.name: each.value for header in found
              for each in header.declared() if each.kind == 'constant'}
    for row in table(path):
        for name in re.findall(r'`(VARVE_\w+)`', row[0]):
            if values.get(name) != row[1]:
                checks.fail(f'docs/limits.md: {name} is {row[1]}, expected '
                            f'{values.get(name)}')
    for path in glob.glob(f'{source}/lib/**/*.c', recursive=True) + glob.glob(
            f'{source}/tools/**/*.c', recursive=True):
        with open(path, encoding='utf-8') as stream:
            for name in re.findall(r'\bgetenv\("(\w+)"\)', stream.read()):
                if f'| `{name}` |' not in text:
                    checks.fail(f'docs/limits.md: expected {name}, at which '
                                f'{path} looks')


def main(source):
    sys.path.insert(0, os.path.join(source, 'docs', 'site'))
    import headers
    import man_pages
    import python_pages
    checks = Checks()
    found = headers.read_all(os.path.join(source, 'include'))
    for line in headers.undocumented(found):
        checks.fail(f'include/varve/{line}')
    check_names(checks, source, found)
    check_headers(checks, source, found)
    check_broken(checks, headers)
    check_python(checks, source, python_pages)
    check_statuses(checks, source, found)
    check_limits(checks, source, found)
    check_manual(checks, source, found, man_pages)
    return 1 if checks.troubles else 0


sys.exit(main(*sys.argv[1:]))
