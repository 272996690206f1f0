"""compare.py - Compares the outputs of two runs of a program event by event,
and classifies differences by the rows of docs/conformance.md.

SPDX-License-Identifier: MIT
"""
import json
import re

# The documented kinds of differences and their rows in docs/conformance.md.
KINDS = {
    'shape': 'B19',
    'variable and object': 'B2',
    'claimants': 'B46',
    'two nodes': 'B11',
    'owner of slots': 'S9',
    'reserved name': 'T7',
    'changed container': 'D15, D36',
    'deleted key': 'T6',
    'interval': 'M28',
    'another program': 'T1',
    'older restoration': 'T2',
    'nontrivial': 'T3',
    'number': 'M24, T4',
    'carried values': 'T5',
    'remembered': 'T8',
    'out of reach': 'T10',
    'counter': 'T9',
}


class State:
    """One line of output."""

    def __init__(self, line):
        self.line = line
        state, _, self.note = line.partition('#')
        parts = [p.strip() for p in state.split('|')]
        self.status = parts[0]
        self.is_ok = self.status == 'VARVE_OK'
        self.values, letters, self.counter = (parts[1:] + ['', '', ''])[:3]
        self.letters = dict(w.split(':') for w in letters.split())
        self.all = (self.is_ok, self.values, self.letters, self.counter)


def of_refusal(event, theirs, ours, before):
    """Returns the kind of a difference if one of the two has failed, or
    None."""
    is_read = event.split()[0] in ('read', 'restore')
    unchanged = not is_read or ours.values == before[1].values
    if ours.status == 'VARVE_MISMATCH' and unchanged:
        pairs = re.findall(r'saved (\w+)[^,]*, the program has (\w+)',
                           ours.note)
        if not pairs:
            return None
        return 'shape' if all(a == b for a, b in pairs) else (
            'variable and object')
    if (ours.status == 'VARVE_UNMATCHED' and unchanged
            and theirs.values == before[0].values):
        return 'another program'
    if not ours.is_ok:
        return None
    for words, kind in (('_unique_id', 'owner of slots'),
                        ('or_restore_slot', 'owner of slots'),
                        ('(out of reach)', 'out of reach'),
                        ('Unable to save the object', 'changed container'),
                        ('/..ATTRIBUTES/', 'reserved name'),
                        ('FileExistsError', 'number')):
        if words in theirs.line:
            return kind
    if 'incompatible tensor' in theirs.line:
        if 'shared in the file with' in ours.note:
            return 'claimants'
        if 'its node was restored from another value' in ours.note:
            return 'two nodes'
    return None


def of_values(lines, theirs, ours):
    """Returns the kind of a difference between values that was caused by the
    last of these events, or None."""
    verb = lines[-1].split()[0]
    if verb in ('save', 'step') and int(ours.counter) > int(theirs.counter):
        return 'number'
    if verb == 'step':
        managers = [line for line in lines if line.startswith('manage ')]
        return None if managers[-1].endswith(' 0') else 'interval'
    if any(line.endswith(' carry') for line in lines):
        return 'carried values'
    dicts = {line.split()[1] for line in lines if line.startswith('dict ')}
    if any(line.split()[0] == 'delete' and line.split()[1] in dicts
           for line in lines):
        return 'deleted key'
    return of_claims(theirs, {
        pair.partition('=')[0] for pair in set(theirs.values.split()) ^ set(
            ours.values.split())})


def of_claims(theirs, changed=frozenset()):
    """Returns the kind if all changed variables may differ because several
    nodes of the program matched one of the file, or one matched several, or
    TensorFlow has restored objects that are not reachable."""
    claims = json.loads(theirs.note or '{}')
    for kind, names in claims.items():
        if changed <= set(names):
            return kind
    together = set().union(*claims.values())
    return min(claims) if claims and changed <= together else None


def of_letters(lines, name, theirs, ours):
    """Returns the kind of a difference between assertions about equal
    values."""
    their, our = theirs.letters[name], ours.letters[name]
    if their[:2] == our[:2]:
        return 'nontrivial'
    verbs = {line.split()[0] for line in lines}
    minds = all(t in (o, '-') for t, o in zip(their, our))
    if minds and 'remember' in verbs:
        return 'remembered'
    if minds and verbs & {'write', 'save'} != {
            {'read': 'write', 'restore': 'save'}[v]
            for v in verbs & {'read', 'restore'}}:
        return 'counter'
    # For TensorFlow, values that a newer restoration has supplied are missing
    # in the older.
    if (list(ours.letters)[-1] != name and their[1] == '-'
            and our[1] == 'E'):
        return 'older restoration'
    return of_claims(theirs)


def compare(lines, theirs, ours):
    """Returns the number of equal events, the set of kinds of differences, and
    the first unclassified difference as text, or None."""
    kinds, before = set(), None
    for i, event in enumerate(lines):
        their, our = State(theirs[i]), State(ours[i])
        shown = (f'{i + 1}: {event}\n  theirs: {their.line}\n'
                 f'  ours:   {our.line}')
        last, before = before, (their, our)
        if (their.is_ok, their.values, their.counter) != (
                our.is_ok, our.values, our.counter) or not our.is_ok:
            kind = (of_values(lines[:i + 1], their, our)
                    if their.is_ok and our.is_ok
                    else of_refusal(event, their, our, last))
            return i, kinds | {kind} - {None}, None if kind else shown
        for name in our.letters:
            if our.letters[name] != their.letters[name]:
                kind = of_letters(lines[:i + 1], name, their, our)
                if not kind:
                    return i, kinds, shown
                kinds.add(kind)
    return len(lines), kinds, None


def shrink(lines, fails):
    """Returns a minimal part of the lines for which `fails` is true."""
    size = len(lines) // 2
    while size:
        before = len(lines)
        for at in range(len(lines) - size, -1, -size):
            fewer = lines[:at] + lines[at + size:]
            if fewer and fails(fewer):
                lines = fewer
        if size > 1 or len(lines) == before:
            size //= 2
    return lines
