/* saver_together.h - Implements collective savers: rank 0 finds files, reads
 * the clock and deletes, and broadcasts the results. All ranks have the same
 * list.
 *
 * With a communicator, all ranks must call each function, independent of errors
 * of single ranks, and all return the same status. For a saver of one process
 * they return `status`. `error` must not be NULL.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVER_TOGETHER_H
#define VV_SAVER_TOGETHER_H

#include "hand_over.h"
#include "saver.h"

/* Returns true if this process accesses the directory: rank 0, or the only
 * process. */
bool vv_saver_leads(const varve_saver *saver);

/* The first collective operation. Checks that all ranks have made their saver,
 * with the same options. `saver` is NULL on a rank on which `status` is the
 * failure. */
varve_status vv_saver_begin_collective(varve_saver *saver,
    const varve_comm *comm, varve_status status, varve_error *error);

/* Checks that all ranks make the same call: `digest` is a hash of its
 * arguments, and `name` is used in the message. Sets *when, unless it is NULL,
 * to the time of rank 0. */
varve_status vv_saver_compare(const varve_saver *saver, varve_status status,
    const char *name, uint64_t digest, int64_t *when, varve_error *error);

/* Sets the text on all ranks to that of rank 0, including its NUL. */
varve_status vv_saver_broadcast(const varve_saver *saver, varve_status status,
    struct vv_buffer *text, varve_error *error);

/* Sets an empty list on all ranks to that of rank 0. On failure the list is
 * cleared. */
varve_status vv_saver_broadcast_list(const varve_saver *saver,
    varve_status status, struct vv_saver_files *files, varve_error *error);

#endif
