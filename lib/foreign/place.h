/* place.h - Describes where the bytes of a value are in files of another
 * format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PLACE_H
#define VV_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* Used as the file number of a decoded value: its bytes are not stored as in a
 * Varve file (little-endian, row-major, strings as in docs/format.md). The
 * format decodes the whole value when it is read. */
#define VV_DECODED UINT32_MAX

enum vv_sum_kind {
    VV_SUM_NONE,
    VV_SUM_CRC32C, /* masked, as TensorFlow stores it */
    VV_SUM_CRC32,  /* as in zip and gzip (RFC 1952) */
};

struct vv_place {
    /* to fill in */
    uint32_t file;             /* number of the file, or VV_DECODED */
    enum vv_sum_kind sum_kind; /* of all bytes; VV_SUM_NONE for decoded values,
                                  which are verified while decoding */
    uint32_t sum;
    uint64_t offset; /* in the file; for a decoded value a number that the
                        format defines */
    bool has_parts;  /* for decoded values: any part can be decoded without the
                        rest */
};

#endif
