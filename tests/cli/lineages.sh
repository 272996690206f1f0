# lineages.sh - Tests which checkpoint was resumed from which. Sourced by
# run.sh.
#
# SPDX-License-Identifier: MIT
mkdir lineages
cd lineages
mkdir one two three
"$make_lineages" one two three
touch -d '2026-01-02 03:04:05Z' one/*.varve two/*.varve three/*.varve
prints lineages_one 0 log --ascii one
prints lineages_json 0 log --json one
ends 0 log --json one two
valid json
cp -p one/ckpt-4.varve two
prints lineages_two 0 log one two
prints lineages_limit 0 log --limit=3 one two
ends 0 log --tsv one two
[ "$(wc -l <out)" = 11 ] || fail 'a graph in output for programs'
ends 0 log --markdown two
has '| ckpt-6.varve | 600 |' out
has 'CCCCC |' out

# If its parent was deleted, a run is attached to the newest remaining
# checkpoint before it.
rm one/ckpt-3.varve one/ckpt-6.varve
prints lineages_gone 0 log --ascii one

# With checkpoints that were not written by a manager, or have no run.
rm -r two
mkdir two
cp three/ckpt-2.varve two
touch -d '2026-01-02 03:04:05Z' two/*.varve
prints lineages_unknown 0 log --ascii one two
cp one/ckpt-1.varve one/ckpt-2.varve two
ends 0 log two
[ "$(head -c 1 out)$(grep -c '[*]' out)" = N0 ] ||
    fail 'a graph for a single lineage'
prints lineages_older 0 log --ascii three
ends 1 log one missing
has 'ckpt-7.varve' out
has 'varve: no checkpoints: missing: ' err
cd ..
