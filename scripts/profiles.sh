#!/usr/bin/env bash
# profiles.sh - builds the library without parts of it, tests what is left, and
# says how large it is.
#
#     scripts/profiles.sh           without each part alone, and without all
#     scripts/profiles.sh --short   without all of them, not measured
#     scripts/profiles.sh --sizes   the sizes alone
#
# The sizes are those of the stripped shared library, made for size as
# docs/howto/embed.md says.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

parts=(tensorflow safetensors numpy gguf torch onnx flax keras training events
    manage processes layers)
# What others need is left out with them.
declare -A with=([processes]='manage processes'
    [layers]='manage processes layers')
size_args='-ffunction-sections -fdata-sections'
size_args+=' -fno-asynchronous-unwind-tables'
small=(--buildtype=minsize -Db_ndebug=true
    "-Dc_args=$size_args"
    '-Dc_link_args=-Wl,--gc-sections')
none=(-Dtool=disabled -Dexamples=false -Dbench=false -Dmanual=disabled
    -Dmpi=disabled)
work=${PROFILES:-build/profiles}
mkdir -p "$work"

# without PART...: the options of the build, in `options`.
without() {
    local part
    options=()
    for part in "$@"; do
        for part in ${with[$part]:-$part}; do
            options+=("-D$part=disabled")
        done
    done
}

# build NAME OPTION...
build() {
    local place=$work/$1
    shift
    rm -rf "$place"
    if ! { meson setup "$place" --werror "${none[@]}" "$@" &&
        ninja -C "$place"; } >"$work/log" 2>&1; then
        tail -n 30 "$work/log"
        return 1
    fi
}

# proved NAME OPTION...: also what is left is tested.
proved() {
    build "$@" -Dtests=enabled || return
    meson test -C "$work/$1" --no-rebuild >"$work/log" 2>&1 || {
        tail -n 30 "$work/log"
        return 1
    }
}

# A line of the table: what it is, and its size.
measured() {
    local what=$1
    shift
    build small "${small[@]}" -Dtests=disabled "$@"
    strip -o "$work/stripped.so" "$(readlink -f "$work/small/lib/libvarve.so")"
    printf '| %s | %d |\n' "$what" \
        $((($(stat -c %s "$work/stripped.so") + 512) / 1024))
}

core=("${parts[@]}" zlib snappy zstd)

# names PART...: as a page has them.
names() {
    printf -v joined '`%s`, ' "$@"
    printf '%s' "${joined%, }"
}

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
        echo "profiles: built and tested without ${with[$part]:-$part}"
    done
    short
}

sizes() {
    local part
    printf '| built | KiB |\n| --- | ---: |\n'
    measured 'all of it'
    for part in "${parts[@]}"; do
        without "$part"
        measured "without $(names ${with[$part]:-$part})" "${options[@]}"
    done
    without "${core[@]}"
    measured 'the core alone' "${options[@]}"
}

case ${1:-} in
--short) short ;;
--sizes) sizes ;;
*)
    each
    sizes
    ;;
esac
