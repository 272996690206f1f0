#!/usr/bin/env bash
# rename_0_1.sh - Rewrites a program for Varve 0.1 to the names of Varve 0.2.
#
#     scripts/rename_0_1.sh FILE...
#
# FILE is a source file in C, C++ or Python. It is changed in place. Identifiers
# are replaced as a whole, and members of option structs only after `.` or `->`.
# A member of a struct of the program that has such a name is renamed too:
# review the changes. The script prints how many lines of each file it changed.
# CHANGELOG.md lists the names. A second run changes nothing.
#
# SPDX-License-Identifier: MIT
set -euo pipefail

if [ $# -eq 0 ] || [ "$1" = --help ]; then
    echo "usage: scripts/rename_0_1.sh FILE..." >&2
    exit 2
fi

script=$(mktemp)
trap 'rm -f "$script"' EXIT
cat >"$script" <<'SED'
s@varve/layers\.h@varve/incremental.h@g
s@varve/together\.h@varve/collective.h@g
s@varve/private\.h@varve/rank_local.h@g
s/\bVARVE_DAMAGED\b/VARVE_FINDING_DAMAGED/g
s/\bVARVE_HALF_RESTORED\b/VARVE_PARTIALLY_RESTORED/g
s/\bVARVE_MATCHED\b/VARVE_FINDING_MATCHED/g
s/\bVARVE_MISMATCHED\b/VARVE_FINDING_MISMATCHED/g
s/\bVARVE_ONLY_IN_FILE\b/VARVE_FINDING_UNEXPECTED/g
s/\bVARVE_ONLY_IN_PROGRAM\b/VARVE_FINDING_MISSING/g
s/\bVARVE_TAG_PRIVATE\b/VARVE_TAG_RANK_LOCAL/g
s/\bVARVE_WAITING\b/VARVE_FINDING_PENDING/g
s/\bvarve_add_private\b/varve_add_rank_local/g
s/\bvarve_background_options\b/varve_async_options/g
s/\bvarve_clear_mistake\b/varve_graph_clear_error/g
s/\bvarve_fold\b/varve_merge/g
s/\bvarve_graft\b/varve_copy_subgraph/g
s/\bvarve_graph_over\b/varve_graph_from_lazy/g
s/\bvarve_job_wait_copied\b/varve_job_wait_staged/g
s/\bvarve_layer_options\b/varve_increment_options/g
s/\bvarve_layers_pruned\b/varve_data_files_pruned/g
s/\bvarve_managed\b/varve_checkpoint_info/g
s/\bvarve_manager_passed_over\b/varve_manager_skipped/g
s/\bvarve_manager_plan_prune\b/varve_manager_prune_dry_run/g
s/\bvarve_manager_settle\b/varve_manager_finish_resume/g
s/\bvarve_many_options\b/varve_collective_options/g
s/\bvarve_place_by_turns\b/varve_place_round_robin/g
s/\bvarve_plan\b/varve_dry_run/g
s/\bvarve_private_options\b/varve_rank_local_options/g
s/\bvarve_prune_layers\b/varve_prune_data_files/g
s/\bvarve_prune_layers_with\b/varve_prune_data_files_with/g
s/\bvarve_reader_has_sums\b/varve_reader_has_checksums/g
s/\bvarve_run_goes_on\b/varve_run_should_continue/g
s/\bvarve_run_settle\b/varve_run_check_resume/g
s/\bvarve_touch\b/varve_mark_dirty/g
s/\bvarve_touch_box\b/varve_mark_box_dirty/g
s/\bvarve_touch_rows\b/varve_mark_rows_dirty/g
# Struct members, and keywords in Python.
s/(\.|->|[(,{] *)heed_signals( *[=;,)}])/\1handle_signals\2/g
s/(\.|->|[(,{] *)no_last_save( *[=;,)}])/\1skip_final_save\2/g
s/(\.|->|[(,{] *)as_noted( *[=;,)}])/\1retention_from_ledger\2/g
s/(\.|->|[(,{] *)only_touched( *[=;,)}])/\1only_dirty\2/g
s/(\.|->|[(,{] *)verify_untouched( *[=;,)}])/\1verify_clean\2/g
s/(\.|->|[(,{] *)most_waiting( *[=;,)}])/\1max_pending\2/g
s/(\.|->|[(,{] *)layered( *[=;,)}])/\1incremental\2/g
s/(\.|->)layers(\.|->)(base|only_dirty|track|verify_clean)\b/\1increment\2\3/g
s/\.layers = \{( *\.(base|only_dirty|track|verify_clean)\b)/.increment = {\1/g
s/(\.|->)background(\.|->)at_rest\b/\1async\2zero_copy/g
s/(\.|->)background(\.|->)in_flight\b/\1async\2in_flight/g
s/\.background = \{( *)\.at_rest\b/.async = {\1.zero_copy/g
s/\.background = \{( *\.in_flight\b)/.async = {\1/g
s/(\.|->)many(\.|->)files\b/\1collective\2files/g
s/\.many = \{( *\.files\b)/.collective = {\1/g
s/\bexpect(\.|->)unused\b/expect\1unexpected/g
s/(\.expect = \{.*)\.unused( *=)/\1.unexpected\2/g
s/(\.|->)excused\b/\1expected/g
s/(\.|->)misfits\b/\1inexact/g
s/(\.|->)goes_on\b/\1should_continue/g
s/(\.|->)passed_over\b/\1skipped/g
s/(\.|->)clear_mistake\b/\1clear_error/g
s/(\.|->)wait_copied\b/\1wait_staged/g
s/(\.|->)has_sums\b/\1has_checksums/g
s/(\.|->)touch_rows\b/\1mark_rows_dirty/g
s/(\.|->)touch_box\b/\1mark_box_dirty/g
s/\bvarve(::|\.)plan\b/varve\1dry_run/g
s/(\.|->)touch\(\)/\1mark_dirty()/g
s/(\.|->)graft\(/\1copy_subgraph(/g
s/\bvarve::private_options\b/varve::rank_local_options/g
s/(\.|->)fold_user\b/\1merge_user/g
s/(\.|->)fold( *=)/\1merge\2/g
s/\bexpect_unused\b/expect_unexpected/g
SED

for file; do
    before=$(mktemp)
    cp "$file" "$before"
    sed -E -i -f "$script" "$file"
    lines=$(diff "$before" "$file" | grep -c '^>' || true)
    rm -f "$before"
    echo "$file: $lines lines changed"
done
