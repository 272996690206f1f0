/* saved_spread.h - patterns over every path of a file; spread.h says what is
 * kept.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVED_SPREAD_H
#define VV_SAVED_SPREAD_H

#include "saved_path.h"
#include "spread.h"

/* Follows patterns along everything that `paths` knows a path to.
 * VARVE_NO_MEMORY or VARVE_LIMIT; nothing is held then. */
varve_status vv_saved_spread_begin(struct vv_spread *spread,
    const struct vv_saved_paths *paths, const char *patterns,
    varve_error *error);

/* Sets `path` to the path that led to a pair, shortened to `longest` bytes. */
void vv_saved_spread_path(const struct vv_spread *spread,
    const struct vv_index *index, uint32_t pair, size_t longest,
    struct vv_buffer *path);

#endif
