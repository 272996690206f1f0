/* saved_path.h - Paths of the nodes of a file, for messages and patterns.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVED_PATH_H
#define VV_SAVED_PATH_H

#include <varve/error.h>

#include "buffer.h"
#include "index.h"
#include "name.h"

#define VV_WAY_IS_SLOT UINT32_C(0x80000000)

struct vv_saved_paths {
    /* to read */
    const varve_allocator *allocator;
    const struct vv_index *index;
    uint32_t root;
    uint32_t *parents; /* by node: the preceding node, or VV_NONE */
    /* by node: the edge; for a slot variable, the slot with VV_WAY_IS_SLOT */
    uint32_t *ways;
    /* own */
    uint16_t *sizes; /* by node: size of its path (path_end.h), or 0: not
                        computed yet */
};

/* Finds a shortest path from `root` to every reachable node: breadth first,
 * slots last. */
varve_status vv_saved_paths_begin(struct vv_saved_paths *paths,
    const varve_allocator *allocator, const struct vv_index *index,
    uint32_t root, varve_error *error);
void vv_saved_paths_end(struct vv_saved_paths *paths);

static inline bool vv_saved_path_exists(
    const struct vv_saved_paths *paths, uint32_t node)
{
    return node == paths->root || paths->parents[node] != VV_NONE;
}

/* Sets `path` to the path of a reachable node, shortened. */
void vv_saved_path(
    const struct vv_saved_paths *paths, uint32_t node, struct vv_buffer *path);

/* Like vv_saved_path, in the form that patterns are compared with. */
void vv_saved_searched_path(
    const struct vv_saved_paths *paths, uint32_t node, struct vv_buffer *path);

/* Sets `name` to all names of that path, unescaped and not shortened, joined by
 * '/'; for a slot variable `<owner>/<slot>(<variable>)`. */
void vv_saved_name(
    const struct vv_saved_paths *paths, uint32_t node, struct vv_buffer *name);

/* Extends the path of a node to the path of a child. */
void vv_saved_child_path(
    const struct vv_saved_paths *paths, uint32_t child, struct vv_buffer *path);

/* The path of the parent of the last node that was passed to
 * vv_saved_path_next. Begin with the root of the paths and an empty buffer. */
struct vv_path_cursor {
    /* to fill in */
    uint32_t node;
    struct vv_buffer path;
};

/* Sets `path` like vv_saved_path. If the parent of `node` is close to that of
 * the last node, the time does not depend on the length of the path. */
void vv_saved_path_next(const struct vv_saved_paths *paths,
    struct vv_path_cursor *cursor, uint32_t node, struct vv_buffer *path);

/* Returns the node at a path relative to `from`, or VV_NONE. A slot is written
 * as in patterns; the path of its variable is relative to `from` too. */
uint32_t vv_saved_find(const struct vv_index *index, uint32_t from,
    const char *path, struct vv_buffer *scratch);

#endif
