#!/usr/bin/env bash
# profiles.sh - Builds the library without optional parts, tests these builds,
# and prints their sizes.
#
#     scripts/profiles.sh           without each part, and without all parts
#     scripts/profiles.sh --short   without all parts, not measured; only the
#                                   stories run
#     scripts/profiles.sh --sizes   the sizes only
#
# The sizes are those of the stripped shared library, optimized for size as in
# docs/howto/embed.md.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

parts=(formats training manage)
size_args='-ffunction-sections -fdata-sections'
size_args+=' -fno-asynchronous-unwind-tables'
small=(--buildtype=minsize -Db_ndebug=true
    "-Dc_args=$size_args"
    '-Dc_link_args=-Wl,--gc-sections')
none=(-Dtool=disabled -Dexamples=false -Dbench=false -Dmanual=disabled
    -Dmpi=disabled)
work=${PROFILES:-build/profiles}
mkdir -p "$work"

# without PART...: sets `options` to the build options.
without() {
    printf -v options -- '-D%s=disabled ' "$@"
    read -ra options <<<"$options"
}

# logged COMMAND...: prints the end of the output if the command fails.
logged() {
    "$@" >"$work/log" 2>&1 || {
        tail -n 30 "$work/log"
        return 1
    }
}

# configure NAME OPTION...
configure() {
    local place=$work/$1
    shift
    rm -rf "$place"
    logged meson setup "$place" --werror "${none[@]}" "$@"
}

# proved NAME OPTION...: builds what the chosen tests need, and runs them.
chosen=() # all
proved() {
    configure "$@" -Dtests=enabled &&
        logged meson test -C "$work/$1" -t 4 "${chosen[@]}"
}

# Prints a line of the table: the build and its size.
measured() {
    local what=$1
    shift
    configure small "${small[@]}" -Dtests=disabled "$@"
    logged ninja -C "$work/small"
    strip -o "$work/stripped.so" "$(readlink -f "$work/small/lib/libvarve.so")"
    printf '| %s | %d |\n' "$what" \
        $((($(stat -c %s "$work/stripped.so") + 512) / 1024))
}

core=("${parts[@]}" zlib zstd)

short() {
    without "${core[@]}"
    proved core "${options[@]}" --buildtype=plain
    echo 'profiles: the core is built and tested'
}

each() {
    local part
    for part in "${parts[@]}"; do
        without "$part"
        proved part "${options[@]}"
        echo "profiles: built and tested without $part"
    done
    short
}

sizes() {
    local part
    printf '| built | KiB |\n| --- | ---: |\n'
    measured 'all of it'
    for part in "${parts[@]}"; do
        without "$part"
        measured "without \`$part\`" "${options[@]}"
    done
    without "${core[@]}"
    measured 'the core alone' "${options[@]}"
}

case ${1:-} in
--short)
    chosen=(stories profile)
    short
    ;;
--sizes) sizes ;;
*)
    each
    sizes
    ;;
esac
