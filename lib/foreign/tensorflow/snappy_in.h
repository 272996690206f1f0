/* snappy_in.h - Decompresses untrusted raw Snappy data, as in the blocks of a
 * table (github.com/google/snappy/blob/main/format_description.txt).
 *
 * It does not allocate memory or recurse.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SNAPPY_IN_H
#define VV_SNAPPY_IN_H

#include <stdbool.h>
#include <stddef.h>

/* Sets *size to the uncompressed size, which is at the start of the data.
 * Returns false if it is malformed or larger than `packed_size` bytes can
 * decompress to. */
bool vv_snappy_size(
    const unsigned char *packed, size_t packed_size, size_t *size);

/* Decompresses the data to `plain`, which has room for the `size` bytes that
 * vv_snappy_size returned. Returns false if the data is malformed; then the
 * content of `plain` is undefined. */
bool vv_snappy_unpack(const unsigned char *packed, size_t packed_size,
    unsigned char *plain, size_t size);

#endif
