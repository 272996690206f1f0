/* readahead.h - Reads ahead in a file when small values are read one by one, in
 * the order of the file.
 *
 * The bytes are not verified: the caller must check their digest. The size of
 * the reads doubles while reading ahead is useful, and becomes small again when
 * it is not.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READAHEAD_H
#define VV_READAHEAD_H

#include "buffer.h"
#include "opened.h"

enum {
    VV_LEAST_AHEAD = 4096, /* the minimum in bytes, and the maximum size of a
                              value */
    VV_MOST_AHEAD = 64 * 1024
};

struct vv_readahead {
    /* own */
    struct vv_buffer bytes;
    uint64_t begin; /* their offset in the data */
    bool is_narrow; /* the last read failed: do not read ahead */
};

void vv_readahead_init(
    struct vv_readahead *readahead, const varve_allocator *allocator);
void vv_readahead_end(struct vv_readahead *readahead);

/* Sets *found to a range of the data of a file with a digest for each chunk.
 * Valid until the next call. If data near the range is damaged, only the range
 * is read. If a system call fails, the next call reads only its range. */
varve_status vv_readahead_take(struct vv_readahead *readahead,
    const struct vv_opened *file, uint64_t offset, size_t size,
    const unsigned char **found, varve_error *error);

/* Drops the bytes that were read. Called if they are damaged, so that they are
 * read again. */
void vv_readahead_forget(struct vv_readahead *readahead);

#endif
