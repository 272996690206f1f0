#!/bin/sh
# nightly.sh - Lists the damaged checkpoints below a folder, for
# docs/damaged.md.
#
# SPDX-License-Identifier: MIT

find "$1" -name '*.varve' -exec varve verify --quiet --progress=never {} +
