"""chart.py - Draws a line chart with logarithmic axes as SVG.

SPDX-License-Identifier: MIT
"""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 78, 178, 56, 58
COLORS = ['#0b5fa5', '#c8442f', '#2b8a4b', '#8a5bb5', '#b8860b', '#5b6770',
          '#d0669d', '#1a9aa6']
DASHES = ['', '6 4', '2 3']


class Axis:
    """A logarithmic scale: maps values to positions between `low` and
    `high`."""

    def __init__(self, values, low, high, base):
        self.base, self.low, self.high = base, low, high
        self.first = math.floor(math.log(min(values), base) + 1e-9)
        self.last = math.ceil(math.log(max(values), base) - 1e-9)
        self.last = max(self.last, self.first + 1)

    def at(self, value):
        part = math.log(value, self.base) - self.first
        return self.low + part * (self.high - self.low) / (
            self.last - self.first)

    def ticks(self):
        step = max(1, math.ceil((self.last - self.first) / 7))
        parts = (1, 2, 5) if self.base == 10 and (
            self.last - self.first <= 2) else (1,)
        return [part * self.base ** i
                for i in range(self.first, self.last + 1, step)
                for part in parts if i < self.last or part == 1]


def line(x1, y1, x2, y2, color, width=1, dash=''):
    dashes = f' stroke-dasharray="{dash}"' if dash else ''
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{color}" stroke-width="{width}"{dashes}/>')


def text(x, y, words, anchor='middle', size=12, color='#333', more=''):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'font-size="{size}" fill="{color}"{more}>{escape(words)}</text>')


def axes(x, y, labels, formats):
    """Returns grid lines, their labels, and the titles of the axes."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = []
    for tick in x.ticks():
        parts.append(line(x.at(tick), TOP, x.at(tick), bottom, '#e3e6e8'))
        parts.append(text(x.at(tick), bottom + 18, formats[0](tick)))
    for tick in y.ticks():
        parts.append(line(LEFT, y.at(tick), right, y.at(tick), '#e3e6e8'))
        parts.append(text(LEFT - 8, y.at(tick) + 4, formats[1](tick), 'end'))
    parts.append(line(LEFT, bottom, right, bottom, '#333'))
    parts.append(line(LEFT, TOP, LEFT, bottom, '#333'))
    parts.append(text((LEFT + right) / 2, bottom + 42, labels[0], size=13))
    middle = (TOP + bottom) / 2
    parts.append(text(18, middle, labels[1], size=13,
                      more=f' transform="rotate(-90 18 {middle:.1f})"'))
    return parts


def curve(x, y, points, color, dash):
    places = [(x.at(a), y.at(b)) for a, b in points]
    path = ' '.join(f'{a:.1f},{b:.1f}' for a, b in places)
    dashes = f' stroke-dasharray="{dash}"' if dash else ''
    parts = [f'<polyline points="{path}" fill="none" stroke="{color}" '
             f'stroke-width="2"{dashes}/>']
    parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.2" fill="{color}"/>'
              for a, b in places]
    return parts


def legend(entries):
    parts, left = [], WIDTH - RIGHT + 16
    for i, (name, color, dash) in enumerate(entries):
        at = TOP + 8 + 19 * i
        parts.append(line(left, at, left + 26, at, color, 2, dash))
        parts.append(text(left + 32, at + 4, name, 'start'))
    return parts


def draw(title, note, labels, formats, series, x_base=10):
    """Returns the SVG of a chart. `series`: (name, group, points) each; series
    of a group have the same color and different dashes."""
    points = [p for _, _, many in series for p in many]
    x = Axis([p[0] for p in points], LEFT, WIDTH - RIGHT, x_base)
    y = Axis([p[1] for p in points], HEIGHT - BOTTOM, TOP, 10)
    parts = axes(x, y, labels, formats)
    groups, used, entries = [], {}, []
    for name, group, many in series:
        if group not in groups:
            groups.append(group)
        color = COLORS[groups.index(group) % len(COLORS)]
        dash = DASHES[used.get(group, 0) % len(DASHES)]
        used[group] = used.get(group, 0) + 1
        parts += curve(x, y, sorted(many), color, dash)
        entries.append((name, color, dash))
    parts += legend(entries)
    parts.append(text(LEFT, 24, title, 'start', 16, '#111'))
    parts.append(text(LEFT, 42, note, 'start', 11, '#666'))
    body = '\n'.join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
            f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
            'font-family="sans-serif">\n'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n'
            f'{body}\n</svg>\n')


# --- What ticks say ---------------------------------------------------------

def bytes_text(value):
    for unit in ('B', 'KiB', 'MiB', 'GiB', 'TiB'):
        if value < 1024:
            break
        value /= 1024
    return f'{value:g} {unit}'


def count_text(value):
    if value >= 1e6:
        return f'{value / 1e6:g} M'
    return f'{value:,.0f}' if value >= 1 else f'{value:g}'


def seconds_text(value):
    for unit, scale in (('s', 1), ('ms', 1e3), ('\u00b5s', 1e6)):
        if value * scale >= 0.999:
            break
    return f'{value * scale:g} {unit}'


def percent_text(value):
    return f'{value * 100:g} %'
