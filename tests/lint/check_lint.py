#!/usr/bin/env python3
"""check_lint.py - Violates every rule of lint.py once and expects a report.

    tests/lint/check_lint.py

Creates a small tree that follows all rules in a temporary directory. Each case
changes one file of it.

SPDX-License-Identifier: MIT
"""
import os
import subprocess
import sys
import tempfile

OPENING = '/* {} - for a test of the lint.\n *\n * SPDX-License-Identifier: ' \
    'MIT\n */\n'
SOURCE = 'lib/base/thing.c'
HEADER = 'lib/base/thing.h'
TEST = 'tests/unit/base/test_thing.c'
STORY = 'tests/story/test_story.c'
LIST = 'tests/meson.build'
PUBLIC = 'include/varve/thing.h'
EXAMPLE = 'examples/one.c'
CPP = 'examples/one.hpp'
PAGE = 'docs/page.md'
COINED = 'tests/lint/coined_words.txt'
EXCEPTIONS = 'tests/lint/exceptions.txt'


def c_file(path, text=''):
    return OPENING.format(os.path.basename(path)) + text


def function(lines):
    return 'int f(void)\n{\n' + '    g();\n' * (lines - 2) + '}\n'


def page(marker, code, language='c'):
    return ('# Page\n\n[one](#page)\n\n`varve_shown`\n\n'
            f'{marker}\n```{language}\n{code}```\n')


GOOD = {path: c_file(path) for path in (SOURCE, TEST, STORY, PUBLIC)}
GOOD[PUBLIC] += 'VARVE_API int varve_shown(\n    int);\n'
GOOD[HEADER] = c_file(HEADER, 'int vv_g(void);\n' + ''.join(
    f'struct vv_{name} {{\n    int a;\n}};\n'
    for name in ('things', 'one_item', 'doing')))
GOOD[COINED] = '# Words.\nodd: strange\n'
GOOD[SOURCE] += '#include "thing.h"\n#include <string.h>\n' + function(60)
GOOD[EXAMPLE] = c_file(
    EXAMPLE, '    /* [part] */\n    f();\n    /* [/part] */\n')
for path in 'python/tests/one.py', 'scripts/one.py':
    GOOD[path] = ('"""one.py - one. SPDX-License-Identifier: MIT"""\n'
                  '# [part]\nf()\n# [/part]\n')
GOOD['examples/one.sh'] = ('#!/bin/sh\n# one.sh - one.\n#\n'
                           '# SPDX-License-Identifier: MIT\n\nls\n')
GOOD['docs/shell.md'] = (page('<!-- from examples/one.sh as two.sh -->',
                              '#!/bin/sh\nls\n', 'sh')
                         + page('', '$ ls\n', 'console'))
GOOD['docs/python.md'] = page('<!-- from python/tests/one.py:part -->',
                              'f()\n', 'python')
GOOD['examples/meson.build'] = "executable('one', 'one.c')\n"
GOOD[LIST] = ("files('unit/base/test_thing.c', 'story/test_story.c', "
              "'story/test_twin.c') # 'story/test_lone.c'\n")
GOOD[PAGE] = page('<!-- from examples/one.c:part -->', 'f();\n')
GOOD[CPP] = c_file(CPP, 'namespace one\n{\n' + function(60) * 2 + '}\n')
GOOD[EXCEPTIONS] = ''
GOOD['README.md'] = '[one](docs/page.md)\n' * 10 + '\n' * 160

# The rule, the file, its text. Unwanted words are split, so that the lint does
# not find them here.
CASES = [
    ('line', SOURCE, c_file(SOURCE, 'int ' + 'x' * 76 + ';\n')),
    ('line', 'scripts/a.py', '"""a.py - a. SPDX-License-Identifier: MIT"""\n'
     + '#' * 81 + '\n'),
    ('space', SOURCE, c_file(SOURCE, 'int x; \n')),
    ('space', SOURCE, c_file(SOURCE, '\tint x;\n')),
    ('file', SOURCE, c_file(SOURCE, '\n' * 597)),
    ('file: warning', SOURCE, c_file(SOURCE, '\n' * 397)),
    ('file', PUBLIC, c_file(PUBLIC, '\n' * 397)),
    ('opening', SOURCE, 'int x;\n'),
    ('opening', SOURCE, OPENING.format('other.c')),
    ('opening', SOURCE, '/* thing.c - without a license. */\n'),
    ('opening', 'scripts/a.sh', '#!/bin/sh\necho\n'),
    ('function', SOURCE, c_file(SOURCE, function(61))),
    ('function', CPP, c_file(CPP, 'namespace one\n{\n' + function(61))),
    ('comment', CPP, c_file(CPP, 'int x; // a number\n')),
    ('comment', SOURCE, c_file(SOURCE, 'int x; // a number\n')),
    ('type', SOURCE, c_file(SOURCE, 'typedef struct thing thing_t;\n')),
    ('type', SOURCE, c_file(SOURCE, 'struct thing_t { int x; };\n')),
    ('type', SOURCE, c_file(SOURCE, 'typedef struct { int x; } thing_t;\n')),
    ('include', SOURCE, c_file(SOURCE, '#include <unistd.h>\n')),
    ('include', SOURCE, c_file(SOURCE, '#include <sys/stat.h>\n')),
    ('include', SOURCE, c_file(SOURCE, '#include "../os/file.h"\n')),
    ('include', SOURCE, c_file(SOURCE, '#include <cbor.h>\n')),
    ('include', 'lib/os/thing.c',
     c_file('lib/os/thing.c', '#include <zlib.h>\n')),
    ('include', SOURCE, c_file(SOURCE, '#define _GNU_SOURCE\n')),
    ('call', SOURCE, c_file(SOURCE, 'void f(void) { printf("x"); }\n')),
    ('call', SOURCE, c_file(SOURCE, 'void f(void) { abort(); }\n')),
    ('call', SOURCE, c_file(SOURCE, 'void f(void) { g(stderr); }\n')),
    ('name', 'lib/os/thing.h', c_file('thing.h')),
    ('name', HEADER, c_file(
        HEADER, 'struct vv_a {\n    int b;\n};\nenum vv_a { VV_A };\n')),
    ('name', 'lib/base/sched.h', c_file('sched.h')),
    ('header', 'lib/base/lone.c', c_file('lone.c')),
    ('header', 'lib/base/lone.c', c_file(
        'lone.c', '#include <varve/thing.h>\nint vv_lone(void)\n{\n}\n')),
    ('header', HEADER, c_file(HEADER, '#include <varve/thing.h>\n')),
    ('mirror', 'lib/base/lone.c', c_file('lone.c')),
    ('mirror', 'tests/unit/base/test_lone.c', c_file('test_lone.c')),
    ('listed', 'tests/story/test_lone.c', c_file('test_lone.c')),
    ('listed', 'tests/fault/test_twin.c', c_file('test_twin.c')),
    ('listed', 'tests/story/test_lone.cpp', c_file('test_lone.cpp')),
    ('public', STORY, c_file(STORY, '#include "thing.h"\n')),
    ('public', STORY, c_file(STORY, '#include "../../lib/base/thing.h"\n')),
    ('public', 'tools/one.c',
     c_file('one.c', '#include "../lib/base/thing.h"\n')),
    ('skip', TEST, c_file(TEST, 'void f(void) { cr_skip_test("x"); }\n')),
    ('word', SOURCE, c_file(SOURCE, '/* TO' 'DO: all */\n')),
    ('word', PAGE, 'See /ro' 'ot/notes.\n'),
    ('word', 'scripts/a.txt', 'https://py' 'pi.org/simple\n'),
    ('link', 'README.md', '[gone](docs/gone.md)\n'),
    ('link', 'README.md', '[gone](docs/page.md#gone)\n'),
    ('link', 'README.md', '![gone](gone.png)\n'),
    ('coined', HEADER, c_file(HEADER, 'struct vv_odd {\n    int a;\n};\n')),
    ('coined', PAGE, 'This is an odd sentence.\n'),
    ('coined', PUBLIC, c_file(
        PUBLIC, 'VARVE_API int varve_shown(void);\n'
        '/* Returns an odd one. */\n')),
    ('twice', 'lib/base/thing_two.c', c_file('thing_two.c', function(5))),
    ('opening-word', PAGE, 'What this page says is odd.\n'),
    ('picture', 'tests/lint/picture_texts.txt', 'docs/a.svg: a\n'),
    ('speaking', PAGE, 'The file says which version it is.\n'),
    ('shown', PUBLIC, c_file(PUBLIC, 'VARVE_API int varve_gone(void);\n')),
    ('readme', 'README.md', 'A line.\n' * 171),
    ('readme', 'README.md', '[one](docs/page.md)\n' * 11),
    ('block', PAGE, '```c\nf();\n```\n'),
    ('block', PAGE, '```cpp\nf();\n```\n'),
    ('block', PAGE, page('<!-- from examples/one.c:part -->', 'g();\n')),
    ('block', PAGE, page('<!-- from examples/one.c:gone -->', 'f();\n')),
    ('block', PAGE, page('<!-- from examples/gone.c -->', 'f();\n')),
    ('block', PAGE, page('<!-- from lib/base/thing.h -->', '')),
    ('block', PAGE, '<!-- from examples/one.c -->\nno code\n'),
    ('block', PAGE, '```python\nf()\n```\n'),
    ('block', PAGE, '```\nf()\n```\n'),
    ('block', PAGE, page('<!-- from examples/one.sh -->', 'rm\n', 'sh')),
    ('block', PAGE, page('<!-- from tests/lint/exceptions.txt -->', '',
                         'text')),
    ('block', PAGE, page('<!-- from python/tests/one.py:part -->', 'g()\n',
                         'python')),
    ('block', PAGE, page('<!-- from scripts/one.py:part -->', 'f()\n',
                         'python')),
    ('exception', EXCEPTIONS, f'header {SOURCE} why\n'),
    ('exception', EXCEPTIONS, f'header {SOURCE}\n'),
]


def lint(files, *options):
    """Returns status and output for a tree of these files, and the files
    afterwards."""
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, 'w', encoding='utf-8') as stream:
                stream.write(text)
        result = subprocess.run(
            [sys.executable, '-B', os.path.join(here, 'lint.py'), *options,
             root], capture_output=True, text=True, check=False)
        with open(os.path.join(root, PAGE), encoding='utf-8') as stream:
            return (result.returncode, result.stdout + result.stderr,
                    stream.read())


def complaints():
    status, output, _ = lint(GOOD)
    if status or '0 violations, 0 warnings' not in output:
        yield f'the correct tree is reported:\n{output}'
    for rule, path, text in CASES:
        status, output, _ = lint({**GOOD, path: text})
        expected = 0 if 'warning' in rule else 1
        if status != expected or f' {rule}: ' not in output \
                or f'{path}:' not in output:
            yield f'{rule} in {path} is not reported:\n{text}\n{output}'
    excused = {**GOOD, 'lib/base/lone.c': c_file('lone.c'), EXCEPTIONS:
               'header lib/base/lone.c why\nmirror lib/base/lone.c why\n'}
    status, output, _ = lint(excused)
    if status:
        yield f'exceptions are ignored:\n{output}'
    stale = page('<!-- from examples/one.c:part -->', 'g();\n')
    if lint({**GOOD, PAGE: stale}, '--write-docs')[2] != GOOD[PAGE]:
        yield '--write-docs does not update the code'


def main():
    found = list(complaints())
    for complaint in found:
        print(complaint)
    print(f'check_lint: {len(CASES)} cases, {len(found)} failures')
    return 1 if found else 0


sys.exit(main())
