#!/usr/bin/env python3
"""patches.py - Manages mutations, which are patches to files of lib.

    tests/wrong/patches.py make NAME        from the output of `git diff lib`
    tests/wrong/patches.py check SOURCE     checks that all patches apply
    tests/wrong/patches.py copy FOLDER PATCH... FILE...
    tests/wrong/patches.py names TABLE      lists the patches beside a table
    tests/wrong/patches.py files PATCH...   lists the files that they change

A patch is a diff without line numbers. It applies where the file, in any folder
of lib, contains the context lines exactly once. All patches are applied to one
copy. Each is located in the original file, so patches do not affect each other
unless they change the same line.

SPDX-License-Identifier: MIT
"""
import collections
import difflib
import glob
import os
import re
import subprocess
import sys

CHOICE = re.compile(r'\bVV_WRONG\((\w+)\)')

Hunk = collections.namedtuple('Hunk', 'name file lines')
Edit = collections.namedtuple('Edit', 'begin end name lines')


def name_of(path):
    return os.path.splitext(os.path.basename(path))[0]


def read_lines(path):
    with open(path, encoding='utf-8') as stream:
        return stream.read().splitlines()


def read_patch(path):
    """Returns the hunks of a patch. Text before the first file is a
    comment."""
    hunks = []
    file = None
    lines = read_lines(path)
    for i, line in enumerate(lines):
        if line.startswith('--- ') and lines[i + 1:i + 2] \
                and lines[i + 1].startswith('+++ '):
            file = None
        elif line.startswith('+++ ') and not file:
            file = os.path.basename(line.split()[1])
        elif file and line.startswith('@@'):
            hunks.append(Hunk(name_of(path), file, []))
        elif file and hunks and line[:1] in ('', ' ', '+', '-'):
            hunks[-1].lines.append((line[:1] or ' ', line[1:]))
    return hunks


def read_patches(paths):
    return [hunk for path in sorted(paths) for hunk in read_patch(path)]


# --- Copies -----------------------------------------------------------------

def places(part, lines):
    return [i for i in range(len(lines) - len(part) + 1)
            if part and lines[i:i + len(part)] == part]


def edits_of(hunk, at):
    """Returns the edits of a hunk whose lines begin at `at`."""
    edits = []
    for sign, line in hunk.lines:
        if sign != ' ' and (not edits or edits[-1].end != at):
            edits.append(Edit(at, at, hunk.name, []))
        if sign == '+':
            edits[-1].lines.append(line)
        elif sign == '-':
            edits[-1] = edits[-1]._replace(end=at + 1)
        at += sign != '+'
    return edits


def apply(hunks, lines):
    """Returns the lines with all hunks of a file, and the errors of the
    others."""
    edits, problems, applied = [], [], []
    for hunk in hunks:
        found = places([line for sign, line in hunk.lines if sign != '+'],
                       lines)
        if len(found) == 1:
            edits += edits_of(hunk, found[0])
            continue
        shown = '\n'.join(sign + line for sign, line in hunk.lines)
        problems.append(
            (hunk.name, f'{hunk.name}.patch: expected these lines once in '
             f'{hunk.file}, found them {len(found)} times:\n{shown}'))
    end, last = 0, ''
    for edit in sorted(edits):
        if edit.begin < end:
            problems.append((edit.name, f'{edit.name}.patch: changes line '
                             f'{edit.begin + 1}, as {last}.patch does'))
            continue
        applied += lines[end:edit.begin] + edit.lines
        end, last = edit.end, edit.name
    return applied + lines[end:], problems


def copy(folder, paths):
    """Skips patches that do not apply; a test reports them."""
    hunks = read_patches(p for p in paths if p.endswith('.patch'))
    for path in paths:
        if path.endswith('.patch'):
            continue
        name = os.path.basename(path)
        lines, _ = apply([h for h in hunks if h.file == name],
                         read_lines(path))
        write(os.path.join(folder, name), lines)


def write(path, lines):
    """Does not write an unchanged file, so that it is not compiled again."""
    if not os.path.exists(path) or read_lines(path) != lines:
        with open(path, 'w', encoding='utf-8') as stream:
            stream.writelines(line + '\n' for line in lines)


# --- Errors in patches -------------------------------------------------------

def folder_of(source):
    return os.path.join(source, 'tests', 'wrong', 'mistakes')


def names_in(source):
    return {name_of(p) for p in glob.glob(folder_of(source) + '/*.patch')}


def check(source):
    """Returns the errors of each patch by name."""
    of_file = collections.defaultdict(list)
    for path in sorted(glob.glob(folder_of(source) + '/*.patch')):
        hunks = read_patch(path)
        chosen = {name for hunk in hunks for sign, line in hunk.lines
                  if sign == '+' for name in CHOICE.findall(line)}
        if chosen != {name_of(path)}:
            yield (name_of(path), f'{name_of(path)}.patch: must contain only '
                   f'VV_WRONG({name_of(path)}), contains '
                   f'{", ".join(sorted(chosen)) or "none"}')
        for hunk in hunks:
            of_file[hunk.file].append(hunk)
    for file, hunks in of_file.items():
        found = glob.glob(f'{source}/lib/**/{file}', recursive=True)
        if len(found) == 1 and file.endswith('.c'):
            yield from apply(hunks, read_lines(found[0]))[1]
            continue
        for hunk in hunks:
            yield (hunk.name, f'{hunk.name}.patch: {file} is not a source file '
                   'of lib')


# --- A new patch ------------------------------------------------------------

def hunk_text(old, new, ops):
    text = []
    for kind, a, b, c, d in ops:
        if kind == 'equal':
            text += [' ' + line for line in old[a:b]]
        else:
            text += ['-' + line for line in old[a:b]]
            text += ['+' + line for line in new[c:d]]
    above = [line for line in old[:ops[0][1] + 1]
             if re.match(r'[A-Za-z]', line)]
    return [f'@@ {above[-1] if above else ""}'.rstrip(),
            *(line.rstrip() for line in text)]


def patch_text(file, old, new):
    """Returns a hunk with as many context lines as a unique position
    requires, at least one."""
    for around in range(1, len(old) + 2):
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        groups = list(matcher.get_grouped_opcodes(around))
        if all(len(places(old[g[0][1]:g[-1][2]], old)) == 1 for g in groups):
            break
    text = [f'--- {file}', f'+++ {file}']
    for group in groups:
        text += hunk_text(old, new, group)
    return text


def make(name):
    """Writes the difference of lib to the git index as a mutation."""
    def git(*arguments):
        return subprocess.run(['git', *arguments], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    root = git('rev-parse', '--show-toplevel').strip()
    os.chdir(root)
    text = []
    for path in git('diff', '--name-only', '--', 'lib').split():
        text += patch_text(os.path.basename(path),
                           git('show', f':{path}').splitlines(),
                           read_lines(path))
    if not text:
        return [f'{name}: lib has no uncommitted change']
    write(os.path.join(folder_of('.'), name + '.patch'), text)
    return []


def main(what, *arguments):
    problems = []
    if what == 'make':
        problems = make(*arguments)
    elif what == 'copy':
        copy(arguments[0], arguments[1:])
    elif what == 'names':
        os.chdir(os.path.dirname(os.path.abspath(arguments[0])))
        print(*sorted(glob.glob('mistakes/*.patch')), sep='\n')
    elif what == 'files':
        print(*sorted({h.file for h in read_patches(arguments)}), sep='\n')
    else:
        problems = [problem for _, problem in check(*arguments)]
    for problem in problems:
        print(f'wrong: {problem}', file=sys.stderr)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
