/* tar_in.h - Finds members of a tar archive: ustar, pax and GNU.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TAR_IN_H
#define VV_TAR_IN_H

#include <varve/error.h>

#include "foreign.h"

struct vv_tar_member {
    /* to fill in */
    const char *name; /* at most 100 bytes */
    /* to read */
    bool is_found;
    uint64_t data; /* offset of its bytes in the file */
    uint64_t size;
};

/* Finds regular members by name. If several members have a name, the last one
 * counts, as in Python's tarfile.
 *
 * Returns VARVE_CORRUPT for a damaged header, VARVE_TRUNCATED for a member that
 * ends past the end of the file, VARVE_TOO_NEW for a sparse member, and
 * VARVE_LIMIT for a pax header of more than 1 MiB. */
varve_status vv_tar_find(const struct vv_foreign *foreign, uint32_t file,
    struct vv_tar_member *members, size_t count, varve_error *error);

#endif
