"""stage.py - lays out what Sphinx makes the site of: the pages of the project
as they are, the reference, and the order of navigation.txt.

Pages keep their folders, so that links among them hold. Pictures lie where they
lay. A link to a header leads to its page in the reference; one to another file,
or to a folder, to a page that shows it. What is linked from nowhere in the
navigation is taken in all the same, as a page beside it.

SPDX-License-Identifier: MIT
"""
import glob
import os
import re
import shutil

LINK = re.compile(r'(?P<head>!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()'
                  r'(?P<target>[^)\s]+)\)')
# What holds no links: blocks of code, and code in a line.
CODE = re.compile(r'^```[^\n]*\n.*?^```[ \t]*$|`+[^`\n]+`+', re.M | re.S)
# A public name by itself; not in what is indented, which is code.
NAME = re.compile(r'(?<![`{}])`((?:varve|VARVE)_\w+)`(?!`)')
FENCE = re.compile(r'^```[^\n]*\n.*?^```[ \t]*$|^    [^\n]*$', re.M | re.S)
LANGUAGES = {'.c': 'c', '.h': 'c', '.cpp': 'cpp', '.hpp': 'cpp', '.cu': 'cpp',
             '.py': 'python', '.sh': 'bash', '.json': 'json'}
NAVIGATION = 'navigation.txt'
# Pages beside the navigation; those that only show a file are not searched.
ORPHAN = '---\norphan: true\n---\n\n'
SHOWN = '---\norphan: true\nnosearch: true\n---\n\n'


def links(text):
    """Matches of LINK outside of code."""
    blank = CODE.sub(lambda m: re.sub(r'[^\n]', ' ', m.group()), text)
    return list(LINK.finditer(blank))


def tree(documents, *options):
    """What makes documents a part of the navigation."""
    return '\n'.join(['', '```{toctree}', ':hidden:', *options, '',
                      *documents, '```', ''])


class Stage:
    def __init__(self, source, folder, made, roles=None):
        """made: documents that are in `folder` already; roles: of each public
        name the role that leads to where it is described."""
        self.source = source
        self.folder = folder
        self.made = set(made)
        self.roles = roles or {}
        self.placed = {}  # of each file that is a page its document
        self.below = {}  # of a document those that stand below it
        self.waiting = []
        self.trouble = []

    # --- Navigation ---

    def navigation(self):
        """(caption, documents), as navigation.txt has them."""
        path = os.path.join(self.source, 'docs', 'site', NAVIGATION)
        with open(path, encoding='utf-8') as stream:
            lines = [line.rstrip() for line in stream
                     if line.strip() and not line.startswith('#')]
        named = {line.strip().partition(' = ')[0] for line in lines}
        parts = []
        for line in lines:
            entries = self.entry(line.strip(), named) if line.startswith(
                ' ') else []
            if not line.startswith(' '):
                parts.append((line, []))
            elif not line.startswith('    '):
                parts[-1][1].extend(entries)
            else:
                above = re.sub(r'.*<(.*)>', r'\1', parts[-1][1][-1])
                self.below.setdefault(above, []).extend(
                    entry.replace('<', '</') if '<' in entry else f'/{entry}'
                    for entry in entries)
        return parts

    def entry(self, entry, named):
        entry, _, title = entry.partition(' = ')
        if title:
            return [f'{title} <{document}>'
                    for document in self.entry(entry, named)]
        if entry in self.made:
            return [entry]
        if '*' not in entry:
            if not os.path.exists(os.path.join(self.source, entry)):
                self.trouble.append(f'docs/site/{NAVIGATION}: {entry} is not '
                                    'there')
                return []
            return [self.place(entry)]
        found = sorted(glob.glob(os.path.join(self.source, entry)))
        found = [os.path.relpath(path, self.source) for path in found]
        return [self.place(path) for path in found if path not in named]

    def place(self, path, is_aside=False):
        """Makes a page of a file, once; its document."""
        if path not in self.placed:
            suffix = os.path.splitext(path)[1]
            is_page = suffix == '.md'
            self.placed[path] = path[:-3] if is_page else f'source/{path}'
            self.waiting.append((path, is_aside))
        return self.placed[path]

    # --- Pages ---

    def lay_out(self):
        parts = self.navigation()
        while self.waiting:
            path, is_aside = self.waiting.pop()
            full = os.path.join(self.source, path)
            head = '' if not is_aside else ORPHAN if path.endswith(
                '.md') else SHOWN
            if path.endswith('.md'):
                with open(full, encoding='utf-8') as stream:
                    text = self.rewritten(path, stream.read())
            elif os.path.isdir(full):
                text = self.folder_page(path, full)
            else:
                text = self.file_page(path)
            document = self.placed[path]
            if document in self.below:
                text += tree(self.below[document])
            self.write(document, head + text)
        self.write_index(parts)

    def rewritten(self, path, text, place=None):
        """place: the folder of its page, if that is not its own."""
        place = os.path.dirname(path) if place is None else place
        text = self.with_names(text)
        for match in reversed(links(text)):
            begin, end = match.span('target')
            where = self.picture if match['head'].startswith('!') \
                else self.target
            text = text[:begin] + where(
                path, place, match['target'],
                text.count('\n', 0, match.start()) + 1) + text[end:]
        return text

    def with_names(self, text):
        """Public names lead to the reference."""
        taken = [match.span() for match in FENCE.finditer(text)]
        taken += [match.span() for match in LINK.finditer(text)]

        def role(match):
            if match[1] not in self.roles or any(
                    begin <= match.start() < end for begin, end in taken):
                return match.group()
            return f'{{c:{self.roles[match[1]]}}}{match.group()}'
        return NAME.sub(role, text)

    def target(self, path, place, target, line):
        """Where a link of a page leads in the site."""
        file, hash_, anchor = target.partition('#')
        if not file or re.match(r'[a-z]+:', file):
            return target
        aim = os.path.normpath(os.path.join(os.path.dirname(path), file))
        full = os.path.join(self.source, aim)
        if not os.path.exists(full):
            self.trouble.append(f'{path}:{line}: {target} is not there')
            return target
        document = self.document(aim, full)
        back = os.path.relpath(document, place)
        return back + hash_ + anchor

    def picture(self, path, place, target, line):
        """Where a picture of a page lies in the site."""
        aim = os.path.normpath(os.path.join(os.path.dirname(path), target))
        full = os.path.join(self.source, aim)
        if not os.path.exists(full):
            self.trouble.append(f'{path}:{line}: {target} is not there')
            return target
        there = os.path.join(self.folder, aim)
        os.makedirs(os.path.dirname(there), exist_ok=True)
        shutil.copy(full, there)
        return os.path.relpath(aim, place)

    def document(self, aim, full):
        """The document of a file or folder of the project, with its suffix."""
        name = 'reference/' + os.path.basename(aim).replace('.', '-')
        if aim.startswith('include/varve/') and name in self.made:
            return name + '.rst'
        if aim == 'include/varve':
            return 'reference/c.rst'
        if aim.startswith('tools/man'):
            return 'reference/command.md'
        if aim in ('docs', 'docs/site/index.md'):
            return 'index.md'
        readme = os.path.join(aim, 'README.md')
        if os.path.isdir(full) and os.path.exists(
                os.path.join(self.source, readme)):
            aim = readme
        return self.place(aim, is_aside=True) + '.md'

    def file_page(self, path):
        language = LANGUAGES.get(os.path.splitext(path)[1], 'text')
        with open(os.path.join(self.source, path), encoding='utf-8') as stream:
            text = stream.read().rstrip('\n')
        fence = '`' * (3 + max([2, *map(len, re.findall('`{3,}', text))]))
        return (f'# {os.path.basename(path)}\n\nThe file `{path}`.\n\n'
                f'{fence}{language}\n{text}\n{fence}\n')

    @staticmethod
    def folder_page(path, full):
        names = sorted(name + '/' * os.path.isdir(os.path.join(full, name))
                       for name in os.listdir(full)
                       if not name.startswith(('.', '__')))
        return (f'# {path}\n\nIn the folder `{path}`:\n\n'
                + ''.join(f'- `{name}`\n' for name in names))

    # --- Writing ---

    def write(self, document, text):
        path = os.path.join(self.folder, document + '.md')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(text)

    def write_index(self, parts):
        path = os.path.join('docs', 'site', 'index.md')
        with open(os.path.join(self.source, path), encoding='utf-8') as stream:
            text = self.rewritten(path, stream.read(), '')
        for caption, documents in parts:
            text += tree(documents, f':caption: {caption}')
        self.write('index', text)
