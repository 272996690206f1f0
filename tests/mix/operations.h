/* operations.h - Declares all operations of a program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_OPERATIONS_H
#define MIX_OPERATIONS_H

#include "mix/mix.h"

/* The compression level, if this build supports compression. */
#ifdef VV_HAVE_ZSTD
enum { MIX_LEVEL = 1 };
#else
enum { MIX_LEVEL = 0 };
#endif

/* Graphs: operations_graph.c */
mix_operation mix_end_graph, mix_add_container, mix_add_variable,
    mix_add_allocated, mix_add_state, mix_add_slice, mix_add_allocated_slice,
    mix_add_slot_like, mix_track, mix_replace, mix_untrack,
    mix_remove_node, mix_move_in_list, mix_reorder;

/* Properties and values of nodes: operations_node.c */
mix_operation mix_add_slot, mix_alias, mix_name_globally, mix_tag, mix_compute,
    mix_rebind, mix_reshape, mix_let_resize, mix_retype, mix_touch,
    mix_ask_nothing,
    mix_mistake;

/* Values that are not row-major: operations_view.c */
mix_operation mix_add_view, mix_rebind_view, mix_lose_copy;

/* Structs: operations_struct.c */
mix_operation mix_add_struct, mix_rebind_struct, mix_fix,
    mix_regrow;

/* Records the value of a fixed node again after the program changed it. */
void mix_fix_again(struct mix_graph *g, uint8_t n);

/* Files: operations_file.c */
mix_operation mix_write, mix_write_beside, mix_write_foreign, mix_read,
    mix_salvage, mix_salvage_damaged, mix_write_incremental,
    mix_save_incremental, mix_read_part, mix_read_otherwise, mix_restore,
    mix_save, mix_end_open, mix_drop, mix_plan, mix_ask, mix_from_file,
    mix_graft;

/* Graphs of parts of files: operations_part.c */
mix_operation mix_from_part;

/* Values that are delivered late, again, or never, and children created on
 * demand: operations_late.c */
mix_operation mix_again, mix_settle, mix_demand;

/* In memory: operations_memory.c */
mix_operation mix_take, mix_retake, mix_put_back, mix_end_snapshot, mix_compare,
    mix_write_snapshot, mix_read_snapshot, mix_push, mix_roll_back,
    mix_end_ring, mix_take_part, mix_read_snapshot_part;

/* Managers and savers: operations_manage.c, operations_saver.c */
mix_operation mix_name_in_saver, mix_save_by_saver, mix_restore_by_saver,
    mix_end_saver, mix_manage, mix_manage_part, mix_save_managed, mix_resume,
    mix_end_manager, mix_pin, mix_make_saver, mix_manage_otherwise;

/* Incremental checkpoints: operations_layers.c */
mix_operation mix_repack, mix_prune_layers, mix_delete;

/* Multiple processes: operations_together.c */
mix_operation mix_write_all, mix_read_all, mix_read_all_in_place;

/* Managers of multiple processes, rank-local values and migrating elements:
 * operations_crowd.c */
mix_operation mix_save_crowd, mix_resume_crowd, mix_snapshot_crowd;

/* Asynchronous saves: operations_job.c */
mix_operation mix_write_behind, mix_save_behind, mix_wait, mix_ask_job,
    mix_cancel, mix_end_job;

/* Failures: operations_fail.c, operations_kill.c */
mix_operation mix_run_out, mix_fill_disk, mix_fail_call, mix_fail_copy,
    mix_kill, mix_kill_behind, mix_kill_manager;

/* Cost: operations_cost.c */
mix_operation mix_churn, mix_chain, mix_build_twice;

#endif
