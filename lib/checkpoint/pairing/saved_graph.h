/* saved_graph.h - the graph that a file has, from the root of a read on: the
 * values, the paths and the global names of its nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVED_GRAPH_H
#define VV_SAVED_GRAPH_H

#include "index_in.h"
#include "saved_path.h"

/* Which of 64 nodes of the file have values, whose numbers run in the same
 * order. */
struct vv_values_in {
    uint64_t has;   /* bits */
    uint32_t first; /* the value of the first one */
};

struct vv_saved_graph {
    /* to read */
    const struct vv_parsed_index *parsed;
    uint32_t root;
    bool has_shared;             /* several edges lead to a node */
    struct vv_saved_paths paths; /* after vv_need_paths */

    /* own */
    const varve_allocator *allocator;
    bool has_paths;
    struct vv_values_in *values_in; /* by node / 64 */
    uint32_t *global_of; /* by name: the node that has it as its global name,
                            plus 1; NULL: none has one */
};

/* `parsed` may still be empty, and stays where it is. */
void vv_saved_graph_init(struct vv_saved_graph *saved,
    const varve_allocator *allocator, const struct vv_parsed_index *parsed);

/* Tables for the index, which is there now. `subtree`: the path of the root;
 * NULL: the file's own. `where` is for messages. VARVE_NOT_FOUND where there is
 * no such node. */
varve_status vv_saved_graph_begin(struct vv_saved_graph *saved,
    const char *subtree, const char *where, varve_error *error);

/* Also after a beginning that failed. */
void vv_saved_graph_end(struct vv_saved_graph *saved);

/* Fills `paths` if it is not yet. */
varve_status vv_need_paths(struct vv_saved_graph *saved, varve_error *error);

/* The value of a node, or VV_NONE. */
uint32_t vv_saved_value(const struct vv_saved_graph *saved, uint32_t node);

/* Whether any node has a global name. */
static inline bool vv_saved_has_globals(const struct vv_saved_graph *saved)
{
    return saved->global_of;
}

/* The node of that global name, if it is below the root; VV_NONE. */
uint32_t vv_saved_global(
    const struct vv_saved_graph *saved, const char *name, size_t size);

/* The node at a name whose parts are edges from the root; the last edge may
 * have several of them, and the deepest such node is meant. VV_NONE. */
uint32_t vv_saved_at_parts(
    const struct vv_saved_graph *saved, const char *name, size_t size);

#endif
