#!/usr/bin/env python3
"""growth.py - Checks that costs grow in proportion to what a call is given.

    tests/growth/growth.py GROWTH FOLDER OPTIMIZATION [FAMILY...]

Runs each family of the program with n and 4 n items under callgrind, and
compares the instructions and the peak of the memory. Exponent 1 is linear, 2
quadratic. A family may also have upper limits of instructions and of bytes per
item at 4 n. OPTIMIZATION is Meson's option: limits of constants hold for 2, 3
and s. Exits with 1 if a limit is exceeded, and with 77 without valgrind.

SPDX-License-Identifier: MIT
"""
import math
import os
import re
import shutil
import subprocess
import sys

MOST_EXPONENT = 1.25
ITEMS = 250
# Items, and most instructions per item at 4 n (None: only the exponent).
FAMILIES = {
    'rename-exact': (ITEMS, None),
    'rename-exact-same-end': (ITEMS, None),
    'rename-begin': (ITEMS, None),
    'rename-end': (ITEMS, None),
    'rename-above': (ITEMS, None),
    'rename-deep-begin': (ITEMS, None),
    'rename-deep-end': (ITEMS, None),
    'rename-deep-middle': (ITEMS, None),
    'rename-deep-twice': (ITEMS, None),
    'rename-slot': (ITEMS, None),
    'pattern-begin': (ITEMS, None),
    'pattern-end': (ITEMS, None),
    'pattern-middle': (ITEMS, None),
    'pattern-deep': (ITEMS, None),
    'deep-walk': (1000, 5000),
    'deep-each': (1000, 40000),
    'deep-pattern': (1000, 40000),
    'deep-report': (1000, 45000),
    'deep-renamed': (1000, 250000),
    'deep-load': (1000, 40000),
    'count': (ITEMS, 12000),
    'assert': (ITEMS, 120000),
}
# Costs of one scalar in a graph of many: items, most instructions and most
# bytes per item at 4 n. The limits are 1.3 times the measured costs.
CONSTANTS = {
    'build': (6250, 3800, 340),
    'write': (6250, 725, 130),
    'write-clean': (6250, 790, 210),
    'read': (6250, 1700, 200),
    'reader-open': (6250, 370, 119),
    'reader-list': (6250, 1040, 1),
    'reader-read': (6250, 890, 1),
    'drop-exact': (ITEMS, 3000, 10),
    'drop-wild': (ITEMS, 10500, 140),
    'random': (ITEMS, 8000, 700),
}

# Filling memory for MALLOC_PERTURB_, which Meson sets, would be counted.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name != 'MALLOC_PERTURB_'}


def measure(growth, folder, family, items):
    """Instructions and bytes of one run."""
    place = os.path.join(folder, family)
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    out = os.path.join(place, 'counts')
    done = subprocess.run(
        ['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}', '-q',
         growth, family, str(items), place],
        check=True, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    with open(out + '.1', encoding='utf-8') as stream:
        totals = re.search(r'^totals: (\d+)', stream.read(), re.M)
    shutil.rmtree(place)
    space, calls = done.stdout.split()
    return int(totals.group(1)), int(space), int(calls)


def exponent(few, many):
    return math.log(max(many, 1) / max(few, 1)) / math.log(4)


def main():
    growth, folder, optimization, *chosen = sys.argv[1:]
    is_optimized = optimization in ('2', '3', 's')
    if not shutil.which('valgrind'):
        print('growth: valgrind is not installed')
        return 77
    print(f'{"family":22} {"items":>6} {"instructions":>13} {"each":>8} '
          f'{"exponent":>8} {"bytes":>10} {"each":>8} {"exponent":>8} '
          f'{"allocations":>11}')
    failed = False
    for family, (items, most, *most_bytes) in {
            **FAMILIES, **CONSTANTS}.items():
        if chosen and family not in chosen:
            continue
        if family in CONSTANTS and not is_optimized:
            most = None
        few = measure(growth, folder, family, items)
        many = measure(growth, folder, family, 4 * items)
        each = many[0] / (4 * items)
        time, space, _ = (exponent(a, b) for a, b in zip(few, many))
        each_bytes = many[1] / (4 * items)
        # A few blocks of memory do not make a trend.
        is_bad = (time > MOST_EXPONENT or
                  (space > MOST_EXPONENT and many[1] > 1 << 20) or
                  (most is not None and each > most) or
                  any(each_bytes > limit for limit in most_bytes if limit))
        failed |= is_bad
        print(f'{family:22} {4 * items:6} {many[0]:13} {each:8.0f} {time:8.2f} '
              f'{many[1]:10} {each_bytes:8.0f} {space:8.2f} {many[2]:11}'
              f'{"  <--" if is_bad else ""}',
              flush=True)
    return 1 if failed else 0


sys.exit(main())
