#!/usr/bin/env bash
# profiles.sh - builds the library without parts of it, tests what is left, and
# says how large it is.
#
#     scripts/profiles.sh           without each part alone, and without all
#     scripts/profiles.sh --short   without all of them
#
# The sizes are those of the stripped shared library, made for size as
# docs/howto/embed.md says.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

parts=(tensorflow safetensors numpy gguf torch onnx flax keras training events
    manage)
size_args='-ffunction-sections -fdata-sections'
size_args+=' -fno-asynchronous-unwind-tables'
small=(--buildtype=minsize -Db_ndebug=true
    "-Dc_args=$size_args"
    '-Dc_link_args=-Wl,--gc-sections')
none=(-Dtool=disabled -Dexamples=false -Dbench=false -Dmanual=disabled
    -Dmpi=disabled)
work=${PROFILES:-build/profiles}
mkdir -p "$work"

# without PART...
without() {
    local part
    for part in "$@"; do
        printf -- '-D%s=disabled\n' "$part"
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

mapfile -t core < <(without "${parts[@]}" processes zlib snappy zstd)
if [ "${1:-}" = --short ]; then
    proved core "${core[@]}"
    echo 'profiles: the core is built and tested'
    exit
fi
for part in "${parts[@]}"; do
    proved part "-D$part=disabled"
done
proved part -Dmanage=disabled -Dprocesses=disabled
proved core "${core[@]}"
printf '| built | KiB |\n| --- | ---: |\n'
measured 'all of it'
for part in "${parts[@]}"; do
    measured "without \`$part\`" "-D$part=disabled"
done
measured 'without `manage` and `processes`' -Dmanage=disabled \
    -Dprocesses=disabled
measured 'the core alone' "${core[@]}"
