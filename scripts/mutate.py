#!/usr/bin/env python3
"""mutate.py - Changes lines of the library one by one; a test must fail.

    scripts/mutate.py [--since COMMIT] [--count N] [--seed N] [--jobs N]
                      [--build BUILD] [--least PERCENT] [FILE[:FIRST-LAST]...]

Mutates the lines of lib/**/*.c that differ from COMMIT (HEAD~1), or the given
lines, N of them (100) chosen at random. A mutation inverts a condition, shifts
a comparison or a constant by one, ignores a failure, or removes a statement.
Each mutated file is compiled on its own and linked before the library into the
unit tests of its folder. These run with the suites of the file first, then all
suites of the folder, then the stories. The working tree is not changed; BUILD
(build/test) must be built.

Prints each mutation that no test detects: add the missing test, or ignore the
mutation if the program does the same with it. Mutations that do not compile, or
that do not change the machine code, are not counted. The exit status is 1 if
fewer than PERCENT (100) are detected.

SPDX-License-Identifier: MIT
"""
import argparse
import collections
import glob
import json
import multiprocessing.pool
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile

MOST_SECONDS = 120  # one run of tests

Mutation = collections.namedtuple('Mutation', 'file line kind text')
Outcome = collections.namedtuple('Outcome', 'mutation detected_by')

COMPARISONS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=',
               '!=': '=='}
OPERATORS = {**COMPARISONS, '&&': '||', '||': '&&', '+': '-', '-': '+'}
# Binary operators have a space on both sides in this code base.
OPERATOR = re.compile(r'(?<= )(<=|>=|==|!=|&&|\|\||<|>|\+|-)(?= )')
NUMBER = re.compile(r'(?<![\w.])(\d+)(?![\w.])')
CONDITION = re.compile(r'\b(if|while) \((.*)\)( \{)?$')
STATEMENT = re.compile(
    r'^\s+(?!(return|break|continue|goto|else|case|if|for|while)\b)'
    r'[\w>.\[\]()*&-]+( [-+*/|&^]?= .*|\(.*\)|\+\+|--);$')
DECLARATION = re.compile(
    r'^\s+(const |static |struct |enum |unsigned )*\w+ \**\w+'
    r'(\[.*\])?( = .*)?;$')


# --- Mutations of a line -----------------------------------------------------

def code_of(line):
    """The line without texts and comments, of the same length."""
    blank = lambda found: ' ' * len(found[0])
    line = re.sub(r'"(\\.|[^"\\])*"', blank, line)
    line = re.sub(r"'(\\.|[^'\\])+'", blank, line)
    return re.sub(r'/\*.*?(\*/|$)', blank, line)


def mutations_of(line):
    """Pairs of a kind and the mutated line."""
    code = code_of(line)
    for found in OPERATOR.finditer(code):
        new = OPERATORS[found[1]]
        yield (f'{found[1]} becomes {new}',
               line[:found.start()] + new + line[found.end():])
    for found in NUMBER.finditer(code):
        yield (f'{found[1]} becomes {int(found[1]) + 1}',
               line[:found.start()] + str(int(found[1]) + 1)
               + line[found.end():])
    found = CONDITION.search(code)
    if found and code.count('(') == code.count(')'):
        begin, end = found.span(2)
        yield ('inverted condition',
               f'{line[:begin]}!({line[begin:end]}){line[end:]}')
    if re.match(r'\s+VV_TRY\(.*\);$', code):
        yield ('ignored failure', line.replace('VV_TRY(', '(void)(', 1))
    for word, other in ('true', 'false'), ('false', 'true'):
        for found in re.finditer(rf'\b{word}\b', code):
            yield (f'{word} becomes {other}',
                   line[:found.start()] + other + line[found.end():])
    if STATEMENT.match(code) and not DECLARATION.match(code):
        yield ('removed statement', re.match(r'\s*', line)[0] + ';')


def begins_statement(lines, index):
    before = code_of(lines[index - 1]).rstrip() if index else ''
    return not before or before.endswith((';', '{', '}', ')', ':', 'else'))


def mutations_in(path, wanted):
    """All mutations of the wanted lines (from 1 on)."""
    with open(path, encoding='utf-8') as stream:
        lines = stream.read().split('\n')
    in_comment = False
    depth = 0
    for index, line in enumerate(lines):
        if in_comment or line.lstrip().startswith('/*'):
            in_comment = '*/' not in line
            continue
        inside = depth > 0
        code = code_of(line)
        depth += code.count('{') - code.count('}')
        if index + 1 not in wanted or not inside or line.startswith('#'):
            continue
        for kind, text in mutations_of(line):
            if kind == 'removed statement' \
                    and not begins_statement(lines, index):
                continue
            yield Mutation(path, index + 1, kind, text)


def lines_of_arguments(arguments):
    for argument in arguments:
        path, _, span = argument.partition(':')
        first, _, last = span.partition('-')
        with open(path, encoding='utf-8') as stream:
            count = sum(1 for _ in stream)
        first = int(first or 1)
        yield path, set(range(first, int(last or (first if span else count))
                              + 1))


def lines_since(commit):
    """The changed lines of each file of the library."""
    diff = subprocess.run(
        ['git', 'diff', '-U0', commit, '--', 'lib/*.c'], check=True,
        stdout=subprocess.PIPE, text=True).stdout
    lines = collections.defaultdict(set)
    path = None
    for line in diff.split('\n'):
        if line.startswith('+++ '):
            path = line[6:] if line.startswith('+++ b/') else None
        found = re.match(r'@@ .* \+(\d+)(?:,(\d+))? @@', line)
        if found and path:
            first, count = int(found[1]), int(found[2] or 1)
            lines[path].update(range(first, first + count))
    return lines.items()


# --- Compiling and running ---------------------------------------------------

class Build:
    """The commands of a build folder."""

    def __init__(self, folder):
        self.folder = folder
        self.commands = {}
        with open(os.path.join(folder, 'compile_commands.json'),
                  encoding='utf-8') as stream:
            for entry in json.load(stream):
                path = os.path.normpath(os.path.join(folder, entry['file']))
                self.commands[os.path.relpath(path)] = entry['command']
        self.links = {}

    def compile(self, mutation, place):
        """The mutated object, or None if it does not compile."""
        with open(mutation.file, encoding='utf-8') as stream:
            lines = stream.read().split('\n')
        lines[mutation.line - 1] = mutation.text
        source = os.path.join(place, os.path.basename(mutation.file))
        with open(source, 'w', encoding='utf-8') as stream:
            stream.write('\n'.join(lines))
        return self.compile_source(mutation.file, source, place)

    def compile_source(self, original, source, place):
        words = shlex.split(self.commands[original])
        result = source + '.o'
        for option, value in ('-o', result), ('-c', source), \
                ('-MF', source + '.d'), ('-MQ', result):
            words[words.index(option) + 1] = value
        words = [word for word in words if word not in ('-Werror', '-g')]
        words += ['-w', f'-ffile-prefix-map={place}=.']
        status = subprocess.run(words, cwd=self.folder, check=False,
                                stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL).returncode
        return result if status == 0 else None

    def link_of(self, program):
        if program not in self.links:
            commands = subprocess.run(
                ['ninja', '-C', self.folder, '-t', 'commands', '-s', program],
                check=True, stdout=subprocess.PIPE, text=True).stdout
            self.links[program] = shlex.split(
                commands.strip().split('\n')[-1])
        return self.links[program]

    def link(self, program, mutated, place):
        words = list(self.link_of(program))
        at = words.index('-o') + 1
        result = os.path.join(place, os.path.basename(program))
        words[at] = result
        words.insert(at + 1, mutated)
        subprocess.run(words, cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return result


def content_of(path):
    with open(path, 'rb') as stream:
        return stream.read()


def tests_of(file):
    """The unit test program of a file of lib, and the suites of its test."""
    room = file.split('/')[1]
    stem = os.path.splitext(os.path.basename(file))[0]
    suites = set()
    for test in glob.glob(f'tests/unit/{room}/**/test_{stem}.c',
                          recursive=True):
        suites |= set(re.findall(r'^TEST\((\w+),', content_of(test).decode(),
                                 re.M))
    return f'tests/unit_{room}', sorted(suites)


def fails(program, pattern, place, build):
    """Whether tests of a program fail, or do not end."""
    modules = [os.path.abspath(os.path.join(build.folder, 'lib', name))
               for name in ('remote', 'hdf5')]
    environment = dict(os.environ, TMPDIR=place,
                       LD_LIBRARY_PATH=':'.join(modules),
                       VARVE_MODULES=modules[1])
    command = [program, '-j1']
    if pattern:
        command += ['--filter', pattern]
    with subprocess.Popen(command, env=environment, start_new_session=True,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        try:
            return process.wait(MOST_SECONDS) != 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return True


def judge(build, mutation):
    """What detects a mutation: '' if nothing; None if it does not count."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)  # tests of root change their user
        mutated = build.compile(mutation, place)
        if not mutated:
            return Outcome(mutation, None)
        code = content_of(mutated)
        original = build.compile(
            mutation._replace(text=line_of(mutation)), place)
        if original and content_of(original) == code:
            return Outcome(mutation, None)
        with open(mutated, 'wb') as stream:
            stream.write(code)
        unit, suites = tests_of(mutation.file)
        for program, patterns in (
                (unit, [f'@({"|".join(suites)})/*'] if suites else []),
                (unit, ['']), ('tests/story/stories', [''])):
            if not patterns or not os.path.exists(
                    os.path.join(build.folder, program)):
                continue
            linked = build.link(program, mutated, place)
            if fails(linked, patterns[0], place, build):
                return Outcome(mutation, f'{program} {patterns[0]}'.strip())
    return Outcome(mutation, '')


def line_of(mutation):
    return content_of(mutation.file).decode().split('\n')[mutation.line - 1]


# --- The report --------------------------------------------------------------

def count(name, number):
    path = os.environ.get('VARVE_PROOF_COUNTS')
    print(name, number)
    if path:
        with open(path, 'a', encoding='utf-8') as stream:
            stream.write(f'{name} {number}\n')


def report(outcomes, least):
    counted = [o for o in outcomes if o.detected_by is not None]
    missed = [o.mutation for o in counted if not o.detected_by]
    for mutation in missed:
        print(f'{mutation.file}:{mutation.line}: not detected: '
              f'{mutation.kind}\n    {line_of(mutation).strip()}')
    detected = len(counted) - len(missed)
    count('mutate.mutations', len(counted))
    count('mutate.detected', detected)
    return 1 if 100 * detected < least * len(counted) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--since', default='HEAD~1', metavar='COMMIT')
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--build', default='build/test')
    parser.add_argument('--least', type=float, default=100, metavar='PERCENT')
    parser.add_argument('files', nargs='*', metavar='FILE[:FIRST-LAST]')
    options = parser.parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    build = Build(options.build)
    lines = lines_of_arguments(options.files) if options.files \
        else lines_since(options.since)
    mutations = [m for path, wanted in lines if path in build.commands
                 for m in mutations_in(path, wanted)]
    random.Random(options.seed).shuffle(mutations)
    with multiprocessing.pool.ThreadPool(options.jobs) as pool:
        outcomes = pool.map(lambda m: judge(build, m),
                            mutations[:options.count], chunksize=1)
    return report(sorted(outcomes, key=lambda o: o.mutation), options.least)


if __name__ == '__main__':
    sys.exit(main())
