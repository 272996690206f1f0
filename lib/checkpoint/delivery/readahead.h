/* readahead.h - bytes of a file that are read ahead, where small values come
 * one by one in its order.
 *
 * Nothing that is there has been verified: who takes bytes looks at their
 * digest. How much is read grows with each time that it was of use, and is
 * little again once it was not.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READAHEAD_H
#define VV_READAHEAD_H

#include "buffer.h"
#include "opened.h"

enum {
    VV_LEAST_AHEAD = 4096, /* bytes, and the most of a value */
    VV_MOST_AHEAD = 64 * 1024
};

struct vv_readahead {
    /* own */
    struct vv_buffer bytes;
    uint64_t begin; /* of them, in the data */
    bool is_narrow; /* the last reading failed: nothing is read ahead */
};

void vv_readahead_init(
    struct vv_readahead *readahead, const varve_allocator *allocator);
void vv_readahead_end(struct vv_readahead *readahead);

/* Sets `*found` to a range of the data, of a file with a digest for each chunk,
 * until the next one is asked for. Where what is behind it is damaged,
 * it is read alone; where the system fails to read, the next try is. */
varve_status vv_readahead_take(struct vv_readahead *readahead,
    const struct vv_opened *file, uint64_t offset, size_t size,
    const unsigned char **found, varve_error *error);

/* Lets go of what was read: it is bad, and is to be read anew. */
void vv_readahead_forget(struct vv_readahead *readahead);

#endif
