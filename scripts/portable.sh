#!/usr/bin/env bash
# portable.sh - Tests the library on other processors and systems.
#
#     scripts/portable.sh [--short | TARGET...]
#
# Builds libcbor, xxHash and the library for each target with the compilers of
# the Python package ziglang (i686: with the gcc of this machine). Runs
# tests/portable/battery.c under an emulator of the processor, and compares its
# files with those of this machine, byte for byte. Each target also reads the
# files of this machine. For macOS and the BSDs the library is only built. The
# default is all targets; --short, which .ci/run uses, is one 32-bit target and
# one big-endian target with another libc, compiled with less optimization. A
# target without a compiler or emulator is skipped, with the reason. The sources
# of the two libraries come from apt-get or from the folder PORTABLE_SOURCES.
# All files are in build/portable/. The last line of the output counts the
# results.
#
# SPDX-License-Identifier: MIT
set -uo pipefail
cd "$(dirname "$0")/.." || exit
exec </dev/null

top=$PWD
place=$top/build/portable

# name, zig target, meson system and processor, byte order, emulator
targets='
s390x        s390x-linux-musl        linux    s390x    big     qemu-s390x
powerpc64    powerpc64-linux-musl    linux    ppc64    big     qemu-ppc64
aarch64      aarch64-linux-musl      linux    aarch64  little  qemu-aarch64
armhf        arm-linux-musleabihf    linux    arm      little  qemu-arm
i686         gcc                     linux    x86      little  run
i686-musl    x86-linux-musl          linux    x86      little  run
x86_64-musl  x86_64-linux-musl       linux    x86_64   little  run
macos        aarch64-macos           darwin   aarch64  little  build
freebsd      x86_64-freebsd          freebsd  x86_64   little  build
netbsd       x86_64-netbsd           netbsd   x86_64   little  build
openbsd      x86_64-openbsd          openbsd  x86_64   little  build
'

# --- Dependencies ----------------------------------------------------------

# The compilers are a Python package in a separate environment.
get_zig() {
    [ -x "$place/zig/bin/python" ] ||
        python3 -m venv "$place/zig" || return
    "$place/zig/bin/python" -c 'import ziglang' 2>/dev/null ||
        "$place/zig/bin/pip" install --quiet ziglang
}

# The package archive of this machine, with sources, of this release and later
# ones.
list_sources() {
    local parts=$place/apt/parts
    mkdir -p "$parts" "$place/apt/lists/partial"
    sed -e 's/^Types:.*/Types: deb-src/' \
        -e '/^Suites:.*-security/!s/^Suites:.*/Suites: bookworm trixie sid/' \
        /etc/apt/sources.list.d/debian.sources >"$parts/new.sources" ||
        sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$parts/old.list" &&
        apt_sources update
}

# apt_sources ARGUMENT...: runs apt-get with these sources and its own state.
apt_sources() {
    local own=$place/apt
    apt-get -q -o Dir::Etc::sourcelist=/dev/null \
        -o Dir::Etc::sourceparts="$own/parts" \
        -o Dir::State::lists="$own/lists" -o APT::Sandbox::User=root "$@"
}

# get_source NAME DIRECTORY: any available version.
get_source() {
    local suite archive
    [ -d "$place/source/$2" ] && return
    mkdir -p "$place/source/archives" "$place/source/$2"
    cd "$place/source/archives" || return
    [ -z "${PORTABLE_SOURCES:-}" ] || cp "$PORTABLE_SOURCES/$1"* .
    compgen -G "$1_*.orig.tar.*" >/dev/null || list_sources
    for suite in bookworm trixie sid ''; do
        compgen -G "$1_*.orig.tar.*" >/dev/null && break
        apt_sources --tar-only --download-only ${suite:+-t $suite} \
            source "$1" >/dev/null
    done
    archive=$(compgen -G "$1_*.orig.tar.*" | head -1)
    [ -n "$archive" ] &&
        tar xf "$archive" -C "$place/source/$2" --strip-components=1
    local status=$?
    cd "$top" || return
    [ $status -eq 0 ] || rmdir "$place/source/$2"
    return $status
}

# Installs dependencies. The results of each target report missing ones.
get_ready() {
    scripts/setup.sh portable
    get_zig
    get_source libcbor cbor && get_source xxhash xxhash
}

# emulator NAME: prints the command, from either of the two Debian packages.
emulator() {
    command -v "$1-static" "$1" | head -1
}

# lacks ZIG EMULATOR: prints the reason if a target cannot be tested here.
lacks() {
    local answer='int main(void) { return 0; }'
    if [ "$1" != gcc ]; then
        "$place/zig/bin/python" -c 'import ziglang' 2>/dev/null ||
            echo 'the Python package ziglang is not installed'
    elif ! echo "$answer" | gcc -m32 -x c -o /dev/null - 2>/dev/null; then
        echo 'gcc cannot compile for 32 bits (install gcc-multilib)'
    fi
    case $2 in
    build) ;;
    run) [ "$(uname -m)" = x86_64 ] || echo 'it runs on x86-64 only' ;;
    *) [ -n "$(emulator "$2")" ] || echo "$2 is not installed" ;;
    esac
}

# --- One target ------------------------------------------------------------

# make_compilers DIRECTORY ZIG: creates cc and ar as single programs.
make_compilers() {
    local cc='gcc -m32' ar=ar
    if [ "$2" != gcc ]; then
        cc="'$place/zig/bin/python' -m ziglang cc -target $2"
        ar="'$place/zig/bin/python' -m ziglang ar"
    fi
    mkdir -p "$1"
    # Meson does not recognize zig's linker by name. It also requests the
    # defined macros in a way that zig supports for some targets only.
    cat >"$1/cc" <<END
#!/bin/sh
case \$* in
-Wl,--version*) echo 'LLD 17 (compatible with GNU linkers)' ;;
'-E -dM -') exec $cc -E -dM -x c - ;;
*) exec $cc "\$@" ;;
esac
END
    printf '#!/bin/sh\nexec %s "$@"\n' "$ar" >"$1/ar"
    chmod +x "$1/cc" "$1/ar"
}

# archive DIRECTORY NAME VERSION C-FILE...: builds a library with pkg-config.
archive() {
    local own=$1 name=$2 version=$3
    shift 3
    mkdir -p "$own/objects/$name" "$own/lib" && cd "$own/objects/$name" &&
        "$own/cc" -O2 -D_GNU_SOURCE -I"$own/include" -c "$@" &&
        rm -f "$own/lib/$name.a" && "$own/ar" rcs "$own/lib/$name.a" ./*.o
    local status=$?
    cd "$top" || return
    printf 'Name: %s\nDescription: %s\nVersion: %s\nLibs: -L%s -l%s\n' \
        "$name" "$name" "$version" "$own/lib" "${name#lib}" >"$own/$name.pc"
    return $status
}

# Writes the configured templates of libcbor's build, for any system.
configure_cbor() {
    echo '#define CBOR_EXPORT' >"$1/cbor_export.h"
    sed -e 's/\${CBOR_VERSION_MAJOR}/0/' -e 's/\${CBOR_VERSION_MINOR}/10/' \
        -e 's/\${CBOR_VERSION_PATCH}/0/' -e 's/\${CBOR_BUFFER_GROWTH}/2/' \
        -e 's/\${CBOR_MAX_STACK_SIZE}/2048/' \
        -e 's/#cmakedefine01 \(.*\)/#define \1 0/' \
        -e 's/\${CBOR_RESTRICT_SPECIFIER}/restrict/' \
        -e 's/\${CBOR_INLINE_SPECIFIER}//' \
        "$1/configuration.h.in" >"$1/configuration.h"
}

# build_libraries DIRECTORY
build_libraries() {
    local cbor=$place/source/cbor/src xxhash=$place/source/xxhash
    [ -f "$1/done" ] && return
    mkdir -p "$1/include" && cp -r "$cbor/cbor" "$cbor/cbor.h" \
        "$xxhash/xxhash.h" "$xxhash/xxh3.h" "$1/include" &&
        configure_cbor "$1/include/cbor" &&
        archive "$1" libcbor 0.10.0 "$cbor"/*.c "$cbor"/cbor/*.c \
            "$cbor"/cbor/internal/*.c &&
        archive "$1" libxxhash 0.8.1 "$xxhash/xxhash.c" && touch "$1/done"
}

# build_varve DIRECTORY SYSTEM PROCESSOR ORDER
build_varve() {
    cat >"$1/cross.ini" <<END
[binaries]
c = '$1/cc'
ar = '$1/ar'
pkgconfig = 'pkg-config'
[built-in options]
c_args = ['-I$1/include']
c_link_args = ['-L$1/lib']
[properties]
pkg_config_libdir = '$1'
[host_machine]
system = '$2'
cpu_family = '$3'
cpu = '$3'
endian = '$4'
END
    [ -f "$1/$built/build.ninja" ] ||
        meson setup "$1/$built" --cross-file "$1/cross.ini" --werror \
            "${optimized[@]}" -Ddefault_library=static -Dtests=disabled \
            -Dtool=disabled -Dexamples=false -Dbench=false \
            -Dzlib=disabled -Dzstd=disabled \
            -Dhdf5=disabled -Dremote=disabled || return
    ninja -C "$1/$built" lib/libvarve.a
}

# build_battery DIRECTORY SYSTEM PROCESSOR: links the static library, and static
# system libraries if possible.
build_battery() {
    local how=()
    [ "$2" != linux ] || how=(-static)
    [ "$3" != x86 ] || how+=(-msse2 -mfpmath=sse)
    "$1/cc" -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
        -O1 "${how[@]}" -Iinclude -Itests tests/portable/*.c \
        tests/model/everything.c -o "$1/battery" "$1/$built/lib/libvarve.a" \
        "$1/lib/libcbor.a" "$1/lib/libxxhash.a" -lm -lpthread
}

# run_battery DIRECTORY EMULATOR
run_battery() {
    local under=()
    [ "$2" = run ] || under=("$(emulator "$2")")
    rm -rf "$1/files" && mkdir -p "$1/files" &&
        "${under[@]}" "$1/battery" write "$1/files" &&
        diff -r "$1/files" "$place/here/files" &&
        "${under[@]}" "$1/battery" read "$place/here/files"
}

# try NAME ZIG SYSTEM PROCESSOR ORDER EMULATOR
try() {
    local own=$place/$1
    make_compilers "$own" "$2" && build_libraries "$own" &&
        build_varve "$own" "$3" "$4" "$5" &&
        build_battery "$own" "$3" "$4" || return
    [ "$6" = build ] || run_battery "$own" "$6"
}

# Builds the library for this machine, unless --short can use that of
# scripts/test.sh. Sets `library` to its folder.
build_here() {
    library=$top/build/test/lib
    [ $built != varve-short ] || ! [ -e "$library/libvarve.so" ] || return 0
    library=$1/$built/lib
    [ -f "$1/$built/build.ninja" ] ||
        meson setup "$1/$built" "${optimized[@]}" -Dtests=disabled \
            -Dtool=disabled -Dexamples=false -Dbench=false || return
    ninja -C "$1/$built"
}

# Tests this machine with the libraries of its distribution.
try_here() {
    local own=$place/here
    mkdir -p "$own" && rm -rf "$own/files" && mkdir "$own/files" || return
    build_here "$own" &&
        cc -std=c11 -D_GNU_SOURCE -Iinclude -Itests tests/portable/*.c \
            tests/model/everything.c -o "$own/battery" -L"$library" \
            -lvarve -Wl,-rpath,"$library" -lm &&
        "$own/battery" write "$own/files" && "$own/battery" read "$own/files"
}

# --- All targets -----------------------------------------------------------

passed=0 failed=0 skipped=0

# report NAME WHAT COMMAND...
report() {
    local name=$1 what=$2
    shift 2
    if "$@" >"$place/$name.log" 2>&1; then
        echo "portable: $name: $what"
        passed=$((passed + 1))
    else
        tail -30 "$place/$name.log"
        echo "portable: $name: FAILED (build/portable/$name.log)"
        failed=$((failed + 1))
    fi
}

# Both kinds of builds have directories of their own.
built=varve
optimized=(--buildtype=release)
if [ "$*" = --short ]; then
    built=varve-short
    optimized=(-Doptimization=1 -Ddebug=false)
    set -- i686 s390x
fi
chosen=" $* "
mkdir -p "$place"
if ! get_ready >"$place/setup.log" 2>&1; then
    tail -30 "$place/setup.log"
    echo "portable: the dependencies cannot be installed"
    exit 1
fi
report here 'writes and reads' try_here
while read -r name zig system processor order how; do
    [ -n "$name" ] || continue
    [ "$chosen" = '  ' ] || [[ $chosen == *" $name "* ]] || continue
    reason=$(lacks "$zig" "$how" | head -1)
    if [ -n "$reason" ]; then
        echo "portable: $name: skipped, $reason"
        skipped=$((skipped + 1))
        continue
    fi
    what='the same bytes'
    [ "$how" != build ] || what='builds'
    report "$name" "$what" \
        try "$name" "$zig" "$system" "$processor" "$order" "$how"
done <<<"$targets"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
