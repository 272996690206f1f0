/* zip_end.h - the end of a zip archive: where its directory is, and how much is
 * in it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ZIP_END_H
#define VV_ZIP_END_H

#include "zip_in.h"

struct vv_zip_end {
    uint64_t count;  /* of entries */
    uint64_t offset; /* of the directory, in the file */
    uint64_t size;   /* of it */
};

/* Finds the end record and, where there is one, that of zip64, and checks that
 * they agree with each other and that the directory ends where they begin. */
varve_status vv_zip_find_end(
    const struct vv_zip *zip, struct vv_zip_end *end, varve_error *error);

/* Little-endian. */
static inline uint16_t vv_zip_load16(const unsigned char *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

#endif
