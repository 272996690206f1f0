"""name_rules.py - Checks that each public function is used in an example or on
a page.

SPDX-License-Identifier: MIT
"""
import re

PUBLIC = re.compile(r'VARVE_API\b[^;{]*?\b(varve_\w+)\s*\(')
WORD = re.compile(r'\bvarve_\w+')
# The places where readers look for a function, except its header.
SHOWN_IN = ('docs', 'examples')


def check(tree):
    check_shown(tree)


def check_shown(tree):
    """Checks that each public function is used in an example or on a page."""
    shown = set()
    for f in tree.files:
        if f.within(*SHOWN_IN):
            shown.update(WORD.findall(f.text))
    for f in tree.c_files('include/varve'):
        for match in PUBLIC.finditer(f.code):
            if f.suffix == '.h' and match[1] not in shown:
                tree.report('shown', f.path, f.line_of(match.start()),
                             f'{match[1]} is not used in an example or page')
