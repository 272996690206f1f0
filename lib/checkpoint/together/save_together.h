/* save_together.h - Saves by many processes. The steps are shared by writes to
 * a path and numbered saves:
 *
 *     all      gather a save plan, compute digests, share ---> rank 0
 *     rank 0   compare, merge, create files               ---> all
 *     all      write and sync a region                    ---> rank 0
 *     rank 0   complete the files, write the index, publish ---> all
 *
 * Each arrow is a collective operation. A rank that fails still takes part in
 * it, and reports its failure there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_TOGETHER_H
#define VV_SAVE_TOGETHER_H

#include <varve/collective.h>

#include "save.h"
#include "share.h"
#include "write.h"

struct vv_save_together {
    /* to fill in */
    const varve_comm *comm;
    uint64_t most_at_once; /* limit for the bytes of shards that are sent to
                              rank 0 at once; 0: the default */
    struct vv_save_plan *save_plan; /* zeroed at first; the caller clears it
                                       last */
    /* to read */
    struct vv_private_parts privates;
    struct vv_share share; /* from the first step */
    bool has_share;
    bool may_recompute; /* data that was assumed to be unchanged may be read
                          again: the values have not changed since */
    /* own */
    bool has_same_request;
};

/* The parts of the first step. vv_save_together_gather reads the graph.
 * vv_save_together_share divides the data among ranks; it needs no digests. If
 * the former fails there is nothing to clear; if the latter fails,
 * vv_save_together_end must be called. */
varve_status vv_save_together_gather(struct vv_save_together *save,
    const struct vv_save_request *request, varve_error *error);
varve_status vv_save_together_share(
    struct vv_save_together *save, varve_error *error);

/* The first step. On failure there is nothing to clear. The caller must pass
 * the failure to vv_save_together_write, where the other ranks get it. */
varve_status vv_save_together_begin(struct vv_save_together *save,
    const struct vv_save_request *request, varve_error *error);

/* The other steps. Collective: `status` is the result of the first step, and
 * all ranks return the same. May be called again with another path, for example
 * after VARVE_EXISTS. */
varve_status vv_save_together_write(struct vv_save_together *save,
    varve_status status, const char *path, varve_error *error);

/* Frees everything except the save plan. May be called if the first step has
 * failed. */
void vv_save_together_end(struct vv_save_together *save);

/* Saves. Collective: `status` is the result of earlier steps of this rank; if
 * one has failed, with its message in `error`, all ranks fail. Returns the same
 * on all ranks. With vv_comm_alone it is vv_save_now. */
varve_status vv_save_now_together(const varve_comm *comm, varve_status status,
    const struct vv_save_request *request, varve_error *error);

/* Returns a save by all ranks, for vv_saving_write. The caller sets `path`
 * and the members for the graph. */
struct vv_saving vv_saving_together(
    struct vv_save_together *save, const char *target, bool is_numbered);

#endif
