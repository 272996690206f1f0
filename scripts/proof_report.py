#!/usr/bin/env python3
"""proof_report.py - Prints the results of scripts/prove.sh as JSON and a table.

    scripts/proof_report.py RESULTS COUNTS FUZZ

RESULTS contains a line "section passed|failed seconds" for each section. COUNTS
contains lines "name number"; numbers of the same name are added. FUZZ contains
a JSON object per line and target. JSON is printed to standard output, a
Markdown table to standard error. The exit status is 1 if a section failed or
none ran.

SPDX-License-Identifier: MIT
"""
import json
import os
import platform
import subprocess
import sys
import time


def lines_of(path):
    """Returns the words of each line; none if the file does not exist."""
    try:
        with open(path, encoding='utf-8') as file:
            return [line.split() for line in file if line.strip()]
    except FileNotFoundError:
        return []


def counts_of(path):
    counts = {}
    for name, number in lines_of(path):
        counts[name] = counts.get(name, 0) + int(number)
    return dict(sorted(counts.items()))


def fuzz_of(path):
    try:
        with open(path, encoding='utf-8') as file:
            return [json.loads(line) for line in file if line.strip()]
    except FileNotFoundError:
        return []


def commit():
    found = subprocess.run(
        ['git', 'describe', '--always', '--dirty'], check=False,
        capture_output=True, text=True)
    return found.stdout.strip() or None


def page(report):
    yield f"{report['date']}, {report['commit'] or 'no commit'}, " \
        f"{report['machine']}"
    yield ''
    yield '| section | result | seconds |'
    yield '| --- | --- | ---: |'
    for s in report['sections']:
        yield f"| {s['name']} | {s['result']} | {s['seconds']:,} |"
    yield ''
    yield '| cases | number |'
    yield '| --- | ---: |'
    for name, number in report['counts'].items():
        yield f'| {name} | {number:,} |'
    for target in report['fuzz']:
        yield f"| fuzz.{target['target']}, inputs | " \
            f"{target['executions']:,} |"


def main():
    results, counts, fuzz = sys.argv[1:]
    report = {
        'schema': 'varve.proof/1',
        'date': time.strftime('%Y-%m-%d'),
        'commit': commit(),
        'machine': f'{platform.system()} {platform.release()}, '
                   f'{platform.machine()}, {os.cpu_count()} processors',
        'sections': [
            {'name': name, 'result': result, 'seconds': int(seconds)}
            for name, result, seconds in lines_of(results)],
        'counts': counts_of(counts),
        'fuzz': fuzz_of(fuzz),
    }
    print('\n'.join(page(report)), file=sys.stderr)
    print(json.dumps(report, indent=1))
    good = [s['result'] == 'passed' for s in report['sections']]
    return 0 if good and all(good) else 1


sys.exit(main())
