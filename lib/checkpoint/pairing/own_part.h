/* own_part.h - Selects the part of this process below a rank-local node of a
 * file. A program has one child there, a file one child for each process that
 * saved it. Their number may differ from the current number of processes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OWN_PART_H
#define VV_OWN_PART_H

#include "graph.h"
#include "index.h"
#include "matches.h"
#include "private.h"
#include "visited_paths.h"

/* Returns the number of processes that have saved a rank-local node of the
 * file. */
uint32_t vv_own_count(const struct vv_index *index, uint32_t file);

/* Implements vv_own_fits for a rank-local node. */
bool vv_own_size_fits(const struct vv_index *index,
    const struct vv_private *private, uint32_t file);

/* Returns true if children of a node of the program can be bound by name to
 * those of a node of the file. Returns false for a rank-local node that another
 * number of processes has saved, or that is always merged. */
static inline bool vv_own_fits(
    const struct vv_index *index, const varve_node *node, uint32_t file)
{
    const struct vv_private *private = vv_private_of(node);
    return !private || vv_own_size_fits(index, private, file);
}

/* Implements vv_own_is_cut for a rank-local node. */
bool vv_own_is_renamed(const struct vv_matches *matches,
    const struct vv_visited_paths *ways, const struct vv_index *index,
    const varve_node *node);

/* Returns true if a rename leads from below a rank-local node to a node of the
 * file that does not fit it. */
static inline bool vv_own_is_cut(const struct vv_matches *matches,
    const struct vv_visited_paths *ways, const struct vv_index *index,
    const varve_node *node)
{
    return vv_private_of(node) && vv_own_is_renamed(matches, ways, index, node);
}

/* A rank-local node of the file of which at most one child is kept. */
struct vv_own_cut {
    /* to fill in */
    uint32_t file;
    uint32_t kept; /* the child that is kept; VV_NONE: none */
    uint8_t why;   /* the reason, not 0 */
};

/* Sets why[i] for each node of the file: the reason why it is excluded, or 0 if
 * it can be reached without the excluded children. `count` must not be 0. Sorts
 * `cuts`. Returns false if out of memory. */
bool vv_own_reach(const struct vv_index *index, const varve_allocator *a,
    struct vv_own_cut *cuts, size_t count, uint8_t *why);

#endif
