"""generate.py - Generates random programs in the language of README.md.

SPDX-License-Identifier: MIT
"""
import copy
import random

NAMES = 'abcdef'
KINDS = ('variable',) * 9 + ('object',) * 4 + ('list', 'dict', 'dict') + (
    'owner',) * 3


class Shape:
    """The structure of a graph: kinds and sizes by node, children by node and
    name, slots by owner, variable and name."""

    def __init__(self):
        self.kinds = {'root': 'object'}
        self.sizes = {}
        self.edges = {'root': {}}
        self.slots = {}

    def add(self, node, kind, size=1):
        self.kinds[node] = kind
        self.sizes[node] = size
        self.edges[node] = {}

    def of(self, *kinds):
        return [n for n, k in self.kinds.items() if k in kinds]

    def parents(self):
        return [n for n, k in self.kinds.items() if k != 'variable']

    def all_edges(self):
        return [(p, n, c) for p, e in self.edges.items() for n, c in e.items()]

    def reached(self, start='root'):
        seen, queue = {start}, [start]
        for node in queue:
            for child in self.edges[node].values():
                if child not in seen:
                    seen.add(child)
                    queue.append(child)
        return seen

    def may_lead(self, parent, child):
        """Python cannot compare a list that contains itself."""
        return (self.kinds[child] in ('object', 'owner')
                or parent not in self.reached(child))

    def prune(self):
        reached = self.reached()
        for node in set(self.kinds) - reached:
            del self.kinds[node], self.edges[node]
        self.slots = {key: s for key, s in self.slots.items()
                      if key[0] in reached and key[1] in reached}


class Writer:
    """Writes one text of several programs."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.count = 0
        self.files = []
        by_number = self.random.random() < .3
        self.verbs = ('save', 'restore') if by_number else ('write', 'read')

    def chance(self, share):
        return self.random.random() < share

    def pick(self, of):
        return self.random.choice(list(of))

    def name(self, letter):
        self.count += 1
        return f'{letter}{self.count}'

    def emit(self, *words):
        self.lines.append(' '.join(str(w) for w in words))

    # --- What a graph shall look like

    def edge_name(self, shape, parent, kind):
        """Variables usually have other names than objects, as in real
        programs."""
        if shape.kinds[parent] == 'list':
            return str(len(shape.edges[parent]))
        if self.chance(.1):
            return self.pick(NAMES)
        return self.pick(NAMES[:3] if kind == 'variable' else NAMES[3:])

    def first_shape(self):
        shape = Shape()
        for _ in range(self.random.randint(2, 9)):
            node, kind = self.name('n'), self.pick(KINDS)
            parent = self.pick(shape.parents())
            name = self.edge_name(shape, parent, kind)
            if name not in shape.edges[parent]:
                shape.add(node, kind, self.pick((1, 2, 2, 3)))
                shape.edges[parent][name] = node
        for _ in range(self.random.randint(0, 3)):
            parent, child = self.pick(shape.parents()), self.pick(shape.kinds)
            name = self.edge_name(shape, parent, shape.kinds[child])
            if (name not in shape.edges[parent]
                    and shape.may_lead(parent, child)):
                shape.edges[parent][name] = child
        self.add_slots(shape, .4)
        return shape

    def add_slots(self, shape, share):
        for owner in shape.of('owner'):
            for variable in shape.of('variable'):
                if self.chance(share):
                    shape.slots[owner, variable, self.pick('mv')] = (
                        self.name('s'))

    def change(self, shape):
        """Makes one change, like a program that is edited between two runs."""
        if not shape.all_edges():
            return
        parent, name, child = self.pick(shape.all_edges())
        how = self.pick(('drop', 'drop', 'rename', 'rename', 'split', 'split',
                         'merge', 'merge', 'size', 'retype'))
        in_list = shape.kinds[parent] == 'list'
        if how == 'drop' and not (
                in_list and int(name) < len(shape.edges[parent]) - 1):
            del shape.edges[parent][name]
        elif how == 'rename' and not in_list:
            shape.edges[parent][self.pick('ghij')] = (
                shape.edges[parent].pop(name))
        elif how == 'retype' and child != 'root':
            self.retype(shape, child)
        elif how == 'size' and shape.kinds[child] == 'variable':
            shape.sizes[child] = self.pick((1, 2, 3))
        elif how == 'split' and child != 'root':
            node = self.name('n')
            shape.add(node, shape.kinds[child], shape.sizes[child])
            if shape.kinds[child] in ('object', 'owner'):
                shape.edges[node] = dict(shape.edges[child])
            shape.edges[parent][name] = node
        elif how == 'merge':
            other = self.pick(shape.kinds)
            if shape.may_lead(parent, other):
                shape.edges[parent][name] = other

    def retype(self, shape, node):
        if not shape.edges[node]:
            shape.kinds[node] = self.pick(('variable', 'object', 'list',
                                           'dict'))
            shape.slots = {k: s for k, s in shape.slots.items()
                           if node not in k}
        elif shape.kinds[node] in ('dict', 'list'):
            shape.kinds[node] = 'object'

    # --- Programs

    def build(self, shape, reads):
        """Writes events that build a whole structure, in a random valid
        order."""
        made = {'root'}
        edges, slots = shape.all_edges(), list(shape.slots.items())
        nodes = [n for n in shape.kinds if n != 'root']
        steps = len(nodes) + len(edges) + len(slots)
        at = sorted(self.random.randint(0, steps) for _ in range(reads))
        for step in range(steps + 1):
            while at and at[0] <= step:
                at.pop(0)
                self.read()
            self.step(shape, made, nodes, edges, slots)

    def step(self, shape, made, nodes, edges, slots):
        ready = [e for e in edges if e[0] in made and e[2] in made
                 and self.is_next(shape, edges, e)]
        done = [s for s in slots if s[0][0] in made and s[0][1] in made]
        choice = self.pick(nodes * 1 + ready + done) if (
            nodes or ready or done) else None
        if choice in nodes:
            nodes.remove(choice)
            made.add(choice)
            self.make(shape, choice, [e for e in edges if e[2] == choice
                                      and e[0] in made and e[0] != choice
                                      and self.is_next(shape, edges, e)],
                      edges)
        elif choice in ready:
            edges.remove(choice)
            self.lead(shape, *choice)
        elif choice:
            slots.remove(choice)
            (owner, variable, name), slot = choice
            self.emit('slot', owner, variable, name, slot,
                      self.random.randint(1, 99))

    def is_next(self, shape, edges, edge):
        """Lists are built in order."""
        return shape.kinds[edge[0]] != 'list' or not any(
            e[0] == edge[0] and int(e[1]) < int(edge[1]) for e in edges)

    def make(self, shape, node, places, edges):
        words = [shape.kinds[node], node]
        if shape.kinds[node] == 'variable':
            words += [shape.sizes[node], self.random.randint(1, 99)]
        if places and self.chance(.5):
            place = self.pick(places)
            edges.remove(place)
            words += place[:2]
        self.emit(*words)

    def lead(self, shape, parent, name, child):
        if shape.kinds[parent] == 'list':
            self.emit('append', parent, child)
        else:
            self.emit('set', parent, name, child)

    def read(self):
        if self.files:
            name = (self.files[-1] if self.chance(.6)
                    else self.pick(self.files))
            self.emit(self.verbs[1], name, self.name('R'))

    def write(self):
        numbered = self.verbs[0] == 'save' and self.chance(.7)
        name = self.pick(self.files) if numbered and self.files else (
            self.name('f'))
        self.files.append(name)
        self.emit(self.verbs[0], name)

    def mutate(self, shape):
        how = self.pick(('assign', 'assign', 'new', 'new', 'old', 'delete',
                         'delete', 'slot', 'read', 'write', 'pop'))
        parent = self.pick(shape.parents())
        edges = shape.edges[parent]
        if how == 'assign' and shape.of('variable'):
            self.emit('assign', self.pick(shape.of('variable')),
                      self.random.randint(1, 99))
        elif how in ('new', 'old'):
            node = self.pick(shape.kinds)
            if how == 'new':
                node = self.name('n')
                shape.add(node, self.pick(KINDS), self.pick((1, 2, 2, 3)))
                self.make(shape, node, [], [])
            if shape.may_lead(parent, node):
                name = self.edge_name(shape, parent, shape.kinds[node])
                edges[name] = node
                self.lead(shape, parent, name, node)
        elif how == 'delete' and edges and shape.kinds[parent] in (
                'object', 'owner'):
            name = self.pick(edges)
            del edges[name]
            self.emit('delete', parent, name)
        elif how == 'slot' and shape.of('owner') and shape.of('variable'):
            key = (self.pick(shape.of('owner')), self.pick(
                shape.of('variable')), self.pick('mv'))
            if key not in shape.slots:
                shape.slots[key] = self.name('s')
                self.emit('slot', *key, shape.slots[key],
                          self.random.randint(1, 99))
        elif how == 'pop' and edges and self.chance(.1):
            self.pop(shape, parent, edges)
        elif how == 'read':
            self.read()
        elif how == 'write':
            self.write()

    def pop(self, shape, parent, edges):
        if shape.kinds[parent] == 'list':
            edges.popitem()
            self.emit('pop', parent)
        elif shape.kinds[parent] == 'dict':
            name = self.pick(edges)
            del edges[name]
            self.emit('pop', parent, name)

    def all(self):
        shape = self.first_shape()
        for number in range(self.random.randint(2, 4)):
            self.emit('new')
            self.build(shape, self.random.randint(1, 2) if number else 0)
            live = copy.deepcopy(shape)
            for _ in range(self.random.choice((0, 0, 1, 3, 6))):
                self.mutate(live)
            if not number or self.chance(.5):
                self.write()
            shape = live if self.chance(.5) else shape
            for _ in range(self.random.choice((0, 0, 1, 1, 2, 3))):
                self.change(shape)
            shape.prune()
        return self.lines


def program(seed):
    return Writer(seed).all()
