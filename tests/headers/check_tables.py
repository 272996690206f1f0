#!/usr/bin/env python3
"""check_tables.py - Tests which rows of a table of struct members, and which
views of values, compile.

    tests/headers/check_tables.py INCLUDE

Wrong ones must not compile, and correct ones must compile without a warning,
in every installed compiler; tables also as C99, for compilers that accept the
C11 features in them.

SPDX-License-Identifier: MIT
"""
import itertools
import shutil
import subprocess
import sys

WARNINGS = ['-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-Werror',
            '-fsyntax-only']
WAYS = [['-std=c11', '-Wpedantic'], ['-std=c99', '-Wno-c11-extensions']]

MANY = ', '.join(f'm{i}' for i in range(1, 33))

PROGRAM = '''
#include <stdlib.h>
#include <varve/struct.h>
struct inner { float a; };
struct many { int %s, m33; };
struct s {
    float x, row[4], grid[2][3], cube[2][3][4], *p, (*rows)[9];
    float *restrict r, *many[2];
    const char *text;
    char *owned;
    char name[8];
    struct inner inner, inners[2], *behind;
    void *any;
    int n, m;
    bool flag;
    enum { ONE, TWO } e;
    double _Complex z;
    uint16_t r16[3];
    unsigned bits : 3;
    int under : 5;
    bool yes : 1;
    uint64_t wide : 40;
    double **lines, *six[6];
    const double **stills;
    struct inner table[2][3], flat[6];
    float tail[];
};
static size_t count(const void *object)
{
    return (size_t)((const struct s *)object)->n;
}
static size_t length(const void *object, size_t row)
{
    return count(object) - row;
}
size_t (*const measuring)(const void *, size_t) = length;
size_t (*const counting)(const void *) = count;
static const varve_field inner_fields[] = {
    VARVE_FIELD(struct inner, a), VARVE_FIELDS_END };
static const varve_field fields[] = { %s, VARVE_FIELDS_END };
const varve_field *all[] = { inner_fields, fields };
'''

VIEW = '''
#include <varve/tensor.h>
varve_tensor view(float *p, float (*rows)[9]);
varve_tensor view(float *p, float (*rows)[9])
{
    static float one, pair[2], row[4], cube[2][3][4];
    static const float still[2][9];
    float *const fixed = &one;
    (void)cube, (void)still, (void)p, (void)rows;
    (void)pair, (void)row, (void)fixed;
    static char letter, letters[9];
    static const float kept;
    static bool yes;
    (void)letter, (void)letters, (void)kept, (void)yes;
    return %s;
}
'''

GOOD = [
    'VARVE_FIELD(struct s, x)',
    'VARVE_FIELD(struct s, x, .is_later = true, .older_names = "y")',
    'VARVE_FIELDS(struct s, x)',
    'VARVE_FIELDS(struct s, x, row, grid, n, flag, e), '
    'VARVE_FIELDS(struct s, z, r16)',
    'VARVE_FIELDS(struct many, ' + MANY + ')',
    'VARVE_FIELD_ARRAY(struct s, row)',
    'VARVE_FIELD_ARRAY(struct s, grid, .is_fixed = true)',
    'VARVE_FIELD_ARRAY_3D(struct s, cube)',
    'VARVE_FIELD_AS(struct s, name, VARVE_UINT8)',
    'VARVE_FIELD_POINTER(struct s, p, n)',
    'VARVE_FIELD_POINTER(struct s, r, n, .room = calloc)',
    'VARVE_FIELD_POINTER(struct s, rows, n)',
    'VARVE_FIELD_POINTER_2D(struct s, p, n, m, .room = calloc)',
    'VARVE_FIELD_POINTER_BY(struct s, p, count, .called = "kernel")',
    'VARVE_FIELD_POINTER_BY(struct s, rows, count, .more = 1)',
    'VARVE_FIELD_STRUCTS_BY(struct s, behind, inner_fields, count)',
    'VARVE_FIELD(struct s, x, .called = "y", .is_fixed = true)',
    'VARVE_FIELD_END(struct s, tail, n)',
    'VARVE_FIELD_TEXT(struct s, name)',
    'VARVE_FIELD_TEXT_POINTER(struct s, owned)',
    'VARVE_FIELD_TEXT_POINTER(struct s, owned, .is_later = true)',
    'VARVE_FIELD_STRUCT(struct s, inner, inner_fields)',
    'VARVE_FIELD_STRUCT_AT(struct s, behind, inner_fields)',
    'VARVE_FIELD_STRUCTS(struct s, inners, inner_fields)',
    'VARVE_FIELD_STRUCTS_AT(struct s, behind, inner_fields, n)',
    'VARVE_FIELD_GONE("z")',
    'VARVE_FIELD_BITS(struct s, bits), VARVE_FIELD_BITS(struct s, under)',
    'VARVE_FIELD_BITS(struct s, yes, .is_later = true)',
    'VARVE_FIELD_BITS(struct s, wide, .called = "w")',
    'VARVE_FIELD_ROWS(struct s, lines, n, m, .room = calloc)',
    'VARVE_FIELD_ROWS_BY(struct s, lines, n, length)',
    'VARVE_FIELD_STRUCTS_2D(struct s, table, inner_fields)',
]

BAD = [
    'VARVE_FIELDS(struct s)',
    'VARVE_FIELDS(struct s, no)',
    'VARVE_FIELDS(struct s, x, p)',
    'VARVE_FIELDS(struct s, rows)',
    'VARVE_FIELDS(struct s, x, inner)',
    'VARVE_FIELDS(struct s, inners)',
    'VARVE_FIELDS(struct s, many)',
    'VARVE_FIELDS(struct s, cube)',
    'VARVE_FIELDS(struct s, name)',
    'VARVE_FIELDS(struct s, text)',
    'VARVE_FIELDS(struct s, tail)',
    'VARVE_FIELDS(struct s, bits)',
    'VARVE_FIELDS(struct many, ' + MANY + ', m33)',
    'VARVE_FIELD(struct s, no)',
    'VARVE_FIELD(struct s, p)',
    'VARVE_FIELD(struct s, row)',
    'VARVE_FIELD(struct s, name)',
    'VARVE_FIELD(struct s, inner)',
    'VARVE_FIELD(struct s, bits)',
    'VARVE_FIELD_ARRAY(struct s, x)',
    'VARVE_FIELD_ARRAY(struct s, p)',
    'VARVE_FIELD_ARRAY(struct s, rows)',
    'VARVE_FIELD_ARRAY(struct s, cube)',
    'VARVE_FIELD_ARRAY(struct s, many)',
    'VARVE_FIELD_ARRAY(struct s, inners)',
    'VARVE_FIELD_ARRAY_3D(struct s, grid)',
    'VARVE_FIELD_POINTER(struct s, row, n)',
    'VARVE_FIELD_POINTER(struct s, grid, n)',
    'VARVE_FIELD_POINTER(struct s, p, x)',
    'VARVE_FIELD_POINTER(struct s, p, no)',
    'VARVE_FIELD_POINTER_BY(struct s, row, count)',
    'VARVE_FIELD_POINTER_BY(struct s, p, n)',
    'VARVE_FIELD_STRUCTS_BY(struct s, n, inner_fields, count)',
    'VARVE_FIELD_POINTER(struct s, text, n)',
    'VARVE_FIELD_POINTER(struct s, any, n)',
    'VARVE_FIELD_POINTER(struct s, behind, n)',
    'VARVE_FIELD_TEXT(struct s, text)',
    'VARVE_FIELD_TEXT(struct s, row)',
    'VARVE_FIELD_TEXT_POINTER(struct s, name)',
    'VARVE_FIELD_TEXT_POINTER(struct s, p)',
    'VARVE_FIELD_TEXT_POINTER(struct s, text)',
    'VARVE_FIELD_STRUCT_AT(struct s, n, inner_fields)',
    'VARVE_FIELD_STRUCTS(struct s, inner, inner_fields)',
    'VARVE_FIELD_BITS(struct s, x)',
    'VARVE_FIELD_BITS(struct s, row)',
    'VARVE_FIELD_BITS(struct s, p)',
    'VARVE_FIELD_BITS(struct s, inner)',
    'VARVE_FIELD_ROWS(struct s, p, n, m)',
    'VARVE_FIELD_ROWS(struct s, six, n, m)',
    'VARVE_FIELD_ROWS(struct s, stills, n, m)',
    'VARVE_FIELD_ROWS(struct s, behind, n, m)',
    'VARVE_FIELD_ROWS_BY(struct s, lines, n, count)',
    'VARVE_FIELD_STRUCTS_2D(struct s, flat, inner_fields)',
    'VARVE_FIELD_STRUCTS_2D(struct s, behind, inner_fields)',
]


GOOD_VIEWS = [f'varve_scalar({one})' for one in
              ('&one', 'p', 'p + 1', 'fixed', '&row[2]')] + [
    'varve_array(p, 9)', 'varve_array(row, 2, 2)', 'varve_array(rows, 4, 9)',
    'varve_array(cube[0], 3, 4)', 'varve_array(&cube[0][0][0], 2, 3, 4)',
    'varve_array(&row, 1, 4)']
BAD_VIEWS = [f'varve_scalar({one})' for one in
             ('pair', 'row', 'rows', '*rows', '&row', 'one', 'yes', '&letter',
              '&kept', 'letters')] + [
    'varve_array(cube, 2, 3, 4)', 'varve_array(still, 2, 9)',
    'varve_array(one, 1)', 'varve_array(&rows, 9)', 'varve_array(p)',
    'varve_array(row)']

# A part of the message, which C11 compilers print.
MESSAGES = {f'varve_scalar({one})': 'varve_scalar needs a pointer to a number '
            'that is not const' for one in
            ('one', 'yes', '&letter', '&kept', 'letters', '&row')}
MESSAGES['varve_scalar(pair)'] = 'use varve_array for an array'
MESSAGES['varve_array(still, 2, 9)'] = 'numbers that are not const'
MESSAGES['varve_array(p)'] = 'varve_array needs the extents'


def compiles(compiler, way, include, text):
    run = subprocess.run(
        [compiler, *way, *WARNINGS, '-I', include, '-x', 'c', '-'],
        input=text, capture_output=True, text=True, check=False)
    return run.returncode == 0, run.stderr


def cases():
    """Yields programs, their names, and if they must compile."""
    for line in GOOD + BAD:
        yield PROGRAM % (MANY, line), line, line in GOOD
    for view in GOOD_VIEWS + BAD_VIEWS:
        yield VIEW % view, view, view in GOOD_VIEWS


def main():
    complaints = 0
    compilers = [c for c in ('cc', 'clang') if shutil.which(c)]
    for compiler, way in itertools.product(compilers, WAYS):
        for text, name, is_good in cases():
            done, said = compiles(compiler, way, sys.argv[1], text)
            message = MESSAGES.get(name, '') if way is WAYS[0] else ''
            if done == is_good and message in said:
                continue
            complaints += 1
            if done == is_good:
                print(f'{compiler}: {name}: no message {message!r} in:\n'
                      f'{said[:2000]}')
                continue
            print(f'{compiler} {way[0]}: {name}: expected it '
                  f'{"to compile" if is_good else "not to"}')
            print(said[:2000] if is_good else '', end='')
    print(f'tables: {len(GOOD)} good and {len(BAD)} bad lines, with '
          f'{", ".join(compilers)}: {complaints} errors')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
