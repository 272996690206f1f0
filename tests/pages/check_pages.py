#!/usr/bin/env python3
"""check_pages.py - Tests that pages.py detects documents with a wrong
statement and accepts a correct one.

SPDX-License-Identifier: MIT
"""
import os
import sys
import tempfile

import pages

GOOD = '''Save this as `one.txt`:

<!-- from examples/first.txt as one.txt -->
```text
1 line
```

```console
$ cat one.txt
1 line
$ mkdir sub && cd sub
$ cat ../one.txt; echo \\
  two
1 line
two
```

<!-- numbers vary -->
```console
$ echo took 3.25 ms, 2 of 4
took 7 ms, 1 of 4
$ echo 'rate   2.5e-07  good'
rate  2  good
$ printf 'a\\nb\\nc d e\\n'
a
...
c ... e
```

<!-- ends with 3 -->
```console
$ pwd | sed 's,.*/,,'
sub
$ (exit 3)
```

<!-- needs no-such-program -->
```console
$ no-such-program
```
'''
# Replacements that make the document wrong.
WRONG = [
    ('$ cat one.txt\n1 line\n', '$ cat one.txt\n2 line\n'),
    ('$ cat one.txt\n1 line\n', '$ cat one.txt\n'),
    ('$ cat one.txt\n1 line\n', '$ cat one.txt\n1 line\nand more\n'),
    ('took 7 ms', 'took no ms'),
    ('rate  2  good', 'rate  2  bad'),
    ('<!-- numbers vary -->', ''),
    ('c ... e', 'c ... f'),
    ('<!-- ends with 3 -->', ''),
    ('(exit 3)', '(exit 2)'),
    ('(exit 3)', 'exit 3'),
    ('```text\n1 line', '```text\n3 lines'),
    ('as `one.txt`', 'somewhere'),
    ('<!-- needs no-such-program -->', ''),
    ('$ cat one.txt', 'cat one.txt'),
    ('$ pwd | sed', 'pwd | sed'),
]


def wrong_with(document):
    with tempfile.TemporaryDirectory() as place:
        return pages.follow(document, place, dict(os.environ))


def main():
    complaints = list(wrong_with(GOOD)[0])
    if len(wrong_with(GOOD)[1]) != 8:
        complaints.append('expected 8 commands')
    for before, after in WRONG[:3]:
        document = GOOD.replace(before, after)
        if pages.renew(document, wrong_with(document)[1]) != GOOD:
            complaints.append(f'not updated: {after}')
    for before, after in WRONG:
        document = GOOD.replace(before, after)
        if document == GOOD or not wrong_with(document)[0]:
            complaints.append(f'not detected: {after}')
    for complaint in complaints:
        print(complaint)
    print(f'check_pages: {len(WRONG)} wrong pages, {len(complaints)} failures')
    return 1 if complaints else 0


sys.exit(main())
