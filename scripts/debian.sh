#!/usr/bin/env bash
# debian.sh - Builds the Debian packages and tests them.
#
#     scripts/debian.sh [--check] [DIRECTORY]
#
# Copies the sources to a temporary folder, with packaging/debian as debian/.
# dpkg-buildpackage creates and builds a source package, lintian checks the
# result, and the test of the packages runs on their unpacked content. --check
# also runs the unit tests in the build. The packages are copied to DIRECTORY,
# if given.
#
# If a tool is missing, the script prints a message and exits with 77.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)

for tool in dpkg-buildpackage dh lintian chrpath; do
    command -v "$tool" >/dev/null || {
        echo "debian: skipped: $tool is not installed (packages dpkg-dev," \
            "debhelper, lintian, chrpath)"
        exit 77
    }
done

export DEB_BUILD_OPTIONS=nocheck DEB_BUILD_PROFILES=nocheck
if [ "${1:-}" = --check ]; then
    unset DEB_BUILD_OPTIONS DEB_BUILD_PROFILES
    shift
fi
/usr/bin/python3 -c 'import sphinx, myst_parser, furo' 2>/dev/null || {
    echo 'debian: without libvarve-doc: Sphinx, MyST or Furo is not installed'
    DEB_BUILD_PROFILES="${DEB_BUILD_PROFILES:+$DEB_BUILD_PROFILES }nodoc"
    export DEB_BUILD_PROFILES
}
kept=${1:+$(mkdir -p "$1" && cd "$1" && pwd)}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" "$source/meson.build")
tree=$place/varve-$version
mkdir "$tree" "$place/root"
(cd "$source" && tar -c --exclude='./build*' --exclude=./.git \
    --exclude=__pycache__ .) | tar -x -C "$tree"
tar -C "$place" -cJf "$place/varve_$version.orig.tar.xz" "varve-$version"
cp -r "$tree/packaging/debian" "$tree/debian"

grep -q "^varve ($version-" "$tree/debian/changelog" || {
    echo "debian: the version in packaging/debian/changelog is not $version:" \
        "$(head -n 1 "$tree/debian/changelog")"
    exit 1
}

cd "$tree"
dpkg-buildpackage -us -uc >"$place/log" 2>&1 || {
    tail -n 40 "$place/log"
    echo 'debian: building the packages failed'
    exit 1
}
grep '^dpkg-gensymbols: warning' "$place/log" || true
[ -z "$kept" ] || cp "$place"/*.deb "$kept"

as_user=()
[ "$(id -u)" -ne 0 ] || as_user=(--allow-root)
# The packages have not been submitted to Debian yet.
lintian "${as_user[@]}" --fail-on error,warning --tag-display-limit 0 \
    --suppress-tags initial-upload-closes-no-bugs "$place"/varve_*.changes
echo 'debian: lintian found no problems'

for package in "$place"/*.deb; do
    [[ $package == *-dbgsym_* ]] || dpkg-deb -x "$package" "$place/root"
done
libraries=$place/root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
sed -i "s,^prefix=.*,prefix=$place/root/usr," "$libraries"/pkgconfig/*.pc
mkdir "$place/test"
for test in consumers pages; do
    env -u PKG_CONFIG_LIBDIR AUTOPKGTEST_TMP="$place/test" \
        PATH="$place/root/usr/bin:$PATH" LD_LIBRARY_PATH="$libraries" \
        PKG_CONFIG_PATH="$libraries/pkgconfig" \
        varve_DIR="$libraries/cmake/varve" varve_prefix="$place/root/usr" \
        "debian/tests/$test"
done
echo "debian: $(find "$place" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' |
    wc -l) packages, built, looked at and used"
