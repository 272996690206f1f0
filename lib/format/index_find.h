/* index_find.h - the index of a file whose footer is lost.
 *
 * Where it lies nobody says then, but the header has its digest, and so what is
 * found is as good as if the footer had led there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_FIND_H
#define VV_INDEX_FIND_H

#include <varve/error.h>

#include "checksum.h"
#include "context.h"

struct vv_index_place {
    /* to fill in */
    uint64_t offset;
    uint64_t size; /* 0: nowhere */
    struct vv_digest digest;
};

/* Looks for the index of place->digest in an open file of `size` bytes, from
 * its end. What cannot be read is passed over. However the bytes are chosen, it
 * reads 4 times the file at most to sum what may be an index, and as many heads
 * of items as it has bytes. VARVE_OK where there is none, too;
 * VARVE_NO_MEMORY. */
varve_status vv_index_find(const struct vv_context *context, int file,
    uint64_t size, struct vv_index_place *place, varve_error *error);

#endif
