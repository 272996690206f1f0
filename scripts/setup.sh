#!/usr/bin/env bash
# setup.sh - Installs the missing dependencies of the project.
#
#     scripts/setup.sh [build|test|coverage|bench|portable|docs|all]
#
# build: for the library, the tool and the examples; test: build, and the tests;
# coverage: test, and scripts/coverage.sh; bench: build, and the libraries that
# bench/run.sh compares with; portable: build, and scripts/portable.sh; docs:
# scripts/docs.sh only; all (the default): everything for .ci/run. The script
# calls apt-get only if a package is missing. On systems other than Debian and
# Ubuntu it prints the packages to install.
#
# SPDX-License-Identifier: MIT
set -euo pipefail

meson_needed=1.0.0

# need PACKAGE COMMAND...: requires the package if the command fails.
need() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}

# wish PACKAGE COMMAND...: the same for an optional package.
wish() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || wished+=("$package")
}

has() { command -v "$1"; }
has_libc() { cc -E -include stdio.h -x c /dev/null; }
has_header() { cc -E -include "$1" -x c /dev/null; }
has_cpp_header() { c++ -E -include "$1" -x c++ /dev/null; }
has_library() { pkg-config --exists "$1"; }
has_clang_runtime() {
    echo 'int main(void) { return 0; }' |
        clang -fsanitize=address,undefined -x c -o /dev/null -
}

compiles_for_32_bits() {
    echo 'int main(void) { return 0; }' | cc -m32 -x c -o /dev/null -
}

# For the Python of Debian's packages.
has_python() {
    local module
    for module in "$@"; do
        /usr/bin/python3 -c "import $module" || return
    done
}
has_python_header() {
    local include='import sysconfig; print(sysconfig.get_paths()["include"])'
    [ -e "$(/usr/bin/python3 -c "$include")/Python.h" ]
}

has_locales() { ls /usr/share/i18n/locales/de_DE; }
has_shared() { ls /usr/lib/*/lib"$1"*.so* || ls /usr/lib/lib"$1"*.so*; }
has_theme() { /usr/bin/python3 -c 'import furo'; }
has_mpi() { has mpirun && has mpicc; }
has_opencl() { ls /etc/OpenCL/vendors/*.icd; }
has_emulators() { has qemu-s390x-static || has qemu-s390x; }

look_for_build() {
    need gcc has cc
    need libc6-dev has_libc
    need meson has meson
    need ninja-build has ninja
    need pkg-config has pkg-config
    need libcbor-dev has_library 'libcbor >= 0.8'
    need libxxhash-dev has_library 'libxxhash >= 0.8'
    need libjansson-dev has_library jansson
    need zlib1g-dev has_library zlib
    wish libzstd-dev has_library 'libzstd >= 1.4'
    wish libhdf5-dev has_library hdf5
    wish libcurl4-openssl-dev has_library 'libcurl >= 7.88'
    wish libssl-dev has_library 'libcrypto >= 3'
}

look_for_tests() {
    need python3 has python3
    need libcriterion-dev has_library criterion
    wish libcmocka-dev has_library cmocka
    wish check has_library check
    wish g++ has c++
    wish libeigen3-dev has_library eigen3
    wish libboost-dev has_cpp_header boost/multi_array.hpp
    wish libxtensor-dev has_library xtensor
    wish libarmadillo-dev has_library armadillo
    wish libopencv-core-dev ls /usr/include/opencv4/opencv2/core.hpp
    wish cmake has cmake
    wish python3-venv has_python venv ensurepip
    wish python3-dev has_python_header
    wish python3-setuptools has_python setuptools
    wish python3-wheel has_python wheel
    wish python3-cffi has_python cffi
    wish python3-numpy has_python numpy
    wish python3-pytest has_python pytest
    wish python3-jsonschema has_python jsonschema
    wish python3-xxhash python3 -c 'import xxhash'
    wish clang-format-14 has clang-format-14
    wish libopenmpi-dev has_mpi
    wish openmpi-bin has_mpi
    wish python3-mpi4py has_python mpi4py
    wish ocl-icd-opencl-dev has_library OpenCL
    wish opencl-c-headers has_header CL/cl.h
    wish pocl-opencl-icd has_opencl
    wish openssl has openssl
    wish python3-swift has_python swift.common.middleware.s3api
    wish chromium has chromium
    wish_for_guests
    wish_for_docs
}

# Environments for tests/guest.
wish_for_guests() {
    wish locales has_locales
    wish valgrind has valgrind
    wish libjemalloc2 has_shared jemalloc
    wish libtcmalloc-minimal4 has_shared tcmalloc
    wish dosfstools has mkfs.vfat
    wish exfatprogs has mkfs.exfat
    wish exfat-fuse has mount.exfat-fuse
    wish ntfs-3g has ntfs-3g
    wish bindfs has bindfs
}

# The site is also a test if its generator is installed.
wish_for_docs() {
    wish python3-sphinx has_python sphinx
    wish python3-myst-parser has_python myst_parser
    wish furo has_theme
    wish mandoc has mandoc
    wish graphviz has dot
}

look_for_docs() {
    need python3-sphinx has_python sphinx
    need python3-myst-parser has_python myst_parser
    wish_for_docs
}

look_for_coverage() {
    need gcc has gcc
    need gcovr has gcovr
}

look_for_bench() {
    need libhdf5-dev has_library hdf5
    wish libopenmpi-dev has_mpi
    wish openmpi-bin has_mpi
    wish libhdf5-openmpi-dev has_library hdf5-openmpi
}

look_for_portable() {
    need python3-venv python3 -c 'import ensurepip'
    need gcc-multilib compiles_for_32_bits
    need qemu-user-static has_emulators
}

look_for_ci() {
    need gcc has gcc
    need g++ has g++
    need clang has clang
    wish libclang-rt-dev has_clang_runtime
}

look() {
    missing=()
    wished=()
    if [ "$purpose" = docs ]; then
        look_for_docs
        return
    fi
    look_for_build
    [[ $purpose == @(build|bench|portable) ]] || look_for_tests
    [ "$purpose" != bench ] || look_for_bench
    [ "$purpose" != portable ] || look_for_portable
    [ "$purpose" != coverage ] || look_for_coverage
    [ "$purpose" != all ] || look_for_ci
}

give_up() {
    echo "setup: $1" >&2
    echo "setup: missing packages (Debian names): ${missing[*]}" >&2
    echo "setup: install them with the package manager, then run this" \
        "again" >&2
    exit 1
}

# Runs apt-get as root or with sudo, which may only prompt at a terminal.
find_root() {
    as_root=()
    [ "$(id -u)" -eq 0 ] && return
    command -v sudo >/dev/null ||
        give_up "installing requires root or sudo"
    as_root=(sudo)
    if ! [ -t 0 ]; then
        as_root=(sudo -n)
        sudo -n true 2>/dev/null ||
            give_up "sudo requires a password, and there is no terminal"
    fi
}

apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o Acquire::Retries=3 "$@" </dev/null
}

# Not every release has all optional packages.
install_separately() {
    local package
    for package in "${wished[@]}"; do
        apt install --no-install-recommends "$package" ||
            echo "setup: continuing without $package" >&2
    done
}

install_missing() {
    command -v apt-get >/dev/null || give_up "apt-get is not available"
    find_root
    echo "setup: installing with apt-get: ${missing[*]}"
    apt update || echo "setup: apt-get update failed; continuing" >&2
    apt install --no-install-recommends "${missing[@]}" ||
        give_up "apt-get install failed"
    [ ${#wished[@]} -eq 0 ] ||
        apt install --no-install-recommends "${wished[@]}" || install_separately
}

check_meson() {
    local version
    version=$(meson --version)
    printf '%s\n%s\n' "$meson_needed" "$version" | sort -V -C && return
    missing=("meson >= $meson_needed")
    give_up "the installed meson is $version"
}

purpose=${1:-all}
case $purpose in
build | test | coverage | bench | portable | docs | all) ;;
*)
    echo "usage: scripts/setup.sh" \
        "[build|test|coverage|bench|portable|docs|all]" >&2
    exit 2
    ;;
esac

look
if [ ${#missing[@]} -gt 0 ]; then
    install_missing
    look
    [ ${#missing[@]} -eq 0 ] || give_up "still missing after the installation"
else
    echo "setup: everything is installed"
fi
[ "$purpose" = docs ] || check_meson
