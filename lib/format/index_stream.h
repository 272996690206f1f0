/* index_stream.h - Reads an index for a broadcast. Its large columns remain in
 * the file and are never in memory as a whole.
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
    struct vv_index_place place; /* position of the index in it */
    /* columns of a kind (digests, boxes or places) that need more bytes remain
     * in the file */
    uint64_t most;
};

/* Returns true if some columns remain in the file and the index has the
 * expected digest. Then `broadcast` contains the other columns and the
 * checksums of these, but not yet the runs of pieces; end it with
 * vv_index_broadcast_clear. vv_index_broadcast_use checks the rules. Needs
 * memory for the rest, 8 bytes per 4 KiB of the columns in the file, and 1 MiB.
 *
 * Returns false in all other cases, including errors: the caller then reads the
 * whole index and gets the error from that. */
bool vv_index_broadcast_read(struct vv_index_broadcast *broadcast,
    const struct vv_index_stream *reading);

#endif
