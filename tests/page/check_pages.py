#!/usr/bin/env python3
"""check_pages.py - Tests the appearance and behavior of pages in a headless
Chromium, and that they make no requests.

    check_pages.py MAKE_PAGES VARVE [FOLDER]    keeps pages and pictures there

Requires chromium (a package of Debian); skipped with a message without it.

SPDX-License-Identifier: MIT
"""
import os
import subprocess
import sys
import tempfile
import time

import browser

SKIP = 77
SECONDS = 10  # for a hundred thousand nodes, also on a busy machine

ROWS = "[...document.querySelectorAll('.row')]"
NAMES = f"{ROWS}.map(r => r.querySelector('.name').textContent)"
FOUND = "document.getElementById('found').textContent"
PANEL = "document.getElementById('panel').innerText"

MADE = [
    ('small', 'small', '--statistics'),
    ('gan', 'gan', '--statistics'),
    ('many', 'many'),
    ('hostile', 'hostile'),
    ('deep', 'deep'),
    ('report', 'saved', '--notes', '@report.json'),
    ('plan', 'saved', '--notes', '@plan.json', '--title',
     'A plan: saved.varve into a program'),
]

failures = []


def check(good, what, found=None):
    if not good:
        failures.append(what)
        print(f'FAILED: {what}' + ('' if found is None else f': {found!r}'))


def same(found, wanted, what):
    check(found == wanted, f'{what}, expected {wanted!r}', found)


class Pages:
    def __init__(self, tab, folder):
        self.tab, self.folder = tab, folder

    def open(self, name, fragment=''):
        path = os.path.join(self.folder, name + '.html')
        seconds = self.tab.open(path, fragment)
        self.tab.settle()
        return seconds

    def end(self, name):
        """Checks that a page caused no error and no request."""
        same(self.tab.problems, [], f'{name}: problems')
        own = f'file://{os.path.join(self.folder, name)}.html'
        others = [r for r in self.tab.requests if not r.startswith(own)
                  and r != 'about:blank']
        same(others, [], f'{name}: requests')

    def run(self, script):
        value = self.tab.run(script)
        self.tab.settle()
        return value

    def type(self, text):
        self.run("(() => { const q = document.getElementById('query');"
                 f"q.value = {text!r}; q.dispatchEvent(new Event('input'));"
                 "return new Promise(f => setTimeout(f, 400)); })()")

    def key(self, name, text=None):
        for kind in ('keyDown', 'keyUp'):
            more = {'text': text} if text and kind == 'keyDown' else {}
            self.tab.call('Input.dispatchKeyEvent', type=kind, key=name, **more)
        self.tab.settle()

    def press(self, name):
        """Clicks the legend entry that contains this text."""
        self.run("[...document.querySelectorAll('#legend button')].find("
                 f"b => b.textContent.includes({f' {name} '!r})).click()")

    def legend(self):
        return self.run("Object.fromEntries([...document.querySelectorAll("
                        "'#legend button')].map(b => [b.innerText.split(/\\s+/)"
                        ".slice(1, -1).join(' '), Number(b.lastElementChild"
                        ".textContent)]))")


def check_small(pages):
    pages.open('small')
    same(pages.run(NAMES), ['/', 'model', 'layers', 'owner', 'shared', '0',
                            'bias', 'kernel', '1', 'bias', 'kernel', 'step'],
         'small: rows')
    notes = pages.run(f"{ROWS}.map(r => r.querySelector('.note').textContent)")
    same(notes[2:5], ['\u2192 shared', '\u21ba back to /',
                      'list of 2 \u00b7 2 paths'], 'small: sharing, a cycle')
    pages.type('kernel')
    same(pages.run(FOUND), '1 of 2', 'small: search')
    same(pages.run("document.querySelectorAll('.row.found').length"), 2,
         'small: matches are highlighted')
    pages.run("document.getElementById('next').click()")
    same(pages.run(FOUND), '2 of 2', 'small: next')
    panel = pages.run(PANEL)
    for words in ('shared/1/kernel', '[256, 10] \u00b7 2,560 elements',
                  'NaN', '1 (0.0391 %)', 'deviation', '10.0 KiB (10,240)'):
        check(words in panel, f'small: {words!r} in the panel', panel)
    same(pages.run("document.querySelectorAll('#panel .bin').length"), 32,
         'small: a histogram')
    pages.type('shared/?/b*')
    same(pages.run(FOUND), '1 of 2', 'small: a glob')
    pages.type('[01]/kernel')
    same(pages.run(FOUND), 'none', 'small: a glob matches the whole path')
    pages.type('**/[01]/kernel')
    same(pages.run(FOUND), '1 of 2', 'small: a glob of many levels')
    pages.type('zzz')
    same(pages.run(FOUND), 'none', 'small: nothing is found')
    pages.end('small')
    pages.open('small')
    pages.run("document.getElementById('valued').click()")
    same(pages.run(NAMES), ['/', 'shared', '0', 'bias', 'kernel', '1', 'bias',
                            'kernel', 'step'], 'small: nodes with values')


def check_keys(pages):
    pages.open('small')
    pages.run("document.getElementById('frame').focus()")
    chosen = "document.querySelector('.row.chosen .name').textContent"
    for key, wanted in (('ArrowDown', 'model'), ('ArrowLeft', 'model'),
                        ('ArrowDown', 'shared'), ('ArrowRight', '0'),
                        ('ArrowLeft', '0'), ('ArrowLeft', 'shared'),
                        ('End', 'step'), ('Home', '/')):
        pages.key(key)
        same(pages.run(chosen), wanted, f'keys: {key}')
    pages.key('/', '/')
    same(pages.run('document.activeElement.id'), 'query', 'keys: /')
    pages.end('small')


def check_gan(pages):
    pages.open('gan', 'at=generator_optimizer')
    same(pages.legend(), {'objects': 19, 'variables': 29, 'slots': 56,
                          'optimizers (owners of slots)': 2, 'damaged': 0,
                          'not finite': 0}, 'gan: legend')
    panel = pages.run(PANEL)
    check('owner of slots' in panel and 'm for 16 variables' in panel,
          'gan: an optimizer', panel)
    pages.open('gan', 'at=generator_optimizer/m(generator/layers/0/kernel)')
    boxes = pages.run("[...document.querySelectorAll('#panel .box')]"
                      ".map(b => b.getAttribute('class'))")
    same(sorted(boxes), ['box optimizer', 'box slot here', 'box variable'],
         'gan: the neighbors of a slot')
    pages.press('slots')
    names = pages.run(NAMES)
    check('epoch' not in names and 'slots' in names, 'gan: a filter', names)
    pages.run("(() => { const s = document.getElementById('sort');"
              "s.value = 'bytes'; s.dispatchEvent(new Event('change')); })()")
    pages.press('slots')
    pages.run("document.getElementById('fold').click()")
    same(pages.run(NAMES)[1:3], ['generator_optimizer',
                                 'discriminator_optimizer'], 'gan: by bytes')
    pages.end('gan')


def check_many(pages):
    begin = time.monotonic()
    pages.open('many')
    seconds = time.monotonic() - begin
    ready = pages.run('Number(document.documentElement.dataset.ready)')
    check(seconds < SECONDS, f'many: open in {SECONDS} seconds', seconds)
    check(pages.run(f'{ROWS}.length') < 100, 'many: only visible rows exist')
    pages.type('block_00777/kernel_42')
    same(pages.run(FOUND), '1 of 1', 'many: search')
    pages.run("document.getElementById('unfold').click()")
    pages.run("document.getElementById('frame').scrollTop = 1e9")
    same(pages.run(NAMES)[-1], 'kernel_99', 'many: the last row')
    painted = pages.run(
        "new Promise(f => { const frame = document.getElementById('frame');"
        "let n = 0, begin = performance.now(); const go = () => {"
        "frame.scrollTop = 997 * n; if (++n < 60) requestAnimationFrame(go);"
        "else f((performance.now() - begin) / 60); }; go(); })")
    print(f'100,000 nodes: drawn after {ready:.0f} ms, {painted:.1f} ms for a '
          'frame of scrolling')
    pages.end('many')


def check_hostile(pages):
    pages.open('hostile')
    names = pages.run(NAMES)
    for name in ('</script><script>bad()</script>', '<!--', '${bad()}',
                 '<img src=x onerror=bad()>', 'a\u27e8U+202E\u27e9b',
                 '__proto__', 'https://example.org/x.png'):
        check(name in names, f'hostile: {name!r} is a name', names)
    same(pages.run("document.querySelectorAll('#rows script, #rows img, "
                   "#panel script, #panel img').length"), 0,
         'hostile: names are not markup')
    same(pages.run('typeof bad'), 'undefined', 'hostile: no script ran')
    pages.run("document.getElementById('unfold').click()")
    pages.type('__proto__')
    same(pages.run(FOUND), '1 of 2', 'hostile: search')
    pages.end('hostile')
    pages.open('deep', 'q=end')
    same(pages.run(FOUND), '1 of 1', 'deep: search')
    pages.end('deep')


def check_reports(pages):
    pages.open('report')
    legend = pages.legend()
    same({name: legend[name] for name in (
        'arrived', 'waits', 'only in the program', 'damaged', 'expected')},
         {'arrived': 2, 'waits': 3, 'only in the program': 3, 'damaged': 1,
          'expected': 3}, 'report: legend')
    pages.press('only in the program')
    same(pages.run(NAMES), ['/', 'model', 'adapter', 'down', 'heads', 'bias',
                            'kernel'], 'report: a filter by mark')
    same(pages.run("getComputedStyle(document.querySelector('.row.t4 .mark'))"
                   ".color"), 'rgb(29, 78, 216)', 'report: blue')
    check('old_decoder' in pages.run(
        "document.getElementById('remarks').textContent"), 'report: a remark')
    pages.open('report', 'at=model/head/kernel')
    check('may be meant: model/heads/kernel' in pages.run(PANEL),
          'report: the nearest name', pages.run(PANEL))
    pages.run("document.querySelector('.says .link').click()")
    same(pages.run("document.querySelector('#panel h2').textContent"),
         'model/heads/kernel', 'report: the nearest name is a link')
    pages.end('report')
    pages.open('plan', 'at=model/table')
    check('does not fit type or shape differs; the program has float32[20]'
          in pages.run(PANEL), 'plan: a reason', pages.run(PANEL))
    same(pages.run("getComputedStyle(document.querySelector('.row.t6 .mark'))"
                   ".color"), 'rgb(200, 30, 30)', 'plan: red')
    pages.end('plan')


PICTURES = [
    ('small', 'small', 'at=shared/0/kernel', 1280, 800, 'light'),
    ('gan', 'gan', 'at=generator_optimizer', 1280, 800, 'light'),
    ('many', 'many', 'q=kernel_07', 1280, 800, 'light'),
    ('report', 'report', 'at=model/encoder/bias', 1280, 800, 'light'),
    ('dark', 'plan', 'at=model/table', 1280, 800, 'dark'),
    ('phone', 'gan', 'at=generator/layers/1/kernel', 390, 780, 'light'),
]


def check_pictures(pages):
    """Checks that nothing exceeds the window, and that the dark scheme is
    dark."""
    for name, page, fragment, width, height, scheme in PICTURES:
        pages.tab.size(width, height, scheme, width < 500)
        pages.open(page, fragment)
        pages.tab.picture(os.path.join(pages.folder, name + '.png'))
        wide = pages.run('document.documentElement.scrollWidth')
        check(wide <= width, f'{name}: no wider than {width}', wide)
        same(pages.run("getComputedStyle(document.body).backgroundColor"),
             'rgb(15, 23, 42)' if scheme == 'dark' else 'rgb(255, 255, 255)',
             f'{name}: background')
        same(pages.run("(() => { const r = document.querySelector("
                       "'.row.chosen').getBoundingClientRect(), f = document"
                       ".getElementById('frame').getBoundingClientRect();"
                       "return r.top >= f.top - 1 && r.bottom <= f.bottom + 1;"
                       "})()"), True, f'{name}: the selection is visible')


def make_pages(maker, varve, folder):
    subprocess.run([maker, folder], check=True)
    for name, file, *options in MADE:
        options = [each.replace('@', folder + '/') for each in options]
        subprocess.run([varve, 'graph', '--html', *options, '-o',
                        f'{folder}/{name}.html', f'{folder}/{file}.varve'],
                       check=True)


def main(arguments):
    program = browser.find()
    if not program:
        print('skipped: install chromium with scripts/setup.sh')
        return SKIP
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments[2] if len(arguments) > 2 else scratch
        make_pages(arguments[0], arguments[1], folder)
        with browser.Browser(program) as tab:
            tab.size(1280, 800)
            pages = Pages(tab, os.path.abspath(folder))
            for each in (check_small, check_keys, check_gan, check_many,
                         check_hostile, check_reports, check_pictures):
                tab.size(1280, 800)
                each(pages)
    print(f'page: {len(failures)} failures')
    return 1 if failures else 0


sys.exit(main(sys.argv[1:]))
