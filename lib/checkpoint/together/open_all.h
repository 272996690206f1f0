/* open_all.h - Opens the same checkpoint on all ranks of a collective restore:
 * rank 0 reads the index and broadcasts it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OPEN_ALL_H
#define VV_OPEN_ALL_H

#include <varve/comm.h>

#include "opened.h"

struct vv_open_all {
    /* to fill in */
    const varve_comm *comm;
    const struct vv_context *context;
    const char *path;
    uint64_t most_told; /* limit in bytes for digests, boxes and places,
                           each, that are kept in memory */
};

/* Opens a checkpoint. Collective: each rank calls it with the `status` of its
 * earlier steps. If one rank fails all fail, and nothing is open.
 *
 * Only rank 0 reads the index of a Varve file. The others read the header, and
 * the data when they need it. Columns that grow with the number of processes
 * that saved stay in the file; each rank reads the parts that it needs and
 * verifies their checksums.
 *
 * Each rank opens a file itself if it has another format or if the context
 * salvages. Returns VARVE_MISMATCH if a rank finds another file than rank 0, or
 * none. */
varve_status vv_open_all(const struct vv_open_all *how, varve_status status,
    struct vv_opened *file, varve_error *error);

#endif
