#!/usr/bin/env bash
# demo.sh - Builds a fresh clone and runs a training that resumes when the
# script is started again.
#
#     scripts/demo.sh [arguments of examples/01_train]
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/demo
program=$build/examples/01_train

scripts/setup.sh build
[ -f $build/build.ninja ] ||
    meson setup $build --buildtype=release -Dexamples=true
ninja -C $build

if ! [ -x $program ]; then
    echo "demo: $program was not built" >&2
    exit 1
fi
echo "demo: $program --directory run $*"
status=0
$program --directory run "$@" || status=$?
cat <<EOF

demo: run/ contains the newest checkpoints, and run/events the events for
      TensorBoard. To resume from the last checkpoint:
          $program --directory run $*
      A finished run continues with a larger --steps. You can kill it at any
      time; Ctrl-C saves first. To start from the beginning, remove run/.
EOF
exit $status
