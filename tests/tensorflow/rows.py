"""rows.py - Parses the programs of rows.txt.

SPDX-License-Identifier: MIT
"""
import pathlib
import re


def events(text):
    """Returns the lines of a text that are events."""
    return [line for line in text.splitlines() if line and line[0] not in '#=']


def programs():
    """Yields heading, kinds of differences, and events of each program."""
    text = (pathlib.Path(__file__).parent / 'rows.txt').read_text()
    for part in text.split('\n== ')[1:]:
        heading, _, body = part.partition('\n')
        name, _, kinds = heading.rpartition(': ')
        yield name, set(kinds.split(', ')) - {'the same'}, events(body)


def row_names(heading):
    """Returns the row numbers at the beginning of a heading."""
    return re.match(r'([A-Z]\d+(?:, [A-Z]\d+)*) ', heading)[1].split(', ')
