/* checksum_small.h - Computes XXH3-128 checksums of a few bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CHECKSUM_SMALL_H
#define VV_CHECKSUM_SMALL_H

#include <stddef.h>
#include <stdint.h>

enum { VV_DIGEST_SMALL = 16 };

/* An XXH3-128 checksum in canonical form: big-endian bytes, as printed. */
struct vv_digest {
    /* to fill in */
    uint8_t bytes[16];
};

/* Returns the same as vv_digest_of. `size` must be at most VV_DIGEST_SMALL. */
struct vv_digest vv_digest_small(const void *bytes, size_t size);

#endif
