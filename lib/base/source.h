/* source.h - The bytes of a value, in memory or produced piece by piece.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SOURCE_H
#define VV_SOURCE_H

#include <varve/error.h>

#include "bool_bytes.h"
#include "buffer.h"
#include "try.h"

struct vv_source {
    /* to fill in */
    /* All bytes. NULL: `piece` produces a range, which is valid until its next
     * call. */
    const unsigned char *bytes;
    varve_status (*piece)(const struct vv_source *self, uint64_t at,
        size_t size, const unsigned char **bytes, varve_error *error);
    const void *from;          /* argument of `piece` */
    struct vv_buffer *scratch; /* buffer of `piece` */
    /* Fails for an invalid bool at offset `at`. NULL: the value has no bools,
     * or they were checked. */
    varve_status (*refuse)(const struct vv_source *self, uint64_t at,
        unsigned byte, varve_error *error);
    const void *owner; /* for `refuse`: the object that contains the value */
    uint32_t value;    /* its number there */
};

enum { VV_SOURCE_PIECE = 1 << 20 };

/* Returns the number of bytes to request at once if `left` remain. */
static inline size_t vv_source_part(
    const struct vv_source *source, uint64_t left)
{
    return source->bytes || left < VV_SOURCE_PIECE ? (size_t)left
                                                   : VV_SOURCE_PIECE;
}

/* Returns a range of the bytes, which must be whole elements. Checks bools
 * while they are in the caches. */
static inline varve_status vv_source_piece(const struct vv_source *source,
    uint64_t at, size_t size, const unsigned char **bytes, varve_error *error)
{
    if (source->bytes)
        *bytes = source->bytes + at;
    else
        VV_TRY(source->piece(source, at, size, bytes, error));
    size_t end = source->refuse ? vv_bool_bytes_find(*bytes, size) : size;
    return end == size ? VARVE_OK
                       : source->refuse(source, at + end, (*bytes)[end], error);
}

#endif
