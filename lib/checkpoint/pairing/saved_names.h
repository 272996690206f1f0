/* saved_names.h - Looks up names of the program in the file, as name numbers
 * and as edges.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVED_NAMES_H
#define VV_SAVED_NAMES_H

#include "graph.h"
#include "index.h"
#include "name.h"

struct vv_saved_names {
    /* own */
    const varve_allocator *allocator;
    const varve_graph *graph;
    const struct vv_index *index;
    uint32_t *ids; /* by number of a name in the program: 0 if not looked up
                      yet, VV_NONE if not in the file, else its number in the
                      file plus 1 */
    size_t capacity;
    uint32_t next_edge; /* edge of the file after the last one found */
};

/* `index` may still be empty, and must not move. No function may be called
 * after the graph of the names is freed. */
void vv_saved_names_init(struct vv_saved_names *names,
    const varve_allocator *allocator, const varve_graph *graph,
    const struct vv_index *index);

/* Clears the table. Called when numbers of names of the program have changed.
 */
void vv_saved_names_clear(struct vv_saved_names *names);

/* Returns the number of a name in the file, or VV_NONE. */
uint32_t vv_find_in_file(
    const struct vv_saved_names *names, const struct vv_name *name);

/* Does the same, and stores the result for the next call. */
uint32_t vv_name_in_file(
    struct vv_saved_names *names, const struct vv_name *name);

/* Returns the node that an edge with that name leads to from a node of the
 * file, or VV_NONE. */
uint32_t vv_child_in_file(
    struct vv_saved_names *names, uint32_t file, const struct vv_name *name);

#endif
