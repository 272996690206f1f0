#!/usr/bin/env python3
"""check_patches.py - Tests patches.py with patches to a small lib.

    tests/wrong/check_patches.py

SPDX-License-Identifier: MIT
"""
import os
import sys
import tempfile

import patches

THING = '''int f(int a)
{
    if (a)
        return 1;
    g(a);
    return 0;
}

int h(void)
{
    g(1);
    return 0;
}
'''.splitlines()


def patch(name, old, new, file='thing.c'):
    lines = [f'--- {file}', f'+++ {file}', '@@ somewhere',
             *(' ' + line if line in new else '-' + line for line in old)]
    at = 3
    for line in new:
        if line not in old:
            lines.insert(at, '+' + line)
        at += 1
    return name, lines


# Name, patches, and the expected messages: none if all apply.
CASES = [
    ('a line changed', [patch('one', ['    g(a);'], ['    VV_WRONG(one);'])],
     []),
    ('lines gone', [patch('one', ['    k(a);'], ['    VV_WRONG(one);'])],
     ['one.patch: expected these lines once in thing.c, found them 0 times:\n'
      '+    VV_WRONG(one);\n-    k(a);']),
    ('lines twice', [patch('one', ['    return 0;'], ['    VV_WRONG(one);'])],
     ['one.patch: expected these lines once in thing.c, found them 2 times']),
    ('no file', [patch('one', ['    g(a);'], ['VV_WRONG(one);'], 'gone.c')],
     ['one.patch: gone.c is not a source file of lib']),
    ('no choice', [patch('one', ['    g(a);'], ['    g(0);'])],
     ['one.patch: must contain only VV_WRONG(one), contains none']),
    ('another choice', [patch('one', ['    g(a);'], ['    VV_WRONG(two);'])],
     ['one.patch: must contain only VV_WRONG(one), contains two']),
    ('lines that touch',
     [patch('one', ['        return 1;'], ['    VV_WRONG(one);']),
      patch('two', ['    g(a);'], ['    VV_WRONG(two);'])], []),
    ('the same line',
     [patch('one', ['    g(a);'], ['    VV_WRONG(one);']),
      patch('two', ['    g(a);'], ['    VV_WRONG(two);'])],
     ['two.patch: changes line 5, as one.patch does']),
]


def write(root, path, lines):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    patches.write(full, lines)


def check_cases():
    for what, made, expected in CASES:
        with tempfile.TemporaryDirectory() as root:
            write(root, 'lib/layer/part/thing.c', THING)
            for name, lines in made:
                write(root, f'tests/wrong/mistakes/{name}.patch', lines)
            found = [text for _, text in patches.check(root)]
        if len(found) != len(expected) or not all(
                f.startswith(e) for f, e in zip(found, expected)):
            yield f'{what}: expected {expected}, found {found}'


def check_new(what, changed, *, has):
    """Checks that a new patch reproduces the change, with another patch in
    place."""
    text = patches.patch_text('thing.c', THING, changed)
    with tempfile.TemporaryDirectory() as root:
        write(root, 'one.patch', text)
        write(root, 'two.patch', patch('two', ['int h(void)'], ['// two'])[1])
        write(root, 'thing.c', THING)
        write(root, 'out/thing.c', [])
        patches.copy(os.path.join(root, 'out'), [
            os.path.join(root, n) for n in
            ('thing.c', 'one.patch', 'two.patch')])
        found = patches.read_lines(os.path.join(root, 'out', 'thing.c'))
    wanted = ['// two' if line == 'int h(void)' else line for line in changed]
    if found != wanted:
        yield f'{what}: expected {wanted}, found {found}'
    if has not in text:
        yield f'{what}: expected "{has}" in {text}'


def main():
    problems = [
        *check_cases(),
        *check_new('at a place of its own', THING[:4] + ['    x();']
                   + THING[4:], has='@@ int f(int a)'),
        *check_new('at one of two', THING[:-1] + ['    x();', '}'],
                   has='     g(1);'),
        *check_new('at both ends', ['x();'] + THING + ['y();'], has='+y();'),
    ]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
