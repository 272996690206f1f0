/* inflated.h - a file that is compressed as a whole, read as what was in it, at
 * any place.
 *
 * What is deflated is found from its beginning only. So states of inflating are
 * kept on the way, up to VV_INFLATED_STATES of them at equal distances, and a
 * place is reached from the last one before it; reading on from where a read
 * ended costs nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INFLATED_H
#define VV_INFLATED_H

#include <varve/error.h>

#include "context.h"
#include "inflater.h"

enum {
    VV_INFLATED_STATES = 64,   /* some 40 KiB each */
    VV_INFLATED_STEP = 1 << 20 /* the least distance between two */
};

struct vv_inflated;

/* An open file of so many bytes; file and path are borrowed. NULL without
 * memory. */
struct vv_inflated *vv_inflated_new(const struct vv_context *context, int file,
    const char *path, uint64_t packed_size, enum vv_deflation deflation);
void vv_inflated_free(struct vv_inflated *inflated);

/* Reads from a place in what was compressed: *got bytes, fewer than `size` only
 * where that ends. VARVE_CORRUPT where it is not what a compressor writes, or
 * its sum does not hold; VARVE_TRUNCATED where the file ends before it does. */
varve_status vv_inflated_read(struct vv_inflated *inflated, uint64_t at,
    void *bytes, size_t size, size_t *got, varve_error *error);

/* How far in the file it is, for progress. */
uint64_t vv_inflated_packed(const struct vv_inflated *inflated);

/* How many states are kept. */
size_t vv_inflated_kept(const struct vv_inflated *inflated);

#endif
