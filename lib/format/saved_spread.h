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

/* Adds a path that a node would have, after a rename: it is not mixed with
 * those that it has. What is below the node has such paths as well, after
 * vv_saved_spread_follow, as have slots of one that has them. A failure shows
 * there. */
void vv_saved_spread_add(struct vv_spread *spread,
    const struct vv_saved_paths *paths, uint32_t node, const char *path);
varve_status vv_saved_spread_follow(struct vv_spread *spread,
    const struct vv_saved_paths *paths, varve_error *error);

/* The number of a node by the paths that it would have. */
static inline uint32_t vv_saved_spread_other(
    const struct vv_index *index, uint32_t node)
{
    return index->node_count + node;
}

/* Sets `path` to the path that led to a pair, shortened to `longest` bytes. */
void vv_saved_spread_path(const struct vv_spread *spread,
    const struct vv_index *index, uint32_t pair, size_t longest,
    struct vv_buffer *path);

#endif
