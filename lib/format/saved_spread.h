/* saved_spread.h - Matches patterns with all paths of a file. spread.h
 * describes the result.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVED_SPREAD_H
#define VV_SAVED_SPREAD_H

#include "saved_path.h"
#include "spread.h"

/* Follows patterns along all paths of `paths`. On failure (VARVE_NO_MEMORY,
 * VARVE_LIMIT) nothing is allocated. */
varve_status vv_saved_spread_begin(struct vv_spread *spread,
    const struct vv_saved_paths *paths, const char *patterns,
    varve_error *error);

/* Adds a path that a node would have after a rename. Such paths are separate
 * from the existing ones. After vv_saved_spread_follow the nodes below it, and
 * slots of such nodes, have such paths too. That call also reports failures. */
void vv_saved_spread_add(struct vv_spread *spread,
    const struct vv_saved_paths *paths, uint32_t node, const char *path);
varve_status vv_saved_spread_follow(struct vv_spread *spread,
    const struct vv_saved_paths *paths, varve_error *error);

/* Returns the number under which a node has its paths after renames. */
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
