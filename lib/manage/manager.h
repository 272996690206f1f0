/* manager.h - a manager behind its handle.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_H
#define VV_MANAGER_H

#include <stdatomic.h>

#include <varve/job.h>
#include <varve/manager.h>

#include "graph.h"
#include "interval.h"
#include "levels.h"
#include "listing.h"
#include "manager_lock.h"
#include "manager_nodes.h"
#include "prune.h"
#include "retention.h"

/* A save: what of it is to be remembered until it is in place. */
struct vv_manager_saving {
    int64_t step;
    uint64_t number;
    bool is_new_pin;
    bool is_durable; /* once it is in place */
    bool was_requested;
    struct vv_interval older; /* before it */
};

struct varve_manager {
    struct vv_observer observer;
    struct vv_context context;
    varve_graph *graph; /* NULL once it or the root is gone */
    varve_node *root;
    varve_manager_options options; /* its strings are the listing's */
    struct vv_policy policy;
    struct vv_listing listing;
    struct vv_decision decision;
    bool has_good; /* a checkpoint is known to be good: the newest such */
    uint64_t good; /* its number */

    atomic_bool is_requested;
    struct vv_interval interval; /* since a save, or what was resumed from */
    struct vv_manager_lock lock;
    struct vv_levels levels;

    struct vv_manager_nodes nodes;

    varve_job *job; /* of a save in flight; NULL: none is */
    struct vv_manager_saving flight;
    varve_error failure; /* of one that nobody was told */

    varve_restoration *restoration;
    varve_error half_restored;    /* by a damaged checkpoint, and not yet by an
                                     older one; VARVE_OK: nothing is */
    struct vv_buffer saved;       /* a path, "" for none */
    struct vv_buffer passed_over; /* lines, each ends with a NUL */
    struct vv_buffer text;        /* what was handed out last */
    struct vv_buffer latest;      /* likewise */
    varve_error warning;
};

/* Looks at the directory and decides what would stay. */
varve_status vv_manager_look(varve_manager *manager, varve_error *error);

/* Decides what would stay, by which is known to be good. Of many processes
 * layers count for the policy of bytes, as rank 0 finds and tells them. */
varve_status vv_manager_decide(varve_manager *manager, varve_error *error);

/* Keeps other managers of this prefix off, from the first thing that is written
 * to the end; asked again before each save, for the directory may be another
 * one by then. VARVE_EXISTS where another manager was first. */
varve_status vv_manager_lock(varve_manager *manager, varve_error *error);

/* Remembers that a checkpoint is good: the one with the highest counter. */
void vv_manager_note_good(varve_manager *manager, uint64_t number);

/* Makes the pin of a number, durably unless saves are not, whether there is
 * such a checkpoint yet or not; on failure there is none. */
varve_status vv_manager_make_pin(
    varve_manager *manager, uint64_t number, varve_error *error);

/* Removes it, if it can: one too many keeps a checkpoint longer at worst. */
void vv_manager_drop_pin(varve_manager *manager, uint64_t number);

/* What went wrong beside the work, unless something did before. */
void vv_manager_warn(varve_manager *manager, const varve_error *error);

#endif
