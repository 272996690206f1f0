/* child_names.h - Finds the children of a node of a file by how their names
 * begin or end, in logarithmic time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CHILD_NAMES_H
#define VV_CHILD_NAMES_H

#include "buffer.h"
#include "saved_path.h"

/* An edge of the file and its name. */
struct vv_child_name {
    /* own */
    const char *name;
    uint32_t size;
    uint32_t edge;
};

/* Allocates the edges of all nodes, those of each node sorted by the end of
 * their names. Returns NULL if out of memory. Release edge_count elements. */
struct vv_child_name *vv_child_names_new(
    const varve_allocator *a, const struct vv_index *index);

/* Finds the node at a path without wildcards in a file without slots. The path
 * is the first `size` bytes of a string. The nodes on it must have it as their
 * first path. Returns VV_NONE if it is not found or has special characters. */
uint32_t vv_child_names_walk(
    const struct vv_saved_paths *paths, const char *path, size_t size);

/* Sets `found` to the sorted numbers (uint32_t) of the nodes that a pattern
 * selects. Returns false if this function does not support the pattern or what
 * it selects, and if out of memory. It supports stars in the last name of one
 * pattern, which must begin or end with another character. The file must have
 * no slots, and the nodes no children and no other first path. */
bool vv_child_names_find(const struct vv_child_name *ends,
    const struct vv_saved_paths *paths, const char *pattern,
    struct vv_buffer *found);

#endif
