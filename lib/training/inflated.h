/* inflated.h - Reads a compressed file with random access to its decompressed
 * content.
 *
 * Deflate streams can only be decompressed from their beginning. So up to
 * VV_INFLATED_STATES decompression states are kept at equal distances, and a
 * position is reached from the last state before it. Sequential reads have no
 * additional cost.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INFLATED_H
#define VV_INFLATED_H

#include <varve/error.h>

#include "context.h"
#include "inflater.h"

enum {
    VV_INFLATED_STATES = 64,   /* about 40 KiB each */
    VV_INFLATED_STEP = 1 << 20 /* smallest distance between two, in bytes */
};

struct vv_inflated;

/* Creates a reader for an open file of `packed_size` bytes. File and path are
 * borrowed. Returns NULL if there is no memory. */
struct vv_inflated *vv_inflated_new(const struct vv_context *context, int file,
    const char *path, uint64_t packed_size, enum vv_deflation deflation);
void vv_inflated_free(struct vv_inflated *inflated);

/* Reads from an offset in the decompressed content. *got is less than `size`
 * only at its end. Returns VARVE_CORRUPT if the stream is invalid or its
 * checksum is wrong, and VARVE_TRUNCATED if the file ends before the stream. */
varve_status vv_inflated_read(struct vv_inflated *inflated, uint64_t at,
    void *bytes, size_t size, size_t *got, varve_error *error);

/* Returns the current offset in the file, for progress. */
uint64_t vv_inflated_packed(const struct vv_inflated *inflated);

/* Returns the number of states that are kept. */
size_t vv_inflated_kept(const struct vv_inflated *inflated);

#endif
