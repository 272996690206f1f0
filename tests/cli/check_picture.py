#!/usr/bin/env python3
"""check_picture.py - Checks the drawings of varve graph with independent code.

    check_picture.py tree SVG JSON      boxes do not overlap, lines do not
                                        cross boxes, text stays inside its box
                                        and the picture; the edges are those
                                        of the varve.graph/1 in JSON
    check_picture.py apart SVG          the same without the edges
    check_picture.py folded SVG JSON    a drawing without single slots: each
                                        value is drawn once, with its name if
                                        it has one; omitted ones are counted
    check_picture.py all SVG JSON       each node is drawn
    check_picture.py fits SVG W H       the picture is no larger
    check_picture.py mermaid JSON       standard input is well-formed and has
                                        the nodes of JSON without slots
    check_picture.py browser SVG...     in a browser, text stays in its box
                                        and does not overlap

SPDX-License-Identifier: MIT
"""
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree

NAMESPACE = '{http://www.w3.org/2000/svg}'
TEXT_SIZE = {'n': 12, 'm': 10, 'p': 10, 'q': 9, 'l': 11}


class Box:
    def __init__(self, group):
        rect = group.find(NAMESPACE + 'rect')
        self.kind = rect.get('class')
        self.left, self.top = float(rect.get('x')), float(rect.get('y'))
        self.right = self.left + float(rect.get('width'))
        self.bottom = self.top + float(rect.get('height'))
        self.title = group.find(NAMESPACE + 'title').text
        self.texts = group.findall(NAMESPACE + 'text')
        self.name = self.texts[0].text

    def __repr__(self):
        return (f'{self.name!r} ({self.title}) at {self.left:.1f},'
                f'{self.top:.1f} to {self.right:.1f},{self.bottom:.1f}')


def read(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    boxes = [Box(group) for group in root.findall(NAMESPACE + 'g')]
    lines = [(p.get('class'), p.get('d')) for p in
             root.findall(NAMESPACE + 'path')]
    # Skip the lines of the legend.
    lines = [(kind, d) for kind, d in lines if 'h20' not in d]
    return root, boxes, lines


def width_of(text):
    """Returns the width in a monospaced font; missing glyphs count the
    same."""
    size = TEXT_SIZE[text.get('class')]
    columns = sum(2 if unicodedata.east_asian_width(c) in 'WF' else 1
                  for c in text.text or '' if not unicodedata.combining(c))
    return columns * size * 0.602


def check_texts(boxes):
    for box in boxes:
        end = {}
        for text in sorted(box.texts, key=lambda t: float(t.get('x'))):
            x, y = float(text.get('x')), float(text.get('y'))
            right = x + width_of(text)
            assert box.left < x and right < box.right, \
                f'{text.text!r} exceeds {box}'
            assert box.top < y < box.bottom, f'{text.text!r} exceeds {box}'
            assert end.get(y, 0) < x, f'texts overlap: {box}'
            end[y] = right


def check_separately(boxes):
    """Sorted by their upper edges, so only neighbors are compared."""
    boxes = sorted(boxes, key=lambda box: box.top)
    for i, one in enumerate(boxes):
        for other in boxes[i + 1:]:
            if other.top >= one.bottom:
                break
            assert other.left >= one.right or other.right <= one.left, \
                f'{one} overlaps {other}'


def points_of(path):
    """Returns the points of each part of a path; a curve becomes twenty
    lines."""
    parts, numbers = [], []
    for letter, text in re.findall(r'([MLHVCQ])([^MLHVCQ]*)', path):
        numbers = [float(n) for n in re.findall(r'-?[0-9.]+', text)]
        if letter == 'M':
            parts.append([tuple(numbers[:2])])  # the next part is an arrowhead
            continue
        here = parts[-1][-1]
        if letter == 'H':
            parts[-1].append((numbers[0], here[1]))
        elif letter == 'V':
            parts[-1].append((here[0], numbers[0]))
        elif letter == 'L':
            parts[-1].append(tuple(numbers))
        else:
            points = [here] + list(zip(numbers[::2], numbers[1::2]))
            parts[-1] += [bezier(points, i / 20) for i in range(1, 21)]
    return parts


def bezier(points, at):
    while len(points) > 1:
        points = [((1 - at) * a[0] + at * b[0], (1 - at) * a[1] + at * b[1])
                  for a, b in zip(points, points[1:])]
    return points[0]


def meets(one, other, box, margin=0.3):
    """Returns true if a line between two points enters a box (Liang-Barsky
    clipping)."""
    begin, end = 0.0, 1.0
    sides = (box.left, box.right), (box.top, box.bottom)
    for axis, (low, high) in enumerate(sides):
        low, high = low + margin, high - margin
        step = other[axis] - one[axis]
        if abs(step) < 1e-9:
            if not low < one[axis] < high:
                return False
            continue
        near, far = sorted(((low - one[axis]) / step,
                            (high - one[axis]) / step))
        begin, end = max(begin, near), min(end, far)
    return begin < end


def check_lines(boxes, lines):
    for kind, path in lines:
        if kind.startswith('b'):
            continue
        for points in points_of(path):
            for one, other in zip(points, points[1:]):
                for box in boxes:
                    assert not meets(one, other, box), \
                        f'a line of {kind} from {one} to {other} runs ' \
                        f'through {box}'


def check_inside(root, boxes, lines):
    width, height = float(root.get('width')), float(root.get('height'))
    for box in boxes:
        assert 0 < box.left and box.right < width and 0 < box.top \
            and box.bottom < height, f'{box} exceeds the picture'
    for _, path in lines:
        for x, y in sum(points_of(path), []):
            assert 0 < x < width and 0 < y < height, \
                'a line exceeds the picture'


def reach(node, edges):
    found, waiting = set(), [node]
    while waiting:
        for child in edges.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found


def check_edges(graph, boxes, lines):
    """Checks the edges. The tree contains one edge to each node, as the
    picture shows; counts the remaining edges and those that close a cycle."""
    by_slot = {e['to'] for e in graph['edges'] if e['kind'] == 'slot'} \
        - {e['to'] for e in graph['edges'] if e['kind'] == 'edge'}
    edges = [e for e in graph['edges'] if e['kind'] == 'edge']
    children = {}
    for edge in edges:
        children.setdefault(edge['from'], []).append(edge['to'])
    reached = {node: reach(node, children) for node in children}
    paths = {item['id']: item['path'] for item in graph['items']}
    nodes = [box for box in boxes if box.kind.startswith('k')
             and not box.kind == 'k3']
    assert len(nodes) == len(paths) - len(by_slot), 'nodes are missing'
    ghosts = [box for box in boxes if box.kind == 'g']
    assert len(ghosts) == len(edges) - len(nodes) + 1, 'edges are missing'
    drawn = {kind: len([1 for k, _ in lines if k == kind])
             for kind in ('e', 'a1', 'a2')}
    slots = {e['from'] for e in graph['edges'] if e['kind'] == 'slot'}
    assert drawn['e'] == len(boxes) - 1, 'lines of the tree are missing'
    assert drawn['a1'] + drawn['a2'] == len(ghosts), 'links are missing'
    parents = {}
    for edge in edges:
        parents.setdefault(edge['to'], []).append(edge['from'])
    cyclic = sum(1 for e in edges if e['from'] in reached.get(e['to'], ())
                 or e['from'] == e['to'])
    tree = sum(1 for e in edges if is_tree(e, paths)
               and e['from'] in reached.get(e['to'], ()))
    assert drawn['a2'] == cyclic - tree, \
        f'{drawn["a2"]} edges close cycles, not {cyclic - tree}'
    pairs = {(e['from'], e['variable']) for e in graph['edges']
             if e['kind'] == 'slot'}
    heads = sum(path.count('M') for kind, path in lines if kind == 'b0')
    assert heads == len(pairs), f'{heads} lines of slots, not {len(pairs)}'
    assert len([b for b in boxes if b.kind == 'k3']) == len(slots), 'slots'


def is_tree(edge, paths):
    """Returns true if the edge is the one drawn in the tree: the path of its
    target extends that of its source. Names in these graphs have no
    escapes."""
    above = paths[edge['from']]
    return paths[edge['to']] == (above + '/' if above else '') + edge['name']


def check_places(svg):
    root, boxes, lines = read(svg)
    assert boxes, 'nothing is drawn'
    check_separately(boxes)
    check_texts(boxes)
    check_lines(boxes, lines)
    check_inside(root, boxes, lines)
    return boxes, lines


def check_tree(svg, graph):
    boxes, lines = check_places(svg)
    with open(graph, encoding='utf-8') as stream:
        check_edges(json.load(stream), boxes, lines)


VALUES = 'k1', 'k3', 'k4'


def escaped(name):
    return re.sub(r'[\0-\x1f\x7f/%*|()]', lambda c: f'%{ord(c[0]):02X}', name)


def node_at(path, edges):
    """Returns the node at a path of names; None for other paths, such as
    those of slots."""
    node = 0
    for name in path.split('/') if path != '/' else []:
        node = edges.get((node, name))
    return node


def check_folded(svg, graph):
    root, boxes, _ = read(svg)
    with open(graph, encoding='utf-8') as stream:
        graph = json.load(stream)
    edges = {(e['from'], escaped(str(e['name']))): e['to']
             for e in graph['edges'] if e['kind'] == 'edge'}
    nodes = [box for box in boxes if box.kind.startswith('k')]
    values = [box for box in nodes if box.kind in VALUES]
    saved = {item['id'] for item in graph['items'] if 'dtype' in item}
    assert len(values) == len(saved), \
        f'{len(values)} of {len(saved)} values are drawn'
    found = [node_at(box.title, edges) for box in values]
    found = [node for node in found if node is not None]
    assert len(set(found)) == len(found), 'a value is drawn twice'
    named = {to for (_, name), to in edges.items() if not name.isdigit()}
    for box in values:
        node = node_at(box.title, edges)
        assert node not in named or not box.title.split('/')[-1].isdigit(), \
            f'{box} must be drawn by its name'
    note = ''.join(text.text for text in root.findall(NAMESPACE + 'text')
                   if 'folded' in (text.text or ''))
    told = re.search(r'(\d+) objects? without', note)
    folded = len(graph['items']) - len(nodes)
    assert int(told[1] if told else 0) == folded, \
        f'the note about {folded} hidden ones is wrong: {note}'


def check_all(svg, graph):
    _, boxes, _ = read(svg)
    with open(graph, encoding='utf-8') as stream:
        items = json.load(stream)['items']
    nodes = [box for box in boxes if box.kind.startswith('k')]
    assert len(nodes) == len(items), f'{len(nodes)} of {len(items)} nodes'


def check_fits(svg, width, height):
    root, _, _ = read(svg)
    assert float(root.get('width')) <= float(width), root.get('width')
    assert float(root.get('height')) <= float(height), root.get('height')


def check_mermaid(path):
    with open(path, encoding='utf-8') as stream:
        graph = json.load(stream)
    lines = sys.stdin.read().splitlines()
    assert lines[0] == 'flowchart LR', lines[0]
    node = re.compile(r'  ([ns]\d+)\["[^"]*<br/>[^"]*"\]:::([a-z]+)')
    edge = re.compile(r'  ([ns]\d+) (?:-->|-\.->|==>\|"[^"]*"\|) ([ns]\d+)')
    known = set()
    classes = set()
    for line in lines[1:]:
        if line.startswith('  classDef '):
            classes.add(line.split()[1])
        elif found := node.fullmatch(line):
            known.add(found[1])
            assert found[2] in classes, line
            label = re.sub(r'#\d+;|<br/>', '', line[line.index('"'):-1])
            assert not set('<>#&;`\\') & set(label), line
        else:
            found = edge.fullmatch(line)
            assert found, f'unexpected line: {line}'
            assert {found[1], found[2]} <= known, line
    by_edge = {e['to'] for e in graph['edges'] if e['kind'] == 'edge'} | {0}
    assert known >= {f'n{id}' for id in by_edge}, 'nodes are missing'


SCRIPT = '''
const found = [];
for (const group of document.querySelectorAll('svg > g')) {
  const box = group.querySelector('rect').getBBox();
  const texts = [...group.querySelectorAll('text')].map(t => t.getBBox());
  for (const text of texts)
    if (text.width && (text.x < box.x ||
                       text.x + text.width > box.x + box.width))
      found.push('leaves its box: ' + group.textContent);
  if (texts[0].y + texts[0].height > texts[1].y + 4 &&
      texts[0].x + texts[0].width > texts[1].x)
    found.push('lies on another: ' + group.textContent);
}
for (const svg of document.querySelectorAll('svg')) {
  const items = [...svg.children].filter(c => c.tagName == 'text');
  for (let i = 0; i < items.length; i++) {
    const one = items[i].getBBox();
    if (one.x + one.width > svg.width.baseVal.value)
      found.push('leaves the picture: ' + items[i].textContent);
    for (const item of items.slice(i + 1)) {
      const other = item.getBBox();
      if (one.x < other.x + other.width && other.x < one.x + one.width &&
          one.y + 4 < other.y + other.height &&
          other.y + 4 < one.y + one.height)
        found.push('texts meet: ' + items[i].textContent + ' / ' +
          item.textContent);
    }
  }
}
document.title = found.length ? found.join(' -- ') :
  'looked at ' + document.querySelectorAll('svg > g').length;
'''


def check_browser(*paths):
    page = '<!doctype html><meta charset="utf-8"><title>none</title>'
    for path in paths:
        with open(path, encoding='utf-8') as stream:
            page += stream.read().partition('?>')[2]
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, 'page.html')
        with open(place, 'w', encoding='utf-8') as stream:
            stream.write(f'{page}<script>{SCRIPT}</script>')
        answer = subprocess.run(
            ['chromium', '--headless', '--no-sandbox', '--disable-gpu',
             f'--user-data-dir={folder}/profile', '--dump-dom',
             f'file://{place}'], capture_output=True, timeout=120,
            env=dict(os.environ, HOME=folder), check=False)
    title = re.search('<title>(.*?)</title>', answer.stdout.decode(), re.S)
    if not title:
        print('skipped: the browser does not start:',
              answer.stderr.decode()[-200:])
        return
    title = html.unescape(title[1])
    assert re.fullmatch('looked at [1-9][0-9]*', title), title


CHECKS = {'tree': check_tree, 'apart': check_places, 'folded': check_folded,
          'all': check_all, 'fits': check_fits,
          'mermaid': check_mermaid, 'browser': check_browser}

if __name__ == '__main__':
    CHECKS[sys.argv[1]](*sys.argv[2:])
