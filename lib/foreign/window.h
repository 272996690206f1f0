/* window.h - Reads small parts of the first file of a checkpoint through a
 * buffer. Parts that are skipped are not read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WINDOW_H
#define VV_WINDOW_H

#include <varve/error.h>

#include "foreign.h"

/* The minimum number of bytes returned, unless the file ends before. */
enum { VV_WINDOW_SIGHT = 16 };

struct vv_window {
    /* to fill in */
    const struct vv_foreign *foreign;
    varve_error *error;
    /* own */
    uint64_t begin;
    size_t size;
    unsigned char bytes[4096];
};

/* Sets *bytes to the bytes at an offset within the file. They are valid until
 * the next call. */
varve_status vv_window_look(struct vv_window *window, uint64_t at,
    const unsigned char **bytes, size_t *size);

#endif
