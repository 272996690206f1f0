/* source.h - the bytes of a value, which lie together or are made piece by
 * piece.
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
    const unsigned char *bytes; /* all of them; NULL: `piece` makes some, that
                                   last until it makes others */
    varve_status (*piece)(const struct vv_source *self, uint64_t at,
        size_t size, const unsigned char **bytes, varve_error *error);
    const void *from;          /* whatever `piece` makes them of, */
    struct vv_buffer *scratch; /* and where */
    /* Fails for a bool that is neither 0 nor 1, `at` bytes behind the
       beginning. NULL: the value has no bools, or they have been checked. */
    varve_status (*refuse)(const struct vv_source *self, uint64_t at,
        unsigned byte, varve_error *error);
    const void *owner; /* for `refuse`: what the value is of, */
    uint32_t value;    /* and its number there */
};

enum { VV_SOURCE_PIECE = 1 << 20 };

/* How many of those that are left are had at once. */
static inline size_t vv_source_part(
    const struct vv_source *source, uint64_t left)
{
    return source->bytes || left < VV_SOURCE_PIECE ? (size_t)left
                                                   : VV_SOURCE_PIECE;
}

/* Some of the bytes, whole elements. Bools are checked here, while the caches
 * have them. */
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
