#!/usr/bin/env python3
"""make_philox.py - Writes philox.h: random numbers of numpy that Varve must
reproduce.

    tests/golden/make_philox.py >tests/golden/philox.h

Requires numpy 1.17 or later. The keys of named streams come from
tests/xxh3.py, the quantiles from Python's statistics.NormalDist.

SPDX-License-Identifier: MIT
"""
import os
import statistics
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..'))
import xxh3  # noqa: E402

KEYS = [(0, 0), (1, 2), (2**64 - 1, 2**64 - 1),
        (0x452821e638d01377, 0xbe5466cf34e90c6c)]
PLACES = [0, 1, 3, 4, 1000, 2**32 * 4 - 2, 2**50 + 1]
NAMES = [(0, ''), (42, 'model/dropout'), (2**64 - 1, 'a' * 300)]
LIMITS = [2**32 + 1, 10**18, 2**63 + 1, 2**64 - 3]
CHANCES = [2.0**-53, 1e-12, 0.0001, 0.0227, 0.075, 0.1, 0.4, 0.5, 0.6, 0.925,
           0.93, 0.999, 1 - 2.0**-53]
WORDS = 9


def bits(key, counter=0):
    counter = [counter, 0, 0, 0]
    return numpy.random.Philox(
        key=numpy.array(key, dtype=numpy.uint64),
        counter=numpy.array(counter, dtype=numpy.uint64))


def words_at(key, place, count):
    """Returns words from a position on. Each counter yields four words, and
    numpy increments it first."""
    made = bits(key, place // 4).random_raw(place % 4 + count)
    return [int(word) for word in made[place % 4:]]


def key_of(seed, path):
    text = xxh3.xxh3_128(path.encode())
    whole = xxh3.xxh3_128(seed.to_bytes(8, 'little') + text)
    return tuple(int.from_bytes(half, 'big')
                 for half in (whole[8:], whole[:8]))


def numbers_below(key, limit):
    generator = numpy.random.Generator(bits(key))
    made = generator.integers(limit, dtype=numpy.uint64, size=WORDS)
    return [int(number) for number in made]


def in_pairs(texts):
    texts = list(texts)
    lines = [', '.join(texts[i:i + 2]) for i in range(0, len(texts), 2)]
    return ',\n        '.join(lines)


def c_numbers(numbers):
    return in_pairs(f'UINT64_C(0x{number:016x})' for number in numbers)


def table(kind, name, rows):
    print(f'static const struct {kind} {name}[] = {{')
    for row in rows:
        print(f'    {row},')
    print('};\n')


def main():
    version = numpy.__version__
    print(f'''/* philox.h - numbers of numpy {version}, by make_philox.py.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GOLDEN_PHILOX_H
#define GOLDEN_PHILOX_H

#include <stdint.h>

enum {{ GOLDEN_WORDS = {WORDS} }};

/* Words of numpy.random.Philox from a place on. */
struct golden_words {{
    uint64_t key[2];
    uint64_t place;
    uint64_t words[GOLDEN_WORDS];
}};
''')
    table('golden_words', 'golden_words', [
        f'{{ {{ {c_numbers(key)} }},\n        {place}u,\n'
        f'        {{ {c_numbers(words_at(key, place, WORDS))} }} }}'
        for key in KEYS for place in PLACES])
    print('''/* Generator(Philox(key)).random(). */
struct golden_units {
    uint64_t key[2];
    double units[GOLDEN_WORDS];
};
''')
    table('golden_units', 'golden_units', [
        f'{{ {{ {c_numbers(key)} }},\n        {{ '
        + in_pairs(
            unit.hex() for unit in
            numpy.random.Generator(bits(key)).random(WORDS).tolist())
        + ' } }' for key in KEYS])
    print('''/* Generator(Philox(key)).integers(limit, dtype=uint64). */
struct golden_below {
    uint64_t key[2];
    uint64_t limit;
    uint64_t numbers[GOLDEN_WORDS];
};
''')
    table('golden_below', 'golden_below', [
        f'{{ {{ {c_numbers(key)} }},\n        {limit}u,\n        {{ '
        + c_numbers(numbers_below(key, limit)) + ' } }'
        for key in KEYS for limit in LIMITS])
    print('''/* Keys of seeds and paths, by another XXH3. */
struct golden_key {
    uint64_t seed;
    const char *path; /* NULL: 300 times "a" */
    uint64_t key[2];
};
''')
    table('golden_key', 'golden_keys', [
        f'{{ {c_numbers([seed])},\n        '
        + (f'"{path}"' if len(path) < 99 else 'NULL')
        + f',\n        {{ {c_numbers(key_of(seed, path))} }} }}'
        for seed, path in NAMES])
    print('''/* statistics.NormalDist().inv_cdf(). */
struct golden_quantile {
    double p;
    double x;
};
''')
    table('golden_quantile', 'golden_quantiles', [
        f'{{ {p.hex()},\n        {statistics.NormalDist().inv_cdf(p).hex()} }}'
        for p in CHANCES])
    print('#endif')


main()
