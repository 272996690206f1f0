"""picture.py - Draws the times of other libraries relative to Varve's.

    python3 bench/peers/picture.py FIGURES.json >PICTURE.svg

FIGURES.json is the output of bench/run.sh --peers. Each row of the picture is
one kind of work, each dot the median of one library divided by Varve's. Varve
is the line at 1. A library that does not do the work has no dot. All libraries
use their defaults.

SPDX-License-Identifier: MIT
"""
import json
import math
import re
import statistics
import sys

import chart
from peers import size_text

NAMES = {'safetensors': 'safetensors', 'torch': 'PyTorch', 'h5py': 'HDF5',
         'npz': 'NumPy npz', 'adios2': 'ADIOS2', 'dcp': 'PyTorch DCP',
         'tensorflow': 'TensorFlow'}
WIDTH, LEFT, RIGHT, TOP, ROW, BOTTOM = 760, 210, 24, 96, 30, 46


def works(figures):
    large = size_text(figures['size'])
    small, tiny = figures['small'], figures['tiny']
    return [
        (f'save {large}, durable', 'large', 'save'),
        (f'restore {large}, warm', 'large', 'into'),
        (f'restore {large}, cold', 'large', 'cold into'),
        (f'save {small:,} tensors of 4 KiB', 'small', 'save'),
        (f'restore {small:,} tensors of 4 KiB', 'small', 'into'),
        (f'save {tiny:,} tensors of 64 B', 'tiny', 'save'),
        (f'restore {tiny:,} tensors of 64 B', 'tiny', 'into'),
        (f'list {tiny:,} names', 'tiny', 'list')]


def medians(figures):
    return {(row['stage'], row['command'], row['peer']):
            statistics.median(row['runs']) for row in figures['rows']}


def rows_of(figures):
    """Pairs of a label and the ratios by library."""
    times = medians(figures)
    for label, stage, command in works(figures):
        ours = times.get((stage, command, 'varve'))
        ratios = {peer: times[stage, command, peer] / ours for peer in NAMES
                  if ours and (stage, command, peer) in times}
        if ratios:
            yield label, ratios


def place_of(ratio, low, high):
    part = (math.log(ratio) - math.log(low)) / (math.log(high) - math.log(low))
    return LEFT + part * (WIDTH - RIGHT - LEFT)


def legend():
    parts, x = [], LEFT
    for name, color in zip(NAMES.values(), chart.COLORS):
        parts.append(f'<circle cx="{x + 5}" cy="58" r="5" fill="{color}"/>')
        parts.append(chart.text(x + 14, 62, name, 'start', 11))
        x += 24 + 6.3 * len(name)
    return parts


def draw(figures):
    rows = list(rows_of(figures))
    ratios = [ratio for _, many in rows for ratio in many.values()]
    low = min(0.5, min(ratios) / 1.2)
    high = max(ratios) * 1.3
    height = TOP + ROW * len(rows) + BOTTOM
    end = height - BOTTOM
    parts = [
        chart.text(16, 26, 'Time relative to Varve', 'start', 17, '#111'),
        chart.text(16, 44, 'logarithmic; right of the line: slower than Varve',
                   'start', 11, '#666'), *legend()]
    for tick in (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000):
        if low <= tick <= high:
            x = place_of(tick, low, high)
            is_varve = tick == 1
            parts.append(chart.line(x, TOP - 14, x, end, '#111' if is_varve
                                    else '#e3e6e8', 2 if is_varve else 1))
            parts.append(chart.text(x, end + 18,
                                    'Varve' if is_varve else f'{tick:g}×'))
    for i, (label, many) in enumerate(rows):
        y = TOP + ROW * i + ROW / 2
        parts.append(chart.text(LEFT - 14, y + 4, label, 'end'))
        for peer, color in zip(NAMES, chart.COLORS):
            if peer in many:
                x = place_of(many[peer], low, high)
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" '
                             f'fill="{color}" fill-opacity="0.85"/>')
    machine = figures['machine']
    system = re.match(r'\w+ \d+\.\d+|.*', machine['system'])[0]
    parts.append(chart.text(
        16, height - 8, f"{figures['when']}, {machine['processors']} "
        f"processors ({machine['processor']}), {system}",
        'start', 10, '#666'))
    body = '\n'.join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
            f'height="{height}" viewBox="0 0 {WIDTH} {height}" '
            'font-family="sans-serif">\n'
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n'
            f'{body}\n</svg>')


if __name__ == '__main__':
    with open(sys.argv[1], encoding='utf-8') as stream:
        print(draw(json.load(stream)))
