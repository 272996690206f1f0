#!/usr/bin/env python3
"""check_site.py - that a site which was built is whole, and needs no network.

    docs/site/check_site.py SITE

Every link within it leads to a page that is there, and to a place in it that is
there; nothing that a browser would load comes from elsewhere.

SPDX-License-Identifier: MIT
"""
import glob
import html.parser
import os
import re
import sys
import urllib.parse

# What is loaded without being asked for.
LOADED = {'script': 'src', 'img': 'src', 'iframe': 'src', 'source': 'src',
          'link': 'href', 'object': 'data', 'embed': 'src'}
FROM_ELSEWHERE = re.compile(r'(?:[a-z]+:)?//')
# Of a style sheet, but for what is in it itself.
IN_STYLE = re.compile(r'(?:@import\s+|url\()["\']?((?:https?:)?//[^"\')]+)')


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names = set()
        self.links = []
        self.loaded = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.names.update(
            given[key] for key in ('id', 'name') if given.get(key))
        target = given.get(LOADED.get(tag, ''))
        if target and not (tag == 'link' and given.get('rel') in (
                'canonical', 'license')):
            self.loaded.append((self.getpos()[0], target))
        if tag == 'a' and given.get('href'):
            self.links.append((self.getpos()[0], given['href']))


def read(path):
    with open(path, encoding='utf-8') as stream:
        return stream.read()


def check_target(pages, path, target):
    """What is wrong with a link, or ''."""
    file, _, anchor = urllib.parse.unquote(target).partition('#')
    file = file.partition('?')[0]
    aim = os.path.normpath(os.path.join(os.path.dirname(path), file)) \
        if file else path
    if not os.path.exists(aim):
        return f'{target} is not there'
    if anchor and aim in pages and anchor not in pages[aim].names:
        return f'{target}: no such place in that page'
    return ''


def troubles(site):
    pages = {os.path.normpath(path): Page(read(path)) for path in
             glob.glob(f'{site}/**/*.html', recursive=True)}
    if os.path.normpath(f'{site}/index.html') not in pages:
        yield f'{site}: expected index.html, found none'
    for path, page in sorted(pages.items()):
        for line, target in page.loaded:
            if FROM_ELSEWHERE.match(target):
                yield f'{path}:{line}: {target} is loaded from elsewhere'
        for line, target in page.links + page.loaded:
            if not re.match(r'[a-z]+:|//', target):
                wrong = check_target(pages, path, target)
                if wrong:
                    yield f'{path}:{line}: {wrong}'
    for path in sorted(glob.glob(f'{site}/**/*.css', recursive=True)):
        for address in IN_STYLE.findall(read(path)):
            yield f'{path}: {address} is loaded from elsewhere'


def main(site):
    count = len(glob.glob(f'{site}/**/*.html', recursive=True))
    found = list(troubles(site))
    for line in found:
        print(f'site: {line}')
    print(f'site: {count} pages, {len(found)} links that lead nowhere or '
          'elsewhere')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
