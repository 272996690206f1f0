"""pages.py - Follows a document like a reader who executes all of it.

Files in the document are saved under the given names, commands are executed in
a shell in order, and their output is compared with the document. A comment
above a block of commands may contain options: `<!-- numbers vary, ends with 1,
needs cmake -->`.

SPDX-License-Identifier: MIT
"""
import os
import re
import shlex
import shutil
import subprocess

FENCE = re.compile(r'^(?P<above>[^\n]*)\n```(?P<language>[\w+-]*)\n'
                   r'(?P<text>.*?)^```[ \t]*$', re.M | re.S)
FILE = re.compile(r'^<!-- from [\w./-]*?(?P<file>[\w.-]+)'
                  r'(?: as (?P<name>[\w.-]+))? -->$')
NOTE = re.compile(r'^<!-- (?!from )(.*) -->$')
# If numbers vary, the spaces of table columns do too.
NUMBER = re.compile(r'\d+(?:\.\d+)?(?:e[+-]?\d+)?|  +')
MARK = '\036'
# The additional output of a non-interactive shell for a killed process.
KILLED = re.compile(r'^[^\n]*: line \d+: +\d+ (Killed) [^\n]*$', re.M)
TIMEOUT = 300


class Command:
    def __init__(self, line, text):
        self.line = line          # line number in the document
        self.text = text
        self.output = ''          # expected output
        self.found = None         # actual output
        self.status = 0
        self.numbers_vary = False
        self.needs = []           # optional features that it requires


def steps_of(document):
    """Returns files to save, as (name, text), and commands, in order, and the
    errors in the document itself."""
    steps, wrong, end = [], [], 0
    for fence in FENCE.finditer(document):
        line = document.count('\n', 0, fence.start('text')) + 1
        between = document[end:fence.start()]
        end = fence.end()
        if fence['language'] == 'console':
            steps += commands(fence, line)
            if not fence['text'].startswith('$ '):
                wrong.append(f'{line}: must begin with a command, "$ ..."')
            continue
        marker = FILE.match(fence['above'])
        if marker:
            name = marker['name'] or marker['file']
            steps.append((name, fence['text']))
            if f'`{name}`' not in between:
                wrong.append(f'{line}: the text above does not contain '
                             f'`{name}`')
    return steps, wrong


def commands(fence, line):
    found = []
    for number, text in enumerate(fence['text'].splitlines(), line):
        if text.startswith('$ '):
            found.append(Command(number, text[2:]))
        elif found and found[-1].text.endswith('\\') and not found[-1].output:
            found[-1].text += '\n' + text
        elif found:
            found[-1].output += text.rstrip() + '\n'
    note = NOTE.match(fence['above'])
    for word in note[1].split(', ') if note and found else []:
        if word.startswith('ends with '):
            found[-1].status = int(word.removeprefix('ends with '))
            continue
        for command in found:
            command.numbers_vary |= word == 'numbers vary'
            if word.startswith('needs '):
                command.needs.append(word.removeprefix('needs '))
    return found


def script(steps):
    """Returns a shell script of all steps."""
    lines = ['exec 2>&1']
    for step in steps:
        if isinstance(step, Command):
            lines += [step.text, f"printf '{MARK}%s{MARK}' $?"]
        else:
            name, text = step
            folder = os.path.dirname(name)
            if folder:
                lines.append(f'mkdir -p {shlex.quote(folder)}')
            lines.append(f"cat >{shlex.quote(name)} <<'END OF THE FILE'\n"
                         f'{text}END OF THE FILE')
    return '\n'.join(lines) + '\n'


def follow(document, place, environment):
    """Executes a document in an empty folder and returns the differences."""
    steps, wrong = steps_of(document)
    steps = [step for step in steps if not lacks(step, environment)]
    asked = [step for step in steps if isinstance(step, Command)]
    if '```console\n' not in document:
        return [], []
    path = os.path.join(place, 'commands')
    folder = os.path.join(place, 'folder')
    os.mkdir(folder)
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write(script(steps))
    try:
        printed = subprocess.run(
            ['bash', '--noprofile', '--norc', path], cwd=folder, text=True,
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            timeout=TIMEOUT, check=False, errors='replace').stdout
    except subprocess.TimeoutExpired:
        return wrong + [f'not finished after {TIMEOUT} seconds'], asked
    parts = printed.split(MARK)
    outcomes = list(zip(parts[0::2], parts[1::2]))
    for command, (output, status) in zip(asked, outcomes):
        command.found = ''.join(
            line.rstrip() + '\n'
            for line in KILLED.sub(r'\1', output).splitlines())
        wrong += differences(command, int(status))
    for command in asked[len(outcomes):]:
        wrong.append(f'{command.line}: never run: {command.text}')
    return wrong, asked


def renew(document, asked):
    """Returns the document with the actual output."""
    found = {command.line: command for command in asked}

    def block(fence):
        if fence['language'] != 'console':
            return fence[0]
        first = document.count('\n', 0, fence.start('text')) + 1
        text = ''
        for command in commands(fence, first):
            now = found.get(command.line, command)
            keep = now.found is None or is_shown(command, now.found)
            text += f'$ {command.text}\n' + (
                command.output if keep else now.found)
        start = fence.start('text') - fence.start()
        end = fence.end('text') - fence.start()
        return fence[0][:start] + text + fence[0][end:]

    return FENCE.sub(block, document)


def lacks(step, environment):
    """Returns true if a program or a pkg-config library is missing."""
    return isinstance(step, Command) and any(
        not shutil.which(name, path=environment['PATH']) and subprocess.run(
            ['pkg-config', '--exists', name], env=environment,
            check=False).returncode
        for name in step.needs)


def differences(command, status):
    output = command.found
    if status != command.status:
        yield (f'{command.line}: {command.text}\n  expected to end with '
               f'{command.status}, found {status}:\n{output}')
    elif not is_shown(command, output):
        yield (f'{command.line}: {command.text}\n  expected:\n'
               f'{command.output}  found:\n{output}')


def is_shown(command, output):
    """Returns true if a line matches. A line of three dots matches any lines,
    three dots in a line match any text, and numbers match any number if the
    document declares that they vary."""
    pattern = ''
    for line in command.output.splitlines(keepends=True):
        if line == '...\n':
            pattern += r'(?:[^\n]*\n)*'
            continue
        pieces = [literally(piece, command.numbers_vary)
                  for piece in line.split('...')]
        pattern += '[^\n]*'.join(pieces)
    return re.fullmatch(pattern, output) is not None


def literally(text, numbers_vary):
    """Returns a regular expression for a text."""
    if not numbers_vary:
        return re.escape(text)
    pattern, end = '', 0
    for found in NUMBER.finditer(text):
        pattern += re.escape(text[end:found.start()])
        pattern += ' +' if found[0].isspace() else \
            r'\d+(?:\.\d+)?(?:e[+-]?\d+)?'
        end = found.end()
    return pattern + re.escape(text[end:])
