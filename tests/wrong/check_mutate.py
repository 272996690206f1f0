#!/usr/bin/env python3
"""check_mutate.py - Tests the mutations that scripts/mutate.py makes of lines.

    tests/wrong/check_mutate.py SCRIPTS

SPDX-License-Identifier: MIT
"""
import os
import sys
import tempfile

SOURCE = """\
/* a < b */
enum { MOST = 10 };

static int f(int a, const char *text)
{
    int sum = a + 1;
    /* while (a < b)
     * sum = 2; */
    if (a <= sum && text) {
        puts("1 < 2");
        VV_TRY(g(a));
        sum = a;
        return true;
    }
    call(a,
        sum);
    return sum;
}
"""

EXPECTED = [
    (6, '+ becomes -', '    int sum = a - 1;'),
    (6, '1 becomes 2', '    int sum = a + 2;'),
    (9, '<= becomes <', '    if (a < sum && text) {'),
    (9, '&& becomes ||', '    if (a <= sum || text) {'),
    (9, 'inverted condition', '    if (!(a <= sum && text)) {'),
    (10, 'removed statement', '    ;'),
    (11, 'ignored failure', '        (void)(g(a));'),
    (11, 'removed statement', '    ;'),
    (12, 'removed statement', '    ;'),
    (13, 'true becomes false', '        return false;'),
]


def main(scripts):
    sys.path.insert(0, scripts)
    import mutate  # pylint: disable=import-outside-toplevel
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, 'f.c')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(SOURCE)
        found = list(mutate.mutations_in(path, set(range(1, 100))))
        some = list(mutate.mutations_in(path, {6}))
    for line, kind, text in EXPECTED:
        if not any(m.line == line and m.kind == kind
                   and m.text.strip() == text.strip() for m in found):
            sys.exit(f'mutate: line {line}: "{kind}" is missing in {found}')
    if len(found) != len(EXPECTED):
        sys.exit(f'mutate: {len(found)} mutations instead of '
                 f'{len(EXPECTED)}: {found}')
    if [m.line for m in some] != [6, 6]:
        sys.exit(f'mutate: mutations of other lines: {some}')


if __name__ == '__main__':
    main(sys.argv[1])
