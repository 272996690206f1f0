/* window.h - a few bytes anywhere in the first file of a checkpoint, read
 * through a window: what is passed over is not read, however large it is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WINDOW_H
#define VV_WINDOW_H

#include <varve/error.h>

#include "foreign.h"

/* So many bytes there are to see at least, unless the file ends before. */
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

/* The bytes at an offset that is not past the end, until the next call. */
varve_status vv_window_look(struct vv_window *window, uint64_t at,
    const unsigned char **bytes, size_t *size);

#endif
