"""tree.py - Reads the files of the project once, for the rules of lint.py.

SPDX-License-Identifier: MIT
"""
import os
import re

C_SUFFIXES = ('.c', '.h', '.cpp', '.hpp', '.cu')
SUFFIXES = C_SUFFIXES + ('.md', '.py', '.sh', '.build', '.txt', '.yml')
NAMES = ('run', '.editorconfig', '.gitignore', '.clang-format')
EXCEPTIONS = 'tests/lint/exceptions.txt'
PASSED_OVER = ('.git', '__pycache__', 'subprojects')
TOKENS = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


class File:
    """A text file. `code` is C or C++ with comments and strings blanked."""

    def __init__(self, root, path):
        self.path = path
        self.name = os.path.basename(path)
        self.stem, self.suffix = os.path.splitext(self.name)
        self.folder = os.path.dirname(path)
        with open(os.path.join(root, path), encoding='utf-8') as stream:
            self.text = stream.read()
        self.lines = self.text.split('\n')
        if self.text.endswith('\n'):
            self.lines.pop()
        self.is_c = self.suffix in C_SUFFIXES
        self.line_comments = []
        self.code = TOKENS.sub(self._blank, self.text) if self.is_c else ''

    def _blank(self, match):
        token = match.group()
        if token.startswith('//'):
            self.line_comments.append(self.line_of(match.start()))
        return re.sub(r'[^\n]', ' ', token)

    def line_of(self, position):
        return self.text.count('\n', 0, position) + 1

    def within(self, *folders):
        return any(self.path.startswith(folder + '/') for folder in folders)


class Tree:
    """All text files below the root, and the violations found."""

    def __init__(self, root):
        self.root = root
        self.violations = []
        self.warnings = []
        paths = sorted(_paths(root))
        self.files = [File(root, path) for path in paths]
        self.paths = set(paths)
        self.exceptions = self._read_exceptions()
        self.excused = set()

    def _read_exceptions(self):
        found = {}
        lines = self.file(EXCEPTIONS).lines if EXCEPTIONS in self.paths else []
        for line in lines:
            if line and not line.startswith('#'):
                rule, name, reason = (line.split(None, 2) + ['', ''])[:3]
                found[rule, name] = reason
        return found

    def file(self, path):
        return next(f for f in self.files if f.path == path)

    def c_files(self, *folders):
        return [f for f in self.files
                if f.is_c and (not folders or f.within(*folders))]

    def report(self, rule, path, line, text):
        if (rule, path) in self.exceptions:
            self.excused.add((rule, path))
            return
        self.violations.append(f'{path}:{line}: {rule}: {text}')

    def warning(self, rule, path, line, text):
        self.warnings.append(f'{path}:{line}: {rule}: warning: {text}')


def _paths(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders
                      if f not in PASSED_OVER and not _is_built(folder, f)
                      and (not f.startswith('.') or f == '.ci')]
        for name in names:
            if name.endswith(SUFFIXES) or name in NAMES:
                yield os.path.relpath(os.path.join(folder, name), root)


def _is_built(folder, name):
    """Returns true for build directories, by name or content, as in
    .gitignore."""
    return name.startswith('build') or os.path.isdir(
        os.path.join(folder, name, 'meson-private'))
