"""prose.py - the words of a comment as paragraphs, code and mentions.

SPDX-License-Identifier: MIT
"""
import re

# What stands inside a paragraph: `code`, a public name, a page, a header.
MENTION = re.compile(r'`(?P<code>[^`\n]+)`'
                     r'|\b(?P<name>(?:varve|VARVE)_\w+)'
                     r'|\b(?P<page>docs/[\w/]+\.md)(?!\w)'
                     r'|(?<![\w/.])(?:varve/)?(?P<header>\w+\.hp{0,2})\b')
# A colon behind a call, as in `VARVE_SHAPE(784, 10): a shape`, ends nothing.
SENTENCE = re.compile(r'(?:[.;]|(?<!\)):)(?=\s|$)')
SHORT = 70


def blocks(text):
    """('text', words) and ('code', lines): what is indented is code. An item
    of a list, which begins with "- ", is a text of its own."""
    lines, is_code = [], False
    for line in text.split('\n') + ['']:
        now_code = line.startswith('    ') or is_code and not line.strip()
        ends = now_code != is_code or not is_code and (
            not line.strip() or line.startswith('- '))
        if lines and ends:
            yield from block(lines, is_code)
            lines = []
        is_code = now_code
        if line.strip() or is_code:
            lines.append(line)
    if lines:
        yield from block(lines, is_code)


def block(lines, is_code):
    if not is_code:
        yield 'text', ' '.join(line.strip() for line in lines)
    elif any(line.strip() for line in lines):
        yield 'code', '\n'.join(line[4:] for line in lines).strip('\n')


def mentions(words):
    """The words in pieces: (kind, text), kind '' for what is plain."""
    at = 0
    for found in MENTION.finditer(words):
        if found.start() > at:
            yield '', words[at:found.start()]
        yield found.lastgroup, found[found.lastgroup]
        at = found.end()
    if at < len(words):
        yield '', words[at:]


def brief(text):
    """The beginning of a comment, short enough for a list of pages."""
    words = next((words for kind, words in blocks(text) if kind == 'text'), '')
    words = words.replace('`', '')
    end = SENTENCE.search(words)
    words = words[:end.start()] if end else words
    while len(words) > SHORT and ', ' in words:
        words = words.rpartition(', ')[0]
    if words.count('(') > words.count(')'):
        words = words.rpartition('(')[0].rstrip()
    return '' if words.startswith('All zero') else words
