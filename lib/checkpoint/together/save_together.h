/* save_together.h - a save of many processes, in the steps that a write and a
 * numbered save have in common.
 *
 *     all      gather a save plan, sum it, choose a share     ---> rank 0
 *     rank 0   compare, merge, make files                 ---> all
 *     all      write and sync a region                    ---> rank 0
 *     rank 0   end the files, write the index, publish    ---> all
 *
 * Whatever fails at a rank, it comes to each of these arrows, and says so.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_TOGETHER_H
#define VV_SAVE_TOGETHER_H

#include <varve/collective.h>

#include "share.h"

struct vv_save_together {
    /* to fill in */
    const varve_comm *comm;
    uint64_t most_at_once; /* bytes that all tell rank 0 of slices at once; 0:
                              as many as is usual */
    struct vv_save_plan
        *save_plan; /* zero at first; its counter is set by others, and
               whoever has gathered it clears it, last */
    /* to read */
    struct vv_private_parts privates;
    struct vv_share share; /* of the first step */
    bool has_share;
    bool may_sum_anew; /* where something that was taken for untouched has
                          changed: all values are there as they were */
    /* own */
    bool has_same_request;
};

/* Of the first step: what looks at the graph, and then what is to be written by
 * whom, which needs no digests. On failure of the one there is nothing to
 * clear; after the other vv_save_together_end follows. */
varve_status vv_save_together_gather(struct vv_save_together *save,
    varve_node *root, const varve_write_options *options, varve_error *error);
varve_status vv_save_together_share(
    struct vv_save_together *save, varve_error *error);

/* The first step, up to the arrow: its failure is for the next one, and leaves
 * nothing to clear. */
varve_status vv_save_together_begin(struct vv_save_together *save,
    varve_node *root, const char *path, const varve_write_options *options,
    varve_error *error);

/* The others: `status` is what became of the first. The same at all ranks. May
 * be called again for another path, as where a name was taken. */
varve_status vv_save_together_write(struct vv_save_together *save,
    varve_status status, const char *path, varve_error *error);

/* All but the save plan; also where it could not begin. */
void vv_save_together_end(struct vv_save_together *save);

/* VARVE_MISUSE for what is not for many processes. `options` may be NULL. */
varve_status vv_check_together(
    const varve_write_options *options, varve_error *error);

#endif
