/* nodes_behind.h - what a lost node had of the sets of all, besides the files
 * that were resumed from, is made again while the program goes on: by a thread
 * of each rank, over a duplicate of the communicator.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NODES_BEHIND_H
#define VV_NODES_BEHIND_H

#include "buffer.h"
#include "redundancy.h"

/* All zero: nothing is made. */
struct vv_nodes_behind {
    /* own */
    struct vv_context context; /* of the thread */
    struct vv_durable durable;
    struct vv_redundancy redundancy;
    struct vv_buffer files; /* struct vv_redundant_file, the newest first */
    varve_comm *copy;
    uintptr_t thread;
    bool has_thread;
    int64_t process;     /* whose it is */
    varve_error failure; /* of the newest that could not be made whole */
};

/* Adds files of this rank, each of the same number as those of the others.
 * VARVE_NO_MEMORY. */
varve_status vv_nodes_behind_add(struct vv_nodes_behind *behind,
    const struct vv_redundancy *redundancy, const struct vv_redundant_file *own,
    varve_error *error);

/* By all ranks, of which each comes with its own `status`: begins to make them
 * whole. Where the communicator cannot be duplicated that is done when this
 * returns. */
varve_status vv_nodes_behind_begin(struct vv_nodes_behind *behind,
    const struct vv_redundancy *redundancy, varve_status status,
    varve_error *error);

/* Waits until it is done, and tells what could not be made whole, once. In a
 * forked child the thread is the parent's. */
varve_status vv_nodes_behind_end(
    struct vv_nodes_behind *behind, varve_error *error);

#endif
