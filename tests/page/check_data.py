#!/usr/bin/env python3
"""check_data.py - Checks the data of pages without a browser: the graph equals
`varve graph --json`, names are text, notes of reports and of other programs
are included, and wrong input is rejected.

    check_data.py MAKE_PAGES VARVE

SPDX-License-Identifier: MIT
"""
import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(HERE, '..', 'fuzz', 'corpus')
FEW = 3000
NONE = [0, 0, 0]  # a note without text, nearest path and statistics
STEERS = re.compile('[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f'
                    '\u2028-\u202e\u2060-\u206f\ufeff\ufffd<>&]')
DOORS = ['src=', '@import', 'url(http', 'fetch(', 'XMLHttpRequest', 'WebSocket',
         'import(', 'eval(', 'innerHTML', 'insertAdjacentHTML',
         'document.write', 'new Function', 'unsafe']


def same(found, wanted, what):
    assert found == wanted, f'{what}: expected {wanted!r}, found {found!r}'


class Varve:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *arguments):
        return subprocess.run([self.program, 'graph', *arguments],
                              cwd=self.folder, capture_output=True, check=False)

    def page(self, file, *options):
        done = self.run('--html', *options, file)
        same((done.returncode, done.stderr), (0, b''), file)
        return done.stdout.decode()

    def data(self, file, *options):
        text = self.page(file, *options).split('id="data">')[1]
        return json.loads(text.split('</script>')[0])

    def notes(self, notes, *options):
        with open(f'{self.folder}/notes.json', 'w', encoding='utf-8') as file:
            file.write(notes if isinstance(notes, str) else json.dumps(notes))
        return self.run('--html', '--notes', 'notes.json', *options,
                        '-o', 'noted.html', 'saved.varve')


def check_graph(varve, file):
    """Checks that the columns contain the graph that is printed as JSON."""
    data = varve.data(file)
    graph = json.loads(varve.run('--json', '--slots', file).stdout)
    names, begin = data['names'], 0
    same(names, sorted(set(names), key=lambda n: n.encode()), 'names')
    same(len(data['kinds']), len(graph['items']), f'{file}: nodes')
    used = set()
    for key in ('edge_names', 'slot_names', 'tag_names', 'global_names'):
        used.update(data[key])
    same(used, set(range(len(names))), f'{file}: names that are used')
    edges = []
    for node, count in enumerate(data['edge_counts']):
        for k in range(begin, begin + count):
            edges.append((node, names[data['edge_names'][k]],
                          data['edge_children'][k]))
        begin += count
    wanted = [(e['from'], e['name'], e['to']) for e in graph['edges']
              if e['kind'] == 'edge']
    same(sorted(edges), sorted(wanted), f'{file}: edges')
    slots = zip(data['slot_owners'], data['slot_variables'],
                [names[n] for n in data['slot_names']], data['slot_nodes'])
    wanted = [(e['from'], e['variable'], e['name'], e['to'])
              for e in graph['edges'] if e['kind'] == 'slot']
    same(sorted(slots), sorted(wanted), f'{file}: slots')
    types = {i['id']: [data['dtypes'].index(i['dtype']), *i['shape']]
             for i in graph['items'] if 'dtype' in i}
    same(dict(zip(data['value_nodes'], data['types'])), types, f'{file}: types')


def check_policy(page):
    """Checks that the page permits only its own script and style, and no
    requests."""
    for tag in ('script', 'style'):
        text = page.split(f'<{tag}>')
        same(len(text), 2, f'number of {tag}')
        digest = hashlib.sha256(text[1].split(f'</{tag}>')[0].encode()).digest()
        assert f"'sha256-{base64.b64encode(digest).decode()}'" in page, tag
    assert "default-src 'none'; script-src 'sha256-" in page
    for door in DOORS:
        assert door not in page.split('id="data">')[0] + page.split(
            '</script>', 1)[1], door


def check_names(varve):
    """Checks that hostile names are stored as text."""
    text = varve.page('hostile.varve').split('id="data">')[1]
    text = text.split('</script>')[0]
    found = STEERS.search(text)
    assert not found, f'{found[0]!r} in the data of a page'
    names = json.loads(text)['names']
    for name in ('</script><script>bad()</script>', 'a\u202eb', '\u2028line',
                 'tab\there\x1b[31m', "'\"&amp;&lt;", '\U0001f98a'):
        assert name in names, name


def check_corpus(varve):
    """Checks hostile notes: they cannot end the data, which must be JSON."""
    count = 0
    for folder, _, files in os.walk(CORPUS):
        for file in sorted(files)[:40]:
            done = varve.run('--html', os.path.join(folder, file))
            assert 0 <= done.returncode <= 5, (file, done.returncode)
            if done.returncode:
                continue
            text = done.stdout.decode().split('id="data">')[1]
            text = text.split('</script>')[0]
            assert not STEERS.search(text), file
            json.loads(text)
            count += 1
    assert count > 10, count


def at(varve, path):
    """Returns the number of a node of saved.varve."""
    graph = json.loads(varve.run('--json', 'saved.varve').stdout)
    return next(n['id'] for n in graph['items'] if n['path'] == path)


def check_report(varve):
    """Checks that each finding is attached to its node or listed in a row."""
    data = varve.data('saved.varve', '--notes', 'report.json')
    notes = {note[0]: note[1:] for note in data['notes']}
    same([m[0] for m in data['marks']],
         ['arrived', 'waits', 'only in the file', 'only in the program',
          'does not fit', 'damaged', 'expected'], 'marks')
    same(notes[at(varve, 'model/table')], [1, *NONE], 'what arrived')
    same(notes[at(varve, 'model/head/bias')],
         [2, 'model of the program has no edge "head"', 'model/heads/bias', 0],
         'what waits')
    same(notes[at(varve, 'model/encoder/scale')],
         [7, 'only in the file; left out by the options', 0, 0], 'expected')
    same(notes[at(varve, 'model/encoder/bias')][0], 6, 'damaged')
    rows = {row[0]: row[1:] for row in data['rows']}
    same(rows['model/adapter/down'][:2], ['float32[5]', 4], 'a row')
    same(rows[0], [0, 0, 'this rename matched nothing: decoder/** -> '
                   'old_decoder/**', 0, 0], 'a remark')
    data = varve.data('saved.varve', '--notes', 'plan.json', '--title', 'T')
    same((data['marks'][0][0], data['title']), ('would arrive', 'T'), 'a plan')
    notes = {note[0]: note[1:] for note in data['notes']}
    same(notes[at(varve, 'model/table')],
         [5, 'type or shape differs; the program has float32[20]', 0, 0],
         'what does not fit')


def check_two(varve):
    """Checks that of two findings for a node the first is on the node and
    the other in a row."""
    node = at(varve, 'model/table')
    item = {'kind': 'matched', 'file_path': 'model/table', 'node': node,
            'bytes': 64}
    report = {'schema': 'varve.report/1', 'plan': False, 'items': [
        dict(item, path='second', dtype='float64', shape=[16], cast=True,
             inexact=3),
        dict(item, path='model/table', dtype='float32', shape=[16])]}
    same(varve.notes(report).returncode, 0, 'two findings')
    data = varve.data('saved.varve', '--notes', 'notes.json')
    same(data['notes'], [[node, 1, 'in the program: second; converted to '
                          'float64[16]; 3 elements were not kept exactly', 0,
                          0]], 'the first finding')
    same(data['rows'], [['model/table', 'float32[16]', 1, *NONE]],
         'the second finding')


def check_notes(varve):
    """Checks notes of another program with its own severities."""
    numbers = {'count': 6, 'zeros': 1, 'nans': 2, 'infinities': 3, 'least': -1,
               'most': 0.5, 'deviation': 2, 'bins': [1, 0, 5], 'low': -1,
               'high': 1}
    notes = {'schema': 'varve.notes/1', 'marks': [
        {'name': 'new', 'help': 'h', 'tone': 'new'}, {'name': 'plain'}],
        'items': [
            {'path': 'model/table', 'mark': 'new', 'text': '<b>',
             'nearest': 'old', 'statistics': numbers},
            {'path': 'model/none', 'mark': 'plain', 'dtype': 'int8',
             'shape': [2, 3]}, {'text': 'a remark'}]}
    same(varve.notes(notes).returncode, 0, 'notes')
    data = varve.data('saved.varve', '--notes', 'notes.json')
    same(data['marks'], [['new', 'h', 4], ['plain', 0, 0]], 'marks')
    same(data['notes'], [[at(varve, 'model/table'), 1, '<b>', 'old',
                          [6, 1, 2, 3, -1, 0.5, None, 2, -1, 1, [1, 0, 5]]]],
         'notes')
    same(data['rows'], [['model/none', 'int8[2,3]', 2, *NONE],
                        [0, 0, 0, 'a remark', 0, 0]], 'rows')


def check_refused(varve):
    """Checks that an existing file is kept."""
    with open(f'{varve.folder}/noted.html', 'rb') as file:
        before = file.read()
    report = {'schema': 'varve.report/1', 'plan': False}
    notes = {'schema': 'varve.notes/1'}
    item = {'kind': 'matched', 'file_path': 'x', 'node': 1}
    for what, words in (
            ('{', 'notes.json:1: '),
            ('[]', 'expected the schema varve.report/1 or varve.notes/1'),
            ({'schema': 'varve.ls/1'}, 'found varve.ls/1'),
            (report, 'expected an array of items'),
            (notes, 'expected an array of items'),
            (dict(report, items=[{}]), 'kind'),
            (dict(report, items=[{'kind': 'x'}]), 'a kind of finding, found x'),
            (dict(report, items=[dict(item, node=999)]),
             'belongs to another file'),
            (dict(report, items=[dict(item, node=-2)]),
             'belongs to another file'),
            (dict(report, items=[dict(item, node=3, bytes=13)]),
             'belongs to another file: see node 3'),
            (dict(report, items=[dict(item, shape=[1])]), 'dtype and shape'),
            (dict(notes, items=[{'mark': 'x'}]), 'unknown mark x'),
            (dict(notes, items=[{'path': 3}]), 'Expected string'),
            (dict(notes, items=[{'dtype': 'float33', 'shape': []}]), 'dtype'),
            (dict(notes, items=[{'dtype': 'int8', 'shape': [-1]}]), 'shape'),
            (dict(notes, items=[{'statistics': {'nans': -1}}]), 'counts'),
            (dict(notes, items=[{'statistics': {'bins': [-1]}}]), 'counts'),
            (dict(notes, marks=[{'name': 'a', 'tone': 'x'}], items=[]),
             'a tone, found x'),
            (dict(notes, marks=33 * [{'name': 'a'}], items=[]), 'up to 32')):
        done = varve.notes(what)
        same(done.returncode, 4, words)
        assert words in done.stderr.decode(), (words, done.stderr)
    done = varve.run('--html', '--notes', 'none.json', 'saved.varve')
    same(done.returncode, 3, 'no such file')
    for options in (['--notes', 'report.json'],
                    ['--html', '--statistics', '--notes', 'report.json']):
        same(varve.run(*options, 'saved.varve').returncode, 2, options)
    with open(f'{varve.folder}/noted.html', 'rb') as file:
        same(file.read(), before, 'the older page')


def main(arguments):
    maker, program = map(os.path.abspath, arguments)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([maker, folder, str(FEW)], check=True)
        varve = Varve(program, folder)
        for file in ('small', 'gan', 'many', 'saved'):
            check_graph(varve, f'{file}.varve')
        check_policy(varve.page('small.varve'))
        for check in (check_names, check_corpus, check_report, check_two,
                      check_notes, check_refused):
            check(varve)
    print('page data: passed')


main(sys.argv[1:])
