#!/usr/bin/env python3
"""check_tables.py - lines of a struct's table that must not compile, and those
that must, without a warning, in every compiler that is there.

    tests/headers/check_tables.py INCLUDE

SPDX-License-Identifier: MIT
"""
import shutil
import subprocess
import sys

WARNINGS = ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Wconversion',
            '-Wshadow', '-Werror', '-fsyntax-only']

PROGRAM = '''
#include <stdlib.h>
#include <varve/struct.h>
struct inner { float a; };
struct s {
    float x, row[4], grid[2][3], cube[2][3][4], *p, (*rows)[9];
    float *restrict r, *many[2];
    const char *text;
    char name[8];
    struct inner inner, inners[2], *behind;
    void *any;
    int n, m;
    unsigned bits : 3;
    float tail[];
};
static const varve_field inner_fields[] = {
    VARVE_FIELD(struct inner, a), VARVE_FIELDS_END };
static const varve_field fields[] = { %s, VARVE_FIELDS_END };
const varve_field *all[] = { inner_fields, fields };
'''

GOOD = [
    'VARVE_FIELD(struct s, x)',
    'VARVE_FIELD(struct s, x, .is_later = true, .older_names = "y")',
    'VARVE_FIELD_ARRAY(struct s, row)',
    'VARVE_FIELD_ARRAY(struct s, grid, .is_fixed = true)',
    'VARVE_FIELD_ARRAY_3D(struct s, cube)',
    'VARVE_FIELD_AS(struct s, name, VARVE_UINT8)',
    'VARVE_FIELD_POINTER(struct s, p, n)',
    'VARVE_FIELD_POINTER(struct s, r, n, .room = calloc)',
    'VARVE_FIELD_POINTER(struct s, rows, n)',
    'VARVE_FIELD_POINTER_2D(struct s, p, n, m, .room = calloc)',
    'VARVE_FIELD_END(struct s, tail, n)',
    'VARVE_FIELD_TEXT(struct s, name)',
    'VARVE_FIELD_STRUCT(struct s, inner, inner_fields)',
    'VARVE_FIELD_STRUCT_AT(struct s, behind, inner_fields)',
    'VARVE_FIELD_STRUCTS(struct s, inners, inner_fields)',
    'VARVE_FIELD_STRUCTS_AT(struct s, behind, inner_fields, n)',
    'VARVE_FIELD_GONE("z")',
]

BAD = [
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
    'VARVE_FIELD_POINTER(struct s, text, n)',
    'VARVE_FIELD_POINTER(struct s, any, n)',
    'VARVE_FIELD_POINTER(struct s, behind, n)',
    'VARVE_FIELD_TEXT(struct s, text)',
    'VARVE_FIELD_TEXT(struct s, row)',
    'VARVE_FIELD_STRUCT_AT(struct s, n, inner_fields)',
    'VARVE_FIELD_STRUCTS(struct s, inner, inner_fields)',
]


def compiles(compiler, include, line):
    run = subprocess.run(
        [compiler, *WARNINGS, '-I', include, '-x', 'c', '-'],
        input=PROGRAM % line, capture_output=True, text=True, check=False)
    return run.returncode == 0, run.stderr


def main():
    complaints = 0
    compilers = [c for c in ('cc', 'clang') if shutil.which(c)]
    for compiler in compilers:
        for line in GOOD + BAD:
            done, said = compiles(compiler, sys.argv[1], line)
            if done == (line in GOOD):
                continue
            complaints += 1
            print(f'{compiler}: {line}: expected it '
                  f'{"to compile" if line in GOOD else "not to"}')
            print(said[:2000] if line in GOOD else '', end='')
    print(f'tables: {len(GOOD)} good and {len(BAD)} bad lines, with '
          f'{", ".join(compilers)}: {complaints} complaints')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
