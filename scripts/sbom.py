#!/usr/bin/env python3
"""sbom.py - Writes the components of a build (SPDX 2.3, JSON): this project and
the libraries that it was built with, with their versions.

    scripts/sbom.py BUILD FILE

Lists the archives of `meson dist` beside FILE with their checksums. Its time is
that of the last commit, or SOURCE_DATE_EPOCH.

SPDX-License-Identifier: MIT
"""
import hashlib
import json
import os
import subprocess
import sys
import time


# Dependencies of tests, examples and benchmarks only.
NOT_SHIPPED = {'criterion', 'cmocka', 'check', 'eigen3', 'boost', 'xtensor',
               'armadillo', 'OpenCL', 'threads'}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout


def introspect(build, what):
    return json.loads(run('meson', 'introspect', '--' + what, build))


def created(source):
    epoch = os.environ.get('SOURCE_DATE_EPOCH') or run(
        'git', '-C', source, 'log', '-1', '--format=%ct')
    return time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(int(epoch)))


def package(name, version, **more):
    known = version and version != 'unknown'
    return {'SPDXID': 'SPDXRef-' + ''.join(
                c if c.isalnum() else '-' for c in name),
            'name': name, 'versionInfo': version if known else 'NOASSERTION',
            'downloadLocation': 'NOASSERTION', 'filesAnalyzed': False,
            'licenseConcluded': 'NOASSERTION', **more}


def shipped(build):
    """Returns names and versions of the linked libraries."""
    found = {d['name']: d['version'] for d in introspect(build, 'dependencies')
             if d.get('type') != 'internal' and d['name'] not in NOT_SHIPPED}
    return sorted(found.items())


def archives(folder):
    for name in sorted(os.listdir(folder)):
        if name.endswith(('.tar.xz', '.tar.gz', '.zip')):
            with open(os.path.join(folder, name), 'rb') as stream:
                digest = hashlib.sha256(stream.read()).hexdigest()
            yield name, digest


def make(build, file):
    project = introspect(build, 'projectinfo')
    source = os.path.dirname(os.path.abspath(__file__))
    version = project['version']
    own = package('varve', version, licenseDeclared='MIT')
    packages, relations = [own], []
    for name, found in shipped(build):
        packages.append(package(name, found))
        relations.append((own['SPDXID'], 'DEPENDS_ON',
                          packages[-1]['SPDXID']))
    for name, digest in archives(os.path.dirname(os.path.abspath(file))):
        packages.append(package(name, version, checksums=[
            {'algorithm': 'SHA256', 'checksumValue': digest}]))
        relations.append((packages[-1]['SPDXID'], 'GENERATED_FROM',
                          own['SPDXID']))
    return {
        'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0',
        'SPDXID': 'SPDXRef-DOCUMENT', 'name': f'varve-{version}',
        'documentNamespace': f'urn:varve:sbom:{version}',
        'creationInfo': {'created': created(source),
                         'creators': ['Tool: scripts/sbom.py']},
        'packages': packages,
        'relationships': [
            {'spdxElementId': 'SPDXRef-DOCUMENT',
             'relationshipType': 'DESCRIBES',
             'relatedSpdxElement': own['SPDXID']},
            *({'spdxElementId': one, 'relationshipType': kind,
               'relatedSpdxElement': other}
              for one, kind, other in relations)]}


def main(build, file):
    with open(file, 'w', encoding='utf-8') as stream:
        json.dump(make(build, file), stream, indent=1)
        stream.write('\n')


main(*sys.argv[1:])
