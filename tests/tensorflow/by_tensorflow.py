"""by_tensorflow.py - Runs a program in the language of README.md with
tf.train.Checkpoint, and prints the state after each event, in the format of
by_varve.c.

SPDX-License-Identifier: MIT
"""
import collections
import json
import os

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')
import tensorflow as tf  # noqa: E402

tf.get_logger().setLevel('ERROR')


class Owner(tf.__internal__.tracking.AutoTrackable,
            tf.compat.v1.train.Optimizer):
    """An optimizer of TensorFlow that tracks none of its own fields and
    creates slots only when the program does, as within a variable creator."""

    def __init__(self):
        self._self_setattr_tracking = False
        super().__init__(False, 'owner')
        self._self_setattr_tracking = True

    def make_slot(self, variable, name, value):
        initial = tf.fill(variable.shape, value)
        return self._get_or_make_slot(variable, initial, name, 'owner')

    def _create_or_restore_slot_variable(self, slot_variable_position,
                                         slot_name, variable, **_):
        made = self.get_slot(variable, slot_name)
        if made is not None:
            slot_variable_position.restore(made)
            return
        waiting = self._deferred_slot_restorations.setdefault(slot_name, {})
        waiting.setdefault(variable._unique_id, []).append(
            slot_variable_position)


def children_of(thing):
    try:
        return thing._trackable_children()
    except ValueError:  # a list that was changed
        return {}


class Program:
    """The state of one program of a text: a graph and its restorations."""

    def __init__(self, folder, files):
        self.folder = folder
        self.files = files  # path of the last numbered file by name
        self.root = tf.train.Checkpoint()
        self.things = {'root': self.root}
        self.variables = {}
        self.restorations = {}
        self.slots = {}
        self.claims = collections.defaultdict(set)
        self.claimed = collections.defaultdict(list)
        self.bound = set()
        self.manager = None
        self.forgets = True
        self.parent = self.root  # parent of the last edge
        self.number = tf.Variable(0, dtype=tf.int64)

    def path(self, name):
        return os.path.join(self.folder, name)

    def add_variable(self, name, size, value):
        made = tf.Variable(tf.fill([int(size)], float(value)))
        self.variables[name] = made
        return made

    def name(self, name, made):
        if name in self.things:
            raise KeyError(name)
        self.things[name] = made

    def make(self, kind, name, *words):
        wrap = tf.__internal__.tracking.wrap
        if kind == 'variable':
            made = self.add_variable(name, *words[:2])
            words = words[2:]
        else:
            made = {'object': tf.__internal__.tracking.AutoTrackable,
                    'owner': Owner, 'list': lambda: wrap([]),
                    'dict': lambda: wrap({})}[kind]()
        self.name(name, made)
        if words:
            self.set(words[0], words[1], name)

    def set(self, parent, name, child):
        parent, child = self.things[parent], self.things[child]
        self.parent = parent
        if hasattr(parent, 'append'):
            parent.append(child)
        elif hasattr(parent, 'keys'):
            parent[name] = child
        else:
            setattr(parent, name, child)

    def append(self, parent, child):
        self.set(parent, None, child)

    def pop(self, parent, *key):
        self.things[parent].pop(*key)

    def delete(self, parent, name):
        if hasattr(self.things[parent], 'keys'):
            del self.things[parent][name]
        else:
            delattr(self.things[parent], name)

    def assign(self, name, value):
        self.variables[name].assign(
            tf.fill(self.variables[name].shape, float(value)))

    def slot(self, owner, variable, slot, name, value):
        made = self.things[owner].make_slot(
            self.things[variable], slot, float(value))
        self.name(name, made)
        self.variables[name] = made
        self.slots[name] = (self.things[owner], self.things[variable])

    def write(self, name, *_):
        self.root.write(self.path(name))

    def save(self, name, *_):
        following = f'{self.path(name)}-{self.counter() + 1}'
        if os.path.exists(following + '.index'):
            raise FileExistsError(following)
        self.files[name] = self.root.save(self.path(name))

    def read(self, name, restoration):
        self.restorations[restoration] = self.root.read(
            self.files.get(name, self.path(name)))

    def restore(self, name, restoration):
        self.restorations[restoration] = self.root.restore(
            self.files.get(name, self.path(name)))

    def remember(self):
        self.forgets = False

    def manage(self, name, keep, interval):
        self.manager = tf.train.CheckpointManager(
            self.root, self.path(name), int(keep) or None,
            step_counter=self.number if int(interval) else None,
            checkpoint_interval=int(interval) or None)

    def step(self, number, named=None):
        self.number.assign(int(number))
        self.manager.save(named and int(named), check_interval=True)

    def force(self, number):
        self.number.assign(int(number))
        self.manager.save(check_interval=False)

    def resume(self, _):
        self.manager.restore_or_initialize()

    def counter(self):
        made = getattr(self.root, '_save_counter', None)
        return 0 if made is None else int(made.numpy())

    def value(self, variable):
        values = {float(v) for v in variable.numpy()}
        return 'mixed' if len(values) > 1 else f'{values.pop():g}'

    def holds(self, status, assertion):
        """Checks an assertion. Discards objects that a previous assertion has
        kept although they are gone."""
        objects = status._checkpoint.all_python_objects
        for thing in list(objects) if self.forgets else []:
            objects.discard(thing)
        try:
            getattr(status, assertion)()
        except AssertionError:
            return False
        return True

    def find_claims(self, status):
        """Records the variables at or below nodes of which two are restored
        from the same node of the file by name, or one from two."""
        nodes = status._checkpoint.object_graph_proto.nodes
        pairs, seen = [(0, self.root)], {(0, id(self.root))}
        for number, thing in pairs:
            children = children_of(thing)
            for child in nodes[number].children:
                found = children.get(child.local_name)
                if found is not None and (child.node_id, id(found)) not in seen:
                    seen.add((child.node_id, id(found)))
                    pairs.append((child.node_id, found))
        numbers = collections.Counter(number for number, _ in seen)
        things = collections.Counter(thing for _, thing in seen)
        self.claim('claimants', [thing for number, thing in pairs
                                 if numbers[number] > 1])
        self.claim('two nodes', [thing for _, thing in pairs
                                 if things[id(thing)] > 1])

    def find_out_of_reach(self, name, status):
        """Records the objects that TensorFlow has restored since the last
        event although they are not reachable from the root."""
        reached = self.reached([self.root])
        for number, thing in status._checkpoint.object_by_proto_id.items():
            is_new = (name, number) not in self.bound
            self.bound.add((name, number))
            if is_new and id(thing) not in reached and not any(
                    thing is self.variables[slot] for slot in self.slots):
                self.claim('out of reach', [thing])

    def claim(self, kind, things):
        """Records the variables that are reachable from these objects, and
        their slots; and "*" if there are any objects."""
        if things:
            self.claimed[kind] += things
            self.note(kind, things)

    def note(self, kind, things):
        """Records what is reachable now: edges may have been added."""
        found = self.reached(things)
        names = {n for n, v in self.variables.items() if id(v) in found}
        self.claims[kind] |= {'*'} | names | {
            slot for slot, (owner, variable) in self.slots.items()
            if id(owner) in found or id(variable) in found}

    def reached(self, things):
        found = {id(thing): thing for thing in things}
        queue = list(found.values())
        for thing in queue:
            for child in children_of(thing).values():
                if id(child) not in found:
                    found[id(child)] = child
                    queue.append(child)
        return found

    def state(self):
        for name, status in self.restorations.items():
            self.find_claims(status)
            self.find_out_of_reach(name, status)
        for kind, things in self.claimed.items():
            self.note(kind, things)
        values = ''.join(f' {name}={self.value(variable)}'
                         for name, variable in self.variables.items())
        if self.manager:
            values += ' checkpoints=' + ','.join(
                path.rpartition('-')[2] for path in self.manager.checkpoints)
        letters = ''
        for name, status in self.restorations.items():
            letters += f' {name}:'
            for letter, assertion in (
                    ('C', 'assert_consumed'),
                    ('E', 'assert_existing_objects_matched'),
                    ('N', 'assert_nontrivial_match')):
                letters += letter if self.holds(status, assertion) else '-'
        return f'|{values} |{letters} | {self.counter()} # ' + (
            json.dumps({k: sorted(v) for k, v in self.claims.items()}))


def run(lines, folder):
    """Returns a line for each event, up to the first that fails."""
    files, program, found = {}, None, []
    for line in lines:
        verb, *words = line.split()
        try:
            if verb == 'new':
                program = Program(folder, files)
            elif verb in ('variable', 'object', 'owner', 'list', 'dict'):
                program.make(verb, *words)
            else:
                getattr(program, verb)(*words)
            found.append('VARVE_OK ' + program.state())
        except Exception as error:  # noqa: BLE001 whatever it raises
            text = str(error).replace('\n', ';')[:300]
            if id(program.parent) not in program.reached([program.root]):
                text += ' (out of reach)'
            found.append(f'{type(error).__name__} # {text}')
            break
    return found
