#!/usr/bin/env bash
# cuda.sh - compiles and links the example of CUDA, and runs it where there is a
# device; where there is none it says that it was not run.
#
#     cuda.sh NVCC SOURCE DIRECTORY-OF-THE-LIBRARY
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
    echo '14_cuda.cu: compiled and linked, not run: there is no device here'
    status=0
fi
exit "$status"
