/* zip_end.h - Finds the end record of a zip archive, which locates its
 * directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ZIP_END_H
#define VV_ZIP_END_H

#include "zip_in.h"

struct vv_zip_end {
    uint64_t count;  /* number of entries */
    uint64_t offset; /* offset of the directory in the file */
    uint64_t size;   /* size of the directory */
};

/* Finds the end record and the zip64 record, if there is one, and checks that
 * they agree and that the directory ends where they begin. */
varve_status vv_zip_find_end(
    const struct vv_zip *zip, struct vv_zip_end *end, varve_error *error);

/* Reads a little-endian number. */
static inline uint16_t vv_zip_load16(const unsigned char *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

#endif
