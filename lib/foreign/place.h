/* place.h - where the bytes of a value lie in files of another format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PLACE_H
#define VV_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* The number of no file: the bytes do not lie anywhere as they are in a file of
 * ours (little-endian, row-major, strings as docs/format.md has them). The
 * format makes them, all at once, when they are asked for. */
#define VV_DECODED UINT32_MAX

enum vv_sum_kind {
    VV_SUM_NONE,
    VV_SUM_CRC32C, /* masked, as TensorFlow stores it */
    VV_SUM_CRC32,  /* of zip and gzip (RFC 1952) */
};

struct vv_place {
    /* to fill in */
    uint32_t file;             /* which of the files, or VV_DECODED */
    enum vv_sum_kind sum_kind; /* of all bytes; not of what is decoded, which is
                                  checked as it is made */
    uint32_t sum;
    uint64_t offset; /* in the file; if decoded, the format's number for it */
    bool has_parts;  /* decoded: any part of it is made without the rest */
};

#endif
