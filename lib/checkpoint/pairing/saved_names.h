/* saved_names.h - names of the program, looked up in the file: as numbers, and
 * as edges.
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
    uint32_t *ids; /* by number of a name: 0 not looked up, VV_NONE not in the
                      file, else its number plus 1 */
    size_t capacity;
    uint32_t next_edge; /* of the file: that behind the last one found */
};

/* `index` may still be empty, and stays where it is. Nothing is asked once the
 * graph of the names is freed. */
void vv_saved_names_init(struct vv_saved_names *names,
    const varve_allocator *allocator, const varve_graph *graph,
    const struct vv_index *index);

/* Forgets the numbers: names of the program may have others now. */
void vv_saved_names_clear(struct vv_saved_names *names);

/* The file's number of a name, or VV_NONE. */
uint32_t vv_find_in_file(
    const struct vv_saved_names *names, const struct vv_name *name);

/* The same, kept for the next time. */
uint32_t vv_name_in_file(
    struct vv_saved_names *names, const struct vv_name *name);

/* Where an edge of that name leads from a node of the file, or VV_NONE. */
uint32_t vv_child_in_file(
    struct vv_saved_names *names, uint32_t file, const struct vv_name *name);

#endif
