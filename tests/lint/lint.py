#!/usr/bin/env python3
"""lint.py - Prints violations of the rules, and fails if there are any.

    tests/lint/lint.py [ROOT]
    tests/lint/lint.py --write-docs [ROOT]   also updates code in documents

SPDX-License-Identifier: MIT
"""
import os
import sys

import c_rules
import layout_rules
import name_rules
import prose_rules
import text_rules
from tree import Tree


def main(arguments):
    write = '--write-docs' in arguments
    here = os.path.dirname(os.path.abspath(__file__))
    roots = [a for a in arguments if not a.startswith('-')]
    tree = Tree(roots[0] if roots else os.path.join(here, '..', '..'))
    c_rules.check(tree)
    text_rules.check(tree, write)
    name_rules.check(tree)
    prose_rules.check(tree)
    layout_rules.check(tree)  # last: it reports unused exceptions
    for line in sorted(tree.warnings) + sorted(tree.violations):
        print(line)
    print(f'lint: {len(tree.files)} files, {len(tree.violations)} violations, '
          f'{len(tree.warnings)} warnings')
    return 1 if tree.violations else 0


sys.exit(main(sys.argv[1:]))
