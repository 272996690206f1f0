/* manager_nodes.h - Manages a directory for each rank, whose files the ranks
 * protect with redundancy, and rebuilds lost files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_NODES_H
#define VV_MANAGER_NODES_H

#include <varve/manager.h>

#include "buffer.h"
#include "listing.h"
#include "redundancy.h"
#include "worker.h"

/* --- Rebuilding ----------------------------------------------------------- */

/* Rebuilds the files that a lost node had, except those that were resumed,
 * while the program continues. Each rank has a thread for it, which uses a
 * duplicate of the communicator. */

/* All zero: nothing is being rebuilt. */
struct vv_nodes_behind {
    /* own */
    struct vv_context context; /* of the thread */
    struct vv_durable durable;
    struct vv_redundancy redundancy;
    struct vv_buffer files; /* struct vv_redundant_file, the newest first */
    varve_comm *copy;
    struct vv_worker_thread worker;
    bool is_made;        /* guarded by its monitor */
    varve_error failure; /* of the newest set that could not be rebuilt */
};

/* Adds files of this rank, in the same order of numbers as on the other ranks.
 * Returns VARVE_NO_MEMORY without memory. */
varve_status vv_nodes_behind_add(struct vv_nodes_behind *behind,
    const struct vv_redundancy *redundancy, const struct vv_redundant_file *own,
    varve_error *error);

/* Collective. Begins to rebuild the files; each rank passes its own `status`.
 * If the communicator cannot be duplicated, rebuilds them before it returns. */
varve_status vv_nodes_behind_begin(struct vv_nodes_behind *behind,
    const struct vv_redundancy *redundancy, varve_status status,
    varve_error *error);

/* Waits for the end of the rebuild, and returns the failure of the newest set
 * that could not be rebuilt, once. In a forked child it does nothing, because
 * the thread belongs to the parent. */
varve_status vv_nodes_behind_end(
    struct vv_nodes_behind *behind, varve_error *error);

/* --- Managers ------------------------------------------------------------- */

/* Manages a directory for each rank, whose files the ranks protect with
 * redundancy.
 *
 * Each rank lists, locks, saves and deletes in its own directory. All ranks
 * together decide when a save is due, the number of a set of files, when a set
 * is complete and protected, and which set is resumed. */

#define VV_PARITY_SUFFIX ".parity"

/* All zero: the manager does not use redundancy. */
struct vv_manager_nodes {
    /* own */
    struct vv_redundancy redundancy; /* `comm` is NULL without redundancy */
    uint32_t *domains;               /* failure domains of all ranks */
    uint32_t domain;                 /* of this rank */
    bool goes_on;  /* the resume continues while the rest is rebuilt */
    bool was_lost; /* a part of the resumed set was lost */
    struct vv_nodes_behind behind;
    uint64_t weighed; /* the oldest set that `keep_bytes` keeps; 0: all sets */
};

/* Returns true if the manager uses redundancy. */
static inline bool vv_has_nodes(const struct vv_manager_nodes *nodes)
{
    return nodes->redundancy.comm != NULL;
}

/* Returns VARVE_MISUSE for options that cannot be combined with redundancy. */
varve_status vv_nodes_check_options(
    const varve_manager_options *options, varve_error *error);

/* Initializes `nodes` with the context of the manager. Appends the directory of
 * this rank to `path`. Call vv_nodes_end also after a failure. */
varve_status vv_nodes_begin(struct vv_manager_nodes *nodes,
    const struct vv_context *context, const varve_manager_options *options,
    struct vv_buffer *path, varve_error *error);
void vv_nodes_end(struct vv_manager_nodes *nodes);

/* All ranks must call each of the following functions, which return the same
 * status on all ranks. Without redundancy they do nothing. */

/* Exchanges the nodes on which the ranks run. Returns VARVE_MISUSE if the ranks
 * cannot protect each other. */
varve_status vv_nodes_exchange(
    struct vv_manager_nodes *nodes, varve_error *error);

/* Sets *counter to the maximum over all ranks. */
varve_status vv_nodes_count(const struct vv_manager_nodes *nodes,
    varve_status status, uint64_t *counter, varve_error *error);

/* Protects the files that the ranks have saved. If that fails, or if the save
 * of a rank failed, removes the file of this rank, unless a rank is gone: then
 * the set may be complete. */
varve_status vv_nodes_protect(const struct vv_manager_nodes *nodes,
    struct vv_listing *listing, uint64_t number, varve_status status,
    varve_error *error);

/* Finds the oldest of the newest sets whose total size is at most `most`. The
 * size of a set is that of its largest file on any rank. 0: all sets. On
 * failure all sets are kept. */
varve_status vv_nodes_find_oldest_to_keep(struct vv_manager_nodes *nodes,
    struct vv_listing *listing, uint64_t most, varve_error *error);

/* Marks the entries of older sets as too large to keep. */
void vv_nodes_note_weights(
    const struct vv_manager_nodes *nodes, struct vv_listing *listing);

/* Rebuilds a set (rebuild.h). If `was_lost` is not NULL, rebuilds only its
 * checkpoint files, and sets *was_lost to true if anything was missing. *aside
 * contains a message on a rank whose file of another set was renamed. */
varve_status vv_nodes_rebuild(const struct vv_manager_nodes *nodes,
    struct vv_listing *listing, uint64_t number, bool *was_lost,
    varve_error *aside, varve_error *error);

/* Begins to rebuild the rest of a set whose files were resumed, and all older
 * sets. The caller must call vv_nodes_behind_end before any other operation. */
varve_status vv_nodes_rebuild_rest(struct vv_manager_nodes *nodes,
    struct vv_listing *listing, uint64_t number, varve_error *error);

/* Sets *is_so to true on all ranks if it is true on any rank. */
varve_status vv_nodes_any(
    const struct vv_manager_nodes *nodes, bool *is_so, varve_error *error);

#endif
