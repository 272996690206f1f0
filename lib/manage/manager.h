/* manager.h - Defines the struct behind the handle of a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_H
#define VV_MANAGER_H

#include <stdatomic.h>

#include <varve/job.h>
#include <varve/manager.h>

#include "graph.h"
#include "levels.h"
#include "listing.h"
#include "manager_lock.h"
#include "manager_nodes.h"
#include "prune.h"
#include "retention.h"

/* A save in progress: the data to record once the file is in place. */
struct vv_manager_saving {
    int64_t step;
    uint64_t number, counter;
    bool is_new_pin;
    bool is_durable; /* will be, when the file is in place */
    bool was_requested;
    struct vv_interval older; /* the interval before this save */
    bool has_entry;           /* `entry` is that of the new file */
    struct vv_entry entry;
};

/* The state of the last resume (resume_match.h). */
struct vv_manager_match {
    uint64_t number; /* number of the restored checkpoint */
    size_t level;    /* its level; 0: the own directory */
    bool is_held; /* it has values that were neither used nor dropped, so it is
                     not deleted */
    bool is_unchecked; /* `strict`, and not known to be complete: saves fail */
};

/* The size of the text of VV_PARENT_KEY, including a NUL. */
enum {
    VV_PARENT_SIZE = 16 + 1 + VV_RUN_SIZE + 21 + 21 + 17 + VV_ANCESTRY_SIZE
};

struct varve_manager {
    struct vv_observer observer;
    struct vv_context context;
    varve_graph *graph; /* NULL once it or the root is gone */
    varve_node *root;
    varve_manager_options options; /* its strings are the listing's; `comm` has
                                      the ranks that share the directory */
    const varve_comm *comm;        /* all ranks; vv_comm_alone: one process */
    struct vv_policy policy;
    struct vv_listing listing;
    struct vv_decision decision;
    bool has_good; /* an intact checkpoint is known: the newest one */
    uint64_t good; /* its number */

    atomic_bool is_requested;
    struct vv_interval interval; /* since the last save or resume */
    struct vv_manager_lock lock;
    varve_error unread_ledger; /* of reading the ledger; VARVE_OK: none */
    char run[VV_RUN_SIZE];
    bool has_own_run;            /* the program has named it */
    char parent[VV_PARENT_SIZE]; /* "": the run was not resumed */
    bool has_resumed;            /* from a checkpoint */
    bool has_saved;              /* since it was opened */
    struct vv_levels levels;

    struct vv_manager_nodes nodes;

    varve_job *job; /* the asynchronous save; NULL: none */
    struct vv_manager_saving flight;
    varve_error failure;    /* an error that was not returned yet */
    varve_error taken_over; /* rank 0: another manager has taken the lock over
                               during a save; not returned yet */

    varve_restoration *restoration;
    struct vv_manager_match resumed; /* zeroed where there is no restoration */
    varve_error half_restored;    /* by a damaged checkpoint; VARVE_OK: none */
    struct vv_buffer saved;       /* a path, "" for none */
    struct vv_buffer passed_over; /* lines, each ends with a NUL */
    struct vv_buffer text;        /* text returned last */
    struct vv_buffer latest;      /* path returned last */
    varve_error warning;
};

/* Adds the entries of the ledger to the listing. Records the error if it cannot
 * be read. */
varve_status vv_manager_read_ledger(
    varve_manager *manager, struct vv_policy *policy, varve_error *error);

/* Takes the lock of the prefix. Before a save, checks that the held lock still
 * belongs to the directory, which may have been created again. Waits up to
 * `seconds` for another manager. Returns VARVE_EXISTS if another manager has
 * the lock, and VARVE_MISUSE if the manager was opened with read_only. */
varve_status vv_manager_lock(
    varve_manager *manager, double seconds, varve_error *error);

/* Records that a checkpoint is intact. The one with the highest save counter is
 * kept. */
void vv_manager_note_good(varve_manager *manager, uint64_t number);

/* Creates the pin of a number, durably unless saves use no_sync. The checkpoint
 * need not exist. On failure there is no pin. */
varve_status vv_manager_make_pin(
    varve_manager *manager, uint64_t number, varve_error *error);

/* Removes a pin. On failure the pin stays, so that the checkpoint is kept
 * longer. */
void vv_manager_drop_pin(varve_manager *manager, uint64_t number);

/* Records that a checkpoint was skipped, with the reason. Returns
 * VARVE_NO_MEMORY without memory. */
varve_status vv_manager_pass_over(
    varve_manager *manager, const varve_error *reason, varve_error *error);

/* Sets the warning of the manager, unless it has one. */
void vv_manager_warn(varve_manager *manager, const varve_error *error);

#endif
