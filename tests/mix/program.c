/* program.c - Decodes bytes to operations: each operation has four bytes, its
 * number and three arguments. Numbers never change their meaning, so that
 * stored programs remain valid.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mix/program.h"

#include "mix/operations.h"
#include "support/proof.h"

const struct mix_entry mix_operations[] = {
    [0] = { "end_graph", mix_end_graph, 1 },
    [1] = { "add_container", mix_add_container, 10 },
    [2] = { "add_variable", mix_add_variable, 10 },
    [3] = { "add_allocated", mix_add_allocated, 8 },
    [4] = { "add_state", mix_add_state, 3 },
    [5] = { "track", mix_track, 5 },
    [6] = { "replace", mix_replace, 3 },
    [7] = { "untrack", mix_untrack, 3 },
    [8] = { "remove", mix_remove_node, 3 },
    [9] = { "insert", mix_move_in_list, 2 },
    [10] = { "reorder", mix_reorder, 2 },
    [11] = { "add_slot", mix_add_slot, 4 },
    [12] = { "alias", mix_alias, 2 },
    [13] = { "global_name", mix_name_globally, 1 },
    [14] = { "tag", mix_tag, 2 },
    [15] = { "compute", mix_compute, 6 },
    [16] = { "rebind", mix_rebind, 2 },
    [17] = { "retype", mix_retype, 3 },
    [18] = { "write", mix_write, 8 },
    [19] = { "read", mix_read, 8 },
    [20] = { "save", mix_save, 3 },
    [21] = { "restore", mix_restore, 3 },
    [22] = { "end_restoration", mix_end_open, 3 },
    [23] = { "drop", mix_drop, 1 },
    [24] = { "plan", mix_plan, 1 },
    [25] = { "ask", mix_ask, 1 },
    [26] = { "write_foreign", mix_write_foreign, 3 },
    [27] = { "from_file", mix_from_file, 2 },
    [28] = { "graft", mix_graft, 2 },
    [29] = { "snapshot", mix_take, 4 },
    [30] = { "retake", mix_retake, 2 },
    [31] = { "put_back", mix_put_back, 4 },
    [32] = { "end_snapshot", mix_end_snapshot, 1 },
    [33] = { "compare", mix_compare, 2 },
    [34] = { "write_snapshot", mix_write_snapshot, 1 },
    [35] = { "read_snapshot", mix_read_snapshot, 1 },
    [36] = { "push", mix_push, 2 },
    [37] = { "roll_back", mix_roll_back, 2 },
    [38] = { "end_ring", mix_end_ring, 1 },
    [39] = { "run_out", mix_run_out, 3 },
    [40] = { "fill_disk", mix_fill_disk, 1 },
    [41] = { "kill", mix_kill, 1 },
    [42] = { "ask_nothing", mix_ask_nothing, 1 },
    [43] = { "mistake", mix_mistake, 1 },
    [44] = { "churn", mix_churn, 1 },
    [45] = { "chain", mix_chain, 1 },
    [46] = { "build_twice", mix_build_twice, 2 },
    [47] = { "saver_add", mix_name_in_saver, 4 },
    [48] = { "saver_save", mix_save_by_saver, 2 },
    [49] = { "saver_restore", mix_restore_by_saver, 2 },
    [50] = { "end_saver", mix_end_saver, 1 },
    [51] = { "manage", mix_manage, 2 },
    [52] = { "manager_save", mix_save_managed, 4 },
    [53] = { "resume", mix_resume, 3 },
    [54] = { "end_manager", mix_end_manager, 1 },
    [55] = { "pin", mix_pin, 1 },
    [56] = { "read_part", mix_read_part, 3 },
    [57] = { "again", mix_again, 2 },
    [58] = { "settle", mix_settle, 1 },
    [59] = { "demand", mix_demand, 2 },
    [60] = { "take_part", mix_take_part, 2 },
    [61] = { "read_snapshot_part", mix_read_snapshot_part, 1 },
    [62] = { "write_beside", mix_write_beside, 1 },
    [63] = { "read_otherwise", mix_read_otherwise, 3 },
    [64] = { "fail_call", mix_fail_call, 3 },
    [65] = { "kill_manager", mix_kill_manager, 1 },
    [66] = { "manage_part", mix_manage_part, 1 },
    [67] = { "from_part", mix_from_part, 2 },
    [68] = { "salvage", mix_salvage, 3 },
    [69] = { "write_layered", mix_write_incremental, 5 },
    [70] = { "save_layered", mix_save_incremental, 3 },
    [71] = { "repack", mix_repack, 2 },
    [72] = { "prune_layers", mix_prune_layers, 2 },
    [73] = { "delete", mix_delete, 1 },
    [74] = { "write_behind", mix_write_behind, 5 },
    [75] = { "save_behind", mix_save_behind, 3 },
    [76] = { "wait", mix_wait, 2 },
    [77] = { "ask_job", mix_ask_job, 2 },
    [78] = { "cancel", mix_cancel, 1 },
    [79] = { "end_job", mix_end_job, 2 },
    [80] = { "kill_behind", mix_kill_behind, 1 },
    [81] = { "make_saver", mix_make_saver, 2 },
    [82] = { "manage_otherwise", mix_manage_otherwise, 2 },
    [83] = { "salvage_damaged", mix_salvage_damaged, 3 },
    [84] = { "add_slice", mix_add_slice, 8 },
    [85] = { "add_allocated_slice", mix_add_allocated_slice, 6 },
    [86] = { "add_slot_like", mix_add_slot_like, 2 },
    [87] = { "write_all", mix_write_all, 5 },
    [88] = { "read_all", mix_read_all, 4 },
    [89] = { "reshape", mix_reshape, 3 },
    [90] = { "let_resize", mix_let_resize, 5 },
    [91] = { "add_view", mix_add_view, 6 },
    [92] = { "rebind_view", mix_rebind_view, 5 },
    [93] = { "fail_copy", mix_fail_copy, 5 },
    [94] = { "lose_copy", mix_lose_copy, 5 },
    [95] = { "add_struct", mix_add_struct, 8 },
    [96] = { "rebind_struct", mix_rebind_struct, 6 },
    [97] = { "fix", mix_fix, 2 },
    [98] = { "regrow", mix_regrow, 6 },
    [99] = { "save_crowd", mix_save_crowd, 4 },
    [100] = { "resume_crowd", mix_resume_crowd, 3 },
    [101] = { "snapshot_crowd", mix_snapshot_crowd, 1 },
    [102] = { "touch", mix_touch, 3 },
    [103] = { "read_all_in_place", mix_read_all_in_place, 4 },
};
const unsigned mix_operation_count =
    sizeof mix_operations / sizeof *mix_operations;
_Static_assert(sizeof mix_operations / sizeof *mix_operations <=
                   MIX_MOST_OPERATIONS,
    "a byte says which operation it is");

static unsigned weight_of(unsigned number, const bool *without)
{
    return mix_is_left_out(without, number) ? 0 : mix_operations[number].weight;
}

size_t mix_random_program(
    uint64_t seed, uint8_t bytes[MIX_PROGRAM], const bool *without)
{
    uint64_t random = seed;
    unsigned sum = 0;
    for (unsigned i = 0; i < mix_operation_count; i++)
        sum += weight_of(i, without);
    size_t count = 8 + proof_next(&random) % (MIX_PROGRAM / 4 - 7);
    for (size_t i = 0; i < count; i++) {
        uint64_t drawn = proof_next(&random);
        unsigned left = (unsigned)(drawn >> 32) % sum;
        uint8_t number = 0;
        for (; left >= weight_of(number, without); number++)
            left -= weight_of(number, without);
        bytes[4 * i] = number;
        for (int k = 1; k < 4; k++)
            bytes[4 * i + (size_t)k] = (uint8_t)(drawn >> 8 * (k - 1));
    }
    return 4 * count;
}
