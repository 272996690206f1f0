#!/usr/bin/env bash
# cuda.sh - Compiles and links the CUDA example and runs it if there is a
# device.
#
#     cuda.sh NVCC SOURCE DIRECTORY-OF-THE-LIBRARY
#
# Without a device it prints a message that the example was not run.
#
# SPDX-License-Identifier: MIT
set -eu

here=$(cd "$(dirname "$0")" && pwd)
library=$(cd "$3" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$1" -Werror all-warnings -Xcompiler -Wall,-Wextra -I "$2/include" \
    -o "$scratch/14_cuda" "$2/examples/14_cuda.cu" \
    -L "$library" -lvarve -Xlinker -rpath -Xlinker "$library"
status=0
"$here/device.sh" "$scratch/14_cuda" || status=$?
if [ "$status" -eq 77 ]; then
    echo '14_cuda.cu: compiled and linked, not run: there is no CUDA device'
    status=0
fi
exit "$status"
