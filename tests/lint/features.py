#!/usr/bin/env python3
"""features.py - Checks the table of files of lib/ that depend on each feature.

    tests/lint/features.py [--print] SOURCE

A file (a `.c` with its `.h`) depends on a feature if its code, without
comments and strings, contains one of the feature's names below. The table of
docs/developers/features.md must contain exactly these files. --print prints
the correct table: a file remains in the second column if it is there already,
and all others are in the third.

SPDX-License-Identifier: MIT
"""
import os
import re
import sys

import circles

PAGE = 'docs/developers/features.md'
NAMES = {
    'pieces': r'(vv_)?piece_(boxes|ends|start|room)|pieced_(count|values)|'
              r'vv_piece_\w+|vv_value_piece|is_in_pieces|'
              r'vv_index_(add|find)_pieces|vv_check_(all_)?pieces|'
              r'vv_is_next_in_pieces',
    'incremental checkpoints':
        r'vv_layer\w*|vv_prune_layers|layer_(nonces|sizes)|place_layers|'
        r'increment\.\w+|vv_page_sums\w*|paged_(chunks|count)|'
        r'page_digests|page_digest_count|vv_known_pages',
    'compression': r'vv_pack\w*|vv_unpack\w*|vv_planes_\w+|'
                   r'place_packed|packed_count',
    'rank-local nodes': r'vv_private\w*|VARVE_TAG_RANK_LOCAL|'
                        r'varve_\w*rank_local\w*|vv_\w*_private\w*|'
                        r'first_private',
    'shards': r'varve_slice\w*|varve_add\w*_slice|'
              r'vv_slice_(may_be|new|text|kind|sender)|vv_slices_\w+|'
              r'vv_save_plan_\w*slices?|vv_contribution_slice',
    'tracking': r'vv_dirty\w*|vv_tracking\w*|vv_unchanged\w*|open_tracker|'
                r'vv_posix_(open_|un)?track\w*',
    'salvage': r'\w*salvage\w*',
    'resizing': r'\w*_resizing|vv_scope_resizes|vv_is_resized|'
                r'varve_add_resizable',
    'fixed values': r'\w*is_fixed|vv_put_fixed_behind|vv_has_fixed_shape|'
                    r'vv_do_fixed_differ|vv_report_fixed|skips_fixed|'
                    r'only_fixed|fixed_count|varve_add_fixed_variable|'
                    r'vv_fixed_value\w*',
    'strided views': r'vv_strided\w*',
    'levels': r'vv_level\w*|level_count',
    'outputs': r'vv_output\w*|vv_state_(guard|check|sync|is_guarded)|'
               r'vv_items_(check|sync)_states|varve_add_\w*output\w*',
    'structs': r'vv_struct(_\w+)?|vv_is_struct|vv_field\w*|varve_field',
}
COLUMNS = {'index', 'index_in', 'index_out', 'value_check'}
TEXT = re.compile(r'"(\\.|[^"\\\n])*"')
ROW = re.compile(r'^\| ([\w -]+) \| ([^|]*) \| ([^|]*) \|$', re.M)


def code_of(source):
    """Returns the code of each file without strings, by name without
    suffix."""
    return {os.path.basename(path): TEXT.sub(' ', code)
            for path, code in circles.read(source).items()}


def table_of(source):
    """Returns the files in the second and in the third column, by feature."""
    with open(os.path.join(source, PAGE), encoding='utf-8') as stream:
        rows = ROW.findall(stream.read())
    return {name: [set(re.findall(r'`(\w+)`', cell)) for cell in cells]
            for name, *cells in rows if name in NAMES}


def known(code, name):
    """Returns the files that depend on a feature; both columns are
    combined."""
    word = re.compile(rf'\b(?:{NAMES[name]})\b')
    files = {stem for stem, text in code.items() if word.search(text)}
    return (files - COLUMNS) | ({'columns'} if files & COLUMNS else set())


def print_table(code, table):
    for name in NAMES:
        files = known(code, name)
        home = table.get(name, [set()])[0] & files
        cells = [', '.join(f'`{stem}`' for stem in sorted(part))
                 for part in (home, files - home)]
        print(f'| {name} | {cells[0]} | {cells[1]} |')
    print()
    for name in NAMES:
        files = known(code, name)
        home = table.get(name, [set()])[0] & files
        print(f'{name:17} {len(files):3} files, {len(files - home):3} of '
              'them elsewhere')


def main():
    source = sys.argv[-1]
    code = code_of(source)
    table = table_of(source)
    if '--print' in sys.argv:
        print_table(code, table)
        return 0
    wrong = []
    for name in NAMES:
        here = set().union(*table.get(name, []))
        there = known(code, name)
        wrong += [f'{PAGE}: {name}: `{stem}` is missing'
                  for stem in there - here]
        wrong += [f'{PAGE}: {name}: `{stem}` does not use the feature'
                  for stem in here - there]
    print('\n'.join(sorted(wrong)) or f'features: {PAGE} is correct')
    return 1 if wrong else 0


sys.exit(main())
