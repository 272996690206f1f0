"""declarations.py - Lists the declarations of the public headers after the
preprocessor.

cffi and tests/install/check_abi.py use it, because they cannot preprocess C.

SPDX-License-Identifier: MIT
"""
import os
import re
import shlex
import subprocess

MARK = re.compile(r'^# \d+ "([^"]*)"')
OURS = os.path.join('include', 'varve') + os.sep
ATTRIBUTE = re.compile(r'__attribute__ ?\(\([^()]*(\([^()]*\))?[^()]*\)\)')


def own_text(flags):
    """Yields the preprocessed lines of the public headers, without those of
    system headers."""
    compiler = shlex.split(os.environ.get('CC', 'cc'))
    result = subprocess.run(
        [*compiler, '-E', *flags, '-x', 'c', '-'],
        input='#include <varve/varve.h>\n', stdout=subprocess.PIPE,
        universal_newlines=True, check=True)
    is_ours = False
    for line in result.stdout.splitlines():
        mark = MARK.match(line)
        if mark:
            is_ours = OURS in mark[1]
        elif is_ours and line.strip():
            yield line


def declarations(flags):
    """Returns the declarations, each on one line and without attributes."""
    text = ATTRIBUTE.sub('', ' '.join(own_text(flags)))
    text = re.sub(r'\( ', '(', re.sub(r'\s+', ' ', text))
    found, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == '{') - (c == '}')
        is_body = c == '}' and depth == 0 and text[begin:i].lstrip().startswith(
            'static inline')
        if depth == 0 and (c == ';' or is_body):
            found.append(re.sub(r' +([;,)])', r'\1', text[begin:i + 1].strip()))
            begin = i + 1
    return found
