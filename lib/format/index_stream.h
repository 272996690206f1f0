/* index_stream.h - an index that is read so as to be told: its large columns
 * stay in the file, and are never in memory whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_BROADCAST_READ_H
#define VV_INDEX_BROADCAST_READ_H

#include "index_broadcast.h"

struct vv_index_stream {
    /* to fill in */
    const struct vv_context *context;
    const char *path;
    int file;                    /* open */
    struct vv_index_place place; /* of the index in it */
    uint64_t most;               /* columns of a kind, digests, boxes or places,
                                    that take more bytes stay there */
};

/* Whether some do, and the index has the digest of its place: then `told` has
 * the rest, and sums of them, but not yet the runs of pieces, and is ended with
 * vv_index_broadcast_clear. Their rules are checked as it is parsed
 * (vv_index_broadcast_use). Takes memory for the rest, for 8 bytes of 4 KiB
 * that stay, and 1 MiB.
 *
 * False for whatever else there is, and whatever goes wrong: who reads the
 * index whole is told why. */
bool vv_index_broadcast_read(
    struct vv_index_broadcast *told, const struct vv_index_stream *reading);

#endif
