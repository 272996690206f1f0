/* level.h - Manages one storage level: a further directory for copies of a
 * manager's checkpoints, with its own rate and retention.
 *
 * Only the thread of the level uses it, except for `is_cancelled`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEVEL_H
#define VV_LEVEL_H

#include <stdatomic.h>

#include "context.h"
#include "listing.h"
#include "manager_lock.h"
#include "prune.h"

struct vv_level {
    /* to fill in */
    struct vv_policy policy;
    uint64_t bytes_per_second; /* maximum; 0: unlimited */
    bool replaces;             /* a later save can have the same number */
    bool is_incremental;   /* copies share data files, as their originals do */
    bool is_of_sets;       /* each rank copies its file of a set */
    char run[VV_RUN_SIZE]; /* identity of the manager's run */
    bool is_resumed;  /* the manager has resumed from this level, and not all
                         values were taken: */
    uint64_t resumed; /* the number of that checkpoint */
    struct vv_buffer whole;   /* if is_of_sets: the complete ones, uint64_t */
    atomic_bool is_cancelled; /* set to cancel the current copy */
    /* own */
    struct vv_context context;
    struct vv_durable durable;
    struct vv_listing listing;
    struct vv_decision decision;
    struct vv_manager_lock lock;
    bool has_looked;
    struct vv_entry newest; /* the last copy, for its lineage */
    int64_t begun; /* uptime in nanoseconds when the current copy began */
};

/* A checkpoint to copy. */
struct vv_original {
    /* to fill in */
    const char *path;
    uint64_t number;
    uint64_t counter;
    int64_t step;
    uint64_t identity; /* 0: unknown */
    uint64_t parent;   /* of its run */
    uint64_t parent_counter;
    uint64_t origin; /* likewise */
    struct vv_ancestry ancestry;
    char run[VV_RUN_SIZE];
    bool is_unsure; /* the level has a copy that may not be durable */
};

/* Initializes a zeroed level. Call vv_level_clear also after a failure. Returns
 * VARVE_NO_MEMORY without memory. */
varve_status vv_level_begin(struct vv_level *level,
    const struct vv_context *context, const char *directory, const char *prefix,
    const char *metric, varve_error *error);
void vv_level_clear(struct vv_level *level);

/* Copies a checkpoint as one complete file, or with its data files, unless the
 * level contains a checkpoint of the same identity. Sets *size to the number of
 * bytes written, or 0 if the copy existed. Returns:
 *
 * - VARVE_EXISTS, with both names, if another checkpoint has its number, is not
 *   damaged, and numbers cannot be reused.
 * - VARVE_CANCELLED at the next chunk after a cancellation. */
varve_status vv_level_copy(struct vv_level *level,
    const struct vv_original *original, uint64_t *size, varve_error *error);

/* Deletes the checkpoints that no policy keeps and the files of killed copies,
 * then writes the ledger. `good` is the number of the newest checkpoint that is
 * known to be intact. The resumed checkpoint is kept while `is_resumed` is set.
 * Policies count only complete sets. An incomplete set is deleted when a newer
 * set is complete, so that each rank keeps the same sets. Returns VARVE_EXISTS,
 * and deletes nothing, while another manager uses the prefix. */
varve_status vv_level_tidy(
    struct vv_level *level, uint64_t good, varve_error *error);

#endif
