/* saved_graph.h - The graph in a file, below the root of a read: the values,
 * paths and global names of its nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVED_GRAPH_H
#define VV_SAVED_GRAPH_H

#include "index_in.h"
#include "saved_path.h"

/* The nodes in a group of 64 that have values. Numbers of values are in the
 * order of the nodes. */
struct vv_values_in {
    uint64_t has;   /* one bit for each node */
    uint32_t first; /* the value of the first of these nodes */
};

struct vv_saved_graph {
    /* to read */
    const struct vv_parsed_index *parsed;
    uint32_t root;
    bool has_shared;             /* several edges lead to one node */
    struct vv_saved_paths paths; /* filled by vv_need_paths */

    /* own */
    const varve_allocator *allocator;
    bool has_paths;
    struct vv_values_in *values_in; /* by node / 64 */
    uint32_t *global_of; /* by name: the node with this global name, plus 1;
                            NULL: there are none */
};

/* `parsed` may still be empty, and must not move. */
void vv_saved_graph_init(struct vv_saved_graph *saved,
    const varve_allocator *allocator, const struct vv_parsed_index *parsed);

/* Builds the tables for the index, which must be complete now. `subtree` is the
 * path of the root; NULL: the root of the file. `where` is the prefix of error
 * messages. Returns VARVE_NOT_FOUND if there is no such node. */
varve_status vv_saved_graph_begin(struct vv_saved_graph *saved,
    const char *subtree, const char *where, varve_error *error);

/* Also called after a failed vv_saved_graph_begin. */
void vv_saved_graph_end(struct vv_saved_graph *saved);

/* Computes `paths` at the first call. */
varve_status vv_need_paths(struct vv_saved_graph *saved, varve_error *error);

/* Returns the number of bits that are set. */
uint32_t vv_count_bits(uint64_t bits);

/* Returns the value of a node, or VV_NONE. */
static inline uint32_t vv_saved_value(
    const struct vv_saved_graph *saved, uint32_t node)
{
    const struct vv_values_in *group = &saved->values_in[node / 64];
    const uint64_t bit = UINT64_C(1) << node % 64, before = bit - 1;
    if (!(group->has & bit))
        return VV_NONE;
    const bool all = (group->has & before) == before; /* the usual case */
    return group->first +
           (all ? node % 64 : vv_count_bits(group->has & before));
}

/* Returns true if any node has a global name. */
static inline bool vv_saved_has_globals(const struct vv_saved_graph *saved)
{
    return saved->global_of;
}

/* Returns the node with this global name if it is below the root, otherwise
 * VV_NONE. */
uint32_t vv_saved_global(
    const struct vv_saved_graph *saved, const char *name, size_t size);

/* Returns the node at a name that is a path of edges from the root, or VV_NONE.
 * The name of the last edge may contain slashes; if several nodes match, the
 * deepest is returned. */
uint32_t vv_saved_at_parts(
    const struct vv_saved_graph *saved, const char *name, size_t size);

#endif
