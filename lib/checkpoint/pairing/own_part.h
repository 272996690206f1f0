/* own_part.h - of a private node a process has one child, and a file has those
 * of all processes that saved it: as many as there are now, or others.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OWN_PART_H
#define VV_OWN_PART_H

#include "graph.h"
#include "index.h"
#include "matches.h"
#include "visited_paths.h"

/* How many processes have saved what is at a node of the file, if it is
 * private. */
uint32_t vv_own_count(const struct vv_index *index, uint32_t file);

/* Whether children of a node of the program stand for those of a node of the
 * file by their names: not those of a private node that another number of
 * processes has saved. */
bool vv_own_fits(
    const struct vv_index *index, const varve_node *node, uint32_t file);

/* Whether a rename of a private node would lead to what does not fit it, from
 * below it. */
bool vv_own_is_cut(const struct vv_matches *matches,
    const struct vv_visited_paths *ways, const struct vv_index *index,
    const varve_node *node);

/* A private node of the file, of whose children all but one are left out. */
struct vv_own_cut {
    /* to fill in */
    uint32_t file;
    uint32_t kept; /* VV_NONE: none is */
    uint8_t why;   /* not 0 */
};

/* Sets by node of the file why it is left out: it cannot be reached without
 * those children of any of the cuts, of which there are some; 0: it can. Sorts
 * them. False without memory. */
bool vv_own_reach(const struct vv_index *index, const varve_allocator *a,
    struct vv_own_cut *cuts, size_t count, uint8_t *why);

#endif
