#!/usr/bin/env python3
"""check_docs.py - Tests that the site builds without warnings and is complete.

    tests/docs/check_docs.py SOURCE

First tests the checks themselves on small sites with one error each, and then
the layout of pages. Then scripts/docs.sh builds the site. Without Sphinx this
part is skipped with a message.

SPDX-License-Identifier: MIT
"""
import os
import shutil
import subprocess
import sys
import tempfile

# A page of a site, and a part of the expected message; '' for none.
SITES = [
    ('<a href="index.html#here" id="here">', ''),
    ('<a href="gone.html">', 'gone.html is not there'),
    ('<a href="index.html#gone">', 'no such place'),
    ('<a href="#gone">', 'no such place'),
    ('<a href="https://example.org/">', ''),
    ('<img src="gone.png">', 'gone.png is not there'),
    ('<script src="https://example.org/x.js"></script>', 'from elsewhere'),
    ('<link rel="stylesheet" href="//example.org/x.css">', 'from elsewhere'),
]
STYLES = [('@import "https://example.org/x.css";', 'from elsewhere'),
          ('p { background: url(https://example.org/x.png) }',
           'from elsewhere'),
          ('p { background: url(data:image/png,) }', '')]
# A page of the project, and a part of the expected message; '' for none.
PAGES = [
    ('[there](other.md#anchor) and [a file](code.c), [a folder](folder)', ''),
    ('[a header](../include/varve/x.h)', ''),
    ('\n[gone](gone.md)', 'docs/page.md:2: gone.md is not there'),
    ('`[code](gone.md)`\n```\n[code](gone.md)\n```\n', ''),
]


# A public name in a page, and the link that replaces it.
LINKED = '{c:func}`varve_a`'
NAMES = [
    ('a `varve_a` b', f'a {LINKED} b'),
    ('`varve_a()` and `varve_b`', '`varve_a()` and `varve_b`'),
    ('[`varve_a`](page.md) `varve_a`', f'[`varve_a`](page.md) {LINKED}'),
    ('```\n`varve_a`\n```\n`varve_a`\n', f'```\n`varve_a`\n```\n{LINKED}\n'),
    ('x:\n\n    see `varve_a`\n', 'x:\n\n    see `varve_a`\n'),
]


def trouble(what, expected, found):
    """Returns true if the result differs from the expected one."""
    if any(expected in line for line in found) if expected else not found:
        return 0
    print(f'docs: of {what}: expected {expected or "nothing"}, found {found}')
    return 1


def check_looking(check_site):
    troubles = 0
    for name, cases in [('more.html', SITES), ('site.css', STYLES)]:
        for text, expected in cases:
            with tempfile.TemporaryDirectory() as place:
                for file, body in [('index.html', '<p id="top">'),
                                   (name, text)]:
                    body = body.replace('index.html#here', 'more.html#here')
                    with open(f'{place}/{file}', 'w', encoding='utf-8') as out:
                        out.write(body)
                troubles += trouble(text, expected,
                                    list(check_site.troubles(place)))
    return troubles


def check_laying_out(stage):
    troubles = 0
    for text, expected in NAMES:
        found = stage.Stage('', '', [], {'varve_a': 'func'}).with_names(text)
        troubles += 0 if found == expected else trouble(text, expected, [found])
    for text, expected in PAGES:
        with tempfile.TemporaryDirectory() as place:
            os.makedirs(f'{place}/docs/site')
            os.makedirs(f'{place}/docs/folder')
            os.makedirs(f'{place}/include/varve')
            for file, body in [
                    ('docs/page.md', text), ('docs/other.md', '# Anchor'),
                    ('docs/code.c', ''), ('include/varve/x.h', ''),
                    ('docs/site/index.md', '# Index'),
                    ('docs/site/navigation.txt', 'All\n  docs/*.md\n')]:
                with open(f'{place}/{file}', 'w', encoding='utf-8') as out:
                    out.write(body)
            laid = stage.Stage(place, f'{place}/out', ['reference/x-h'])
            laid.lay_out()
            troubles += trouble(text, expected, laid.trouble)
            for match in stage.links(read(f'{place}/out/docs/page.md')):
                target = match['target'].partition('#')[0]
                if not expected and not os.path.exists(
                        f'{place}/out/docs/{target}') and (
                            'reference' not in target):
                    troubles += trouble(text, target, [])
    return troubles


def read(path):
    with open(path, encoding='utf-8') as stream:
        return stream.read()


def main(source):
    sys.path.insert(0, os.path.join(source, 'docs', 'site'))
    import check_site
    import stage
    troubles = check_looking(check_site) + check_laying_out(stage)
    if troubles:
        return 1
    count = len(SITES) + len(STYLES) + len(PAGES) + len(NAMES)
    print(f'docs: {count} small sites and pages: passed')
    place = tempfile.mkdtemp()
    try:
        result = subprocess.run(
            [os.path.join(source, 'scripts', 'docs.sh'), '--installed',
             os.path.join(place, 'site')], check=False)
    finally:
        shutil.rmtree(place)
    return result.returncode


sys.exit(main(*sys.argv[1:]))
