#!/usr/bin/env bash
# docs.sh - Builds the documentation site, for use without a network.
#
#     scripts/docs.sh [--external] [--installed] [DIRECTORY]
#
# Replaces DIRECTORY (default: build/site). Warnings and broken internal links
# are errors; --external checks external links as well. Sphinx, MyST and Furo
# are installed by scripts/setup.sh on Debian, otherwise into a virtual
# environment below build/. --installed uses only installed packages, and exits
# with 77 if they are not sufficient. PYTHON names another Python that has
# them.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
environment=$source/build/site-environment

external= installed=
while [[ ${1:-} == --* ]]; do
    case $1 in
    --external) external=yes ;;
    --installed) installed=yes ;;
    *)
        echo "usage: scripts/docs.sh [--external] [--installed] [DIRECTORY]" >&2
        exit 2
        ;;
    esac
    shift
done
site=$(realpath -m "${1:-$source/build/site}")

find_python() {
    for python in ${PYTHON:+"$PYTHON"} "$environment/bin/python" \
        /usr/bin/python3 python3; do
        "$python" -c 'import sphinx, myst_parser' 2>/dev/null && return
    done
    return 1
}

find_python || {
    [ -z "$installed" ] || {
        echo "docs: skipped: Sphinx and MyST are not installed" \
            "(scripts/setup.sh docs installs them)"
        exit 77
    }
    if command -v apt-get >/dev/null; then
        "$source/scripts/setup.sh" docs
    else
        python3 -m venv "$environment"
        "$environment/bin/pip" install -q \
            -r "$source/docs/site/requirements.txt"
    fi
    find_python
}

if [ -d "$site" ] && [ -n "$(ls -A "$site")" ] && [ ! -e "$site/objects.inv" ]
then
    echo "docs: $site exists and is not a site: remove it" >&2
    exit 1
fi

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

VARVE_VERSION=$(sed -n "s/^  version: '\(.*\)',$/\1/p" "$source/meson.build")
export VARVE_VERSION PYTHONDONTWRITEBYTECODE=1
"$python" "$source/docs/site/site.py" "$source" "$place/pages"

make() {
    "$python" -m sphinx -q -W --keep-going -d "$place/made" -b "$1" \
        "$place/pages" "$2" 2> >(sed "s,$place/pages/,,g" >&2)
}
make html "$place/html"
"$python" "$source/docs/site/check_site.py" "$place/html"
[ -z "$external" ] || make linkcheck "$place/links"

rm -rf "$site"
mkdir -p "$(dirname "$site")"
rm -f "$place/html/.buildinfo"
mv "$place/html" "$site"
echo "docs: $site/index.html"
