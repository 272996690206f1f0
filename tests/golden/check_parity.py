#!/usr/bin/env python3
"""check_parity.py - Tests that the independent reader of parity and the
library agree about the golden sets.

    check_parity.py MAKE_NODES DUMP NODES

Compares newly written sets, each of their files, and the files that are
rebuilt after ranks are lost.

SPDX-License-Identifier: MIT
"""
import itertools
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from check_golden import compare  # noqa: E402
import read_parity  # noqa: E402

RANKS = range(5)


def read_set(place):
    """Reads the parity files and checkpoints of each rank."""
    parities, files = {}, {}
    for rank in RANKS:
        folder = place / f'rank-{rank}'
        parities[rank] = read_parity.Parity(
            (folder / 'ckpt-1.parity').read_bytes())
        files[rank] = (folder / 'ckpt-1.varve').read_bytes()
    read_parity.check_set(parities, files)
    return parities, files


def contents(place):
    return {(rank, ending): (place / f'rank-{rank}' /
                             f'ckpt-1.{ending}').read_bytes()
            for rank in RANKS for ending in ('varve', 'parity')}


def can_be_lost(parities, ranks):
    """Returns true if these ranks can be lost together: one of each group
    with XOR; no two adjacent ranks with partners."""
    for rank, other in itertools.permutations(ranks, 2):
        p = parities[rank]
        if other not in p.members:
            continue
        distance = p.members.index(other) - p.members.index(rank)
        if p.scheme == read_parity.XOR or distance % len(p.members) in (
                1, len(p.members) - 1):
            return False
    return True


def rebuild_here(golden, ranks):
    """Reads a set with the independent reader: the checkpoints, then the
    copies and parity kept for others."""
    parities, files = read_set(golden)
    left = {r: p for r, p in parities.items() if r not in ranks}
    found = {r: data for r, data in files.items() if r not in ranks}
    for rank in ranks:
        found[rank] = read_parity.rebuild(left, dict(found), rank)
    blocks = {}
    for rank in ranks:
        p = next(p for p in left.values() if rank in p.members)
        blocks[rank] = p.parity_of(found, p.members.index(rank))
    return found, blocks


def check_lost(make, golden, scheme, ranks):
    """Checks that library and independent reader rebuild the original
    files."""
    expected = contents(golden)
    found, blocks = rebuild_here(golden, ranks)
    for rank in ranks:
        assert found[rank] == expected[rank, 'varve'], (scheme, rank)
        assert expected[rank, 'parity'].endswith(blocks[rank]), (scheme, rank)
    with tempfile.TemporaryDirectory() as place:
        copy = pathlib.Path(place) / 'run'
        shutil.copytree(golden, copy)
        for rank in ranks:
            shutil.rmtree(copy / f'rank-{rank}')
        subprocess.run([make, scheme, str(copy), 'resume'], check=True)
        assert contents(copy) == expected, (scheme, ranks)


def check_written(make, golden, scheme):
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([make, scheme, place], check=True)
        assert contents(pathlib.Path(place)) == contents(golden), scheme


def main(make, dump, nodes):
    for scheme in ('xor', 'partner'):
        golden = pathlib.Path(nodes) / scheme
        parities, _ = read_set(golden)
        for rank in RANKS:
            compare(dump, golden / f'rank-{rank}' / 'ckpt-1.varve')
        check_written(make, golden, scheme)
        tried = 0
        for ranks in itertools.chain(itertools.combinations(RANKS, 1),
                                     itertools.combinations(RANKS, 2)):
            if can_be_lost(parities, ranks):
                check_lost(make, golden, scheme, ranks)
                tried += 1
        print(f'{scheme}: {tried} ways to lose ranks')
        assert tried > len(RANKS), tried


if __name__ == '__main__':
    main(*sys.argv[1:])
