#!/usr/bin/env bash
# release.sh - Prepares a release: sets its version and creates its files.
#
#     scripts/release.sh set X.Y.Z      writes the version in all places, and
#                                       today's date in CHANGELOG.md
#     scripts/release.sh place URL      writes the address of the repository for
#                                       its placeholder REPOSITORY in the pages
#     scripts/release.sh make           creates the archive of the commit,
#                                       tested by meson dist, its checksum, a
#                                       dump of the ABI, and a list of its
#                                       components (SBOM)
#
# The files are in build/release/meson-dist. abidw of Debian's abigail-tools
# creates the dump; without it there is no dump. `make` also writes
# tests/install/abi.txt, the declarations with which the test `abi` compares
# later interfaces. Commit this file.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

set_version() {
    python3 -B tests/install/check_version.py . "$1"
    python3 -B tests/install/check_abi.py .
    sed -i "0,/^## .*/s//## $1, $(date -u +%F)/" CHANGELOG.md
}

set_place() {
    grep -rlw REPOSITORY README.md docs --include='*.md' |
        xargs --no-run-if-empty sed -i "s|\\bREPOSITORY\\b|$1|g"
}

dump_abi() {
    local library name
    if ! command -v abidw >/dev/null; then
        echo 'release: abidw is not installed: no dump of the ABI'
        return
    fi
    for library in build/release/lib/lib*.so build/release/lib/mpi/lib*.so; do
        [ -e "$library" ] || continue
        name=build/release/meson-dist/$(basename "$library" .so)-$version
        abidw --headers-dir include --drop-private-types --no-corpus-path \
            --out-file "$name-$(uname -m).abi" "$library"
    done
}

# The build must be hardened as in meson_options.txt; otherwise no release.
check_hardening() {
    local file
    for file in build/release/lib/libvarve.so build/release/tools/varve \
        build/release/lib/*/varve-*.so; do
        [ -e "$file" ] || continue
        if ! readelf -W -d "$file" | grep -q 'BIND_NOW\|FLAGS_1.*NOW' ||
            ! readelf -W -l "$file" | grep -q GNU_RELRO ||
            ! readelf -W -s "$file" | grep -q __stack_chk_fail; then
            echo "release: $file is not hardened" >&2
            exit 1
        fi
    done
}

# The library as varve.c and varve.h, with the license at their beginnings.
make_amalgamation() {
    local name=varve-amalgamation-$version
    rm -rf "build/release/$name"
    python3 -B scripts/amalgamate.py build/release "build/release/$name"
    tar -C build/release -czf "build/release/meson-dist/$name.tar.gz" "$name"
}

make_release() {
    local version
    version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
    if grep -q "^## $version, not released" CHANGELOG.md; then
        echo "release: in CHANGELOG.md, $version has no date; run" \
            "scripts/release.sh set $version" >&2
        exit 1
    fi
    if grep -rqw REPOSITORY README.md docs; then
        echo 'release: the pages contain no address of the repository; run' \
            'scripts/release.sh place URL' >&2
        exit 1
    fi
    scripts/setup.sh test
    [ -f build/release/build.ninja ] ||
        meson setup build/release -Dbuildtype=debugoptimized \
            -Dtests=enabled -Dexamples=true -Dbench=true -Dtool=enabled \
            -Dhardening=enabled
    ninja -C build/release
    check_hardening
    meson dist -C build/release
    dump_abi
    make_amalgamation
    python3 -B tests/install/check_abi.py . --release
    python3 -B scripts/sbom.py build/release \
        "build/release/meson-dist/varve-$version.spdx.json"
    ls -l build/release/meson-dist
    echo "release: git tag v$version"
}

case "${1-} ${2-}" in
    'set '?*) set_version "$2" ;;
    'place '?*) set_place "$2" ;;
    'make ') make_release ;;
    *)
        sed -n '2,/^# SPDX/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
        exit 2
        ;;
esac
