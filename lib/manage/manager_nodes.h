/* manager_nodes.h - a manager of many processes of which each has a directory
 * of its own, and all protect each other's.
 *
 * It is a manager of one process in each of them: it looks, locks, saves and
 * deletes in its own directory. Together they agree on what is due, on one
 * number for a set of files, on that all have saved and protected it, and on
 * the set that is resumed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_NODES_H
#define VV_MANAGER_NODES_H

#include <varve/manager.h>

#include "listing.h"
#include "nodes_behind.h"
#include "redundancy.h"

#define VV_PARITY_SUFFIX ".parity"

/* All zero: the manager is another one. */
struct vv_manager_nodes {
    /* own */
    struct vv_redundancy redundancy; /* without `comm`: none */
    uint32_t *domains;               /* of all ranks */
    uint32_t domain;                 /* of this one */
    bool goes_on;  /* with what is resumed: the rest is made behind */
    bool was_lost; /* something of that */
    struct vv_nodes_behind behind;
    uint64_t weighed; /* the oldest set that `keep_bytes` keeps;
                         0: all */
};

/* Returns whether it is such a manager. */
static inline bool vv_has_nodes(const struct vv_manager_nodes *nodes)
{
    return nodes->redundancy.comm != NULL;
}

/* VARVE_MISUSE for options that are not for these. */
varve_status vv_nodes_check_options(
    const varve_manager_options *options, varve_error *error);

/* Begins it, with the manager's context. Appends the directory of this rank to
 * `path`. End it also after a failure. */
varve_status vv_nodes_begin(struct vv_manager_nodes *nodes,
    const struct vv_context *context, const varve_manager_options *options,
    struct vv_buffer *path, varve_error *error);
void vv_nodes_end(struct vv_manager_nodes *nodes);

/* All ranks call each of the following functions, which return the same at all;
 * for a manager of another kind they do nothing. */

/* Each knows of all ranks where they run. VARVE_MISUSE where they cannot
 * protect each other. */
varve_status vv_nodes_meet(struct vv_manager_nodes *nodes, varve_error *error);

/* Sets a counter to the highest that any rank has. */
varve_status vv_nodes_count(const struct vv_manager_nodes *nodes,
    varve_status status, uint64_t *counter, varve_error *error);

/* Protects the files that the ranks have saved. If that fails, or the save of a
 * rank has, this rank's file is removed, unless a rank is gone: then the set
 * may be whole. */
varve_status vv_nodes_protect(const struct vv_manager_nodes *nodes,
    struct vv_listing *listing, uint64_t number, varve_status status,
    varve_error *error);

/* Looks for the oldest of the newest sets that are together no larger than
 * `most`, each as large as the largest file of it at any rank; 0: all are.
 * Where that fails none goes for it. */
varve_status vv_nodes_find_oldest_to_keep(struct vv_manager_nodes *nodes,
    struct vv_listing *listing, uint64_t most, varve_error *error);

/* Lets entries of older sets be too large for that. */
void vv_nodes_note_weights(
    const struct vv_manager_nodes *nodes, struct vv_listing *listing);

/* Makes a set whole (rebuild.h), or only its files, where `was_lost` is there
 * to say whether anything was lacking. *aside has a message at a rank whose
 * file of another set has got another name. */
varve_status vv_nodes_rebuild(const struct vv_manager_nodes *nodes,
    struct vv_listing *listing, uint64_t number, bool *was_lost,
    varve_error *aside, varve_error *error);

/* Begins to make the rest whole of a set whose files were resumed from, and all
 * older ones. vv_nodes_behind_end follows before anything else is done. */
varve_status vv_nodes_rebuild_rest(struct vv_manager_nodes *nodes,
    struct vv_listing *listing, uint64_t number, varve_error *error);

/* Sets *is_so everywhere where it is so at some rank. */
varve_status vv_nodes_any(
    const struct vv_manager_nodes *nodes, bool *is_so, varve_error *error);

#endif
