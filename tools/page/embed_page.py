#!/usr/bin/env python3
"""embed_page.py - makes page_text.c of page.html, page.css and page.js.

    tools/page/embed_page.py            writes page_text.c
    tools/page/embed_page.py --check    fails where that is another

Comments and indentation stay behind. The policy of the page allows this very
script and style, by their SHA-256, and nothing else. page_text.c is kept beside
its sources, so that building needs no Python; the test `page text` compares.

SPDX-License-Identifier: MIT
"""
import base64
import hashlib
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = '''/* page_text.c - The page around its data. Made by embed_page.py.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_text.h"

/* clang-format off */
'''


def read(name):
    with open(os.path.join(HERE, name), encoding='utf-8') as stream:
        return stream.read()


def packed(text):
    """Without comments that have lines of their own, and indentation."""
    text = re.sub(r'^ */\*.*?\*/\n', '', text, flags=re.M | re.S)
    lines = (line.strip() for line in text.split('\n'))
    return '\n'.join(l for l in lines if l and not l.startswith('//')) + '\n'


def sum_of(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def literals(text):
    """As literals of C of at most 76 columns, one after the other."""
    for line in text.splitlines(keepends=True):
        for part in re.findall(r'.{1,48}', line, re.S):
            part = part.replace('\\', '\\\\').replace('"', '\\"')
            part = part.replace('\n', '\\n').replace('??', '?\\?')
            yield f'    "{part}",'


def array(name, text):
    lines = '\n'.join(literals(text))
    return f'const char *const {name}[] = {{\n{lines}\n    0,\n}};\n'


def page_text():
    style, script = packed(read('page.css')), packed(read('page.js'))
    policy = (f"default-src 'none'; script-src {sum_of(script)}; "
              f"style-src {sum_of(style)}; base-uri 'none'; form-action 'none'")
    page = read('page.html').replace('@policy@', policy)
    page = page.replace('@style@', style).replace('@script@', script)
    before, behind = page.split('@data@')
    return (HEAD + array('page_before', before) + '\n'
            + array('page_behind', behind) + '/* clang-format on */\n')


def main(arguments):
    path = os.path.join(HERE, 'page_text.c')
    text = page_text()
    if '--check' in arguments:
        if read('page_text.c') == text:
            return 0
        print('page_text.c: expected what page.html, page.css and page.js '
              'make, found another; run embed_page.py')
        return 1
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write(text)
    return 0


sys.exit(main(sys.argv[1:]))
