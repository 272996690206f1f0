/* nodes_behind.h - Rebuilds the files that a lost node had, except those that
 * were resumed, while the program continues. Each rank has a thread for it,
 * which uses a duplicate of the communicator.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NODES_BEHIND_H
#define VV_NODES_BEHIND_H

#include "buffer.h"
#include "redundancy.h"
#include "worker.h"

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

#endif
