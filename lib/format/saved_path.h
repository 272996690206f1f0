/* saved_path.h - paths of the nodes of a file, for people and patterns.
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
    uint32_t *parents; /* by node: the node before it, or VV_NONE */
    uint32_t *ways;    /* by node: the edge; for a slot variable, the slot with
                          VV_WAY_IS_SLOT */
    /* own */
    uint16_t *sizes; /* by node: size of its path (path_end.h), or 0 if it was
                        not computed yet */
};

/* Finds a shortest path from `root` to every node that can be reached from it:
 * breadth first; slots last. */
varve_status vv_saved_paths_begin(struct vv_saved_paths *paths,
    const varve_allocator *allocator, const struct vv_index *index,
    uint32_t root, varve_error *error);
void vv_saved_paths_end(struct vv_saved_paths *paths);

static inline bool vv_saved_path_exists(
    const struct vv_saved_paths *paths, uint32_t node)
{
    return node == paths->root || paths->parents[node] != VV_NONE;
}

/* Sets `path` to the path of a node that can be reached, shortened. */
void vv_saved_path(
    const struct vv_saved_paths *paths, uint32_t node, struct vv_buffer *path);

/* The same for patterns. */
void vv_saved_searched_path(
    const struct vv_saved_paths *paths, uint32_t node, struct vv_buffer *path);

/* Sets `name` to the names of that path as they are, all of them, joined by
 * '/'; for a slot variable `<owner>/<slot>(<variable>)`. */
void vv_saved_name(
    const struct vv_saved_paths *paths, uint32_t node, struct vv_buffer *name);

/* Goes on from the path of a node to one to which its edge leads. */
void vv_saved_child_path(
    const struct vv_saved_paths *paths, uint32_t child, struct vv_buffer *path);

/* The node at a path from `from`, or VV_NONE. A slot is written as in patterns,
 * the path of its variable from `from` too. */
uint32_t vv_saved_find(const struct vv_index *index, uint32_t from,
    const char *path, struct vv_buffer *scratch);

#endif
