/* index_find.h - Finds the index of a file whose footer is damaged.
 *
 * The footer contains its offset. The header contains its digest, so an index
 * that is found is as reliable as with the footer.
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
    uint64_t size; /* 0: not found */
    struct vv_digest digest;
};

/* Searches an open file of `size` bytes backwards for the index with the digest
 * place->digest. Skips unreadable ranges. Even for hostile bytes it reads at
 * most 4 times the size of the file to compute digests of candidates, and at
 * most as many item heads as the file has bytes. Returns VARVE_OK if there is
 * no such index, or VARVE_NO_MEMORY. */
varve_status vv_index_find(const struct vv_context *context, int file,
    uint64_t size, struct vv_index_place *place, varve_error *error);

#endif
