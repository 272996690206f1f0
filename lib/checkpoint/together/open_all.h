/* open_all.h - the same file opened by all who restore together: rank 0 reads
 * the index, the others are told it.
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
    uint64_t most_told; /* bytes of digests, of boxes and of places that each
                           holds, where there are as many */
};

/* Opens it at every rank, which comes with the `status` of what it did before;
 * where one fails, all do, and nothing is open. Of a file of ours only rank 0
 * reads the index; the others read its header, and the data is theirs to read.
 * What grows with the number of those that saved stays in the file: all, rank 0
 * too, read of it what they need, and compare it with sums.
 * What has another format, and what a context opens that salvages, each rank
 * opens for itself. VARVE_MISMATCH where a rank finds another file than rank 0,
 * or none. */
varve_status vv_open_all(const struct vv_open_all *how, varve_status status,
    struct vv_opened *file, varve_error *error);

#endif
