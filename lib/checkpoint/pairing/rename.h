/* rename.h - Applies one rename along two graphs at once: its left side matches
 * paths of one graph, its right side leads to a node of the other.
 *
 * Only `**` matches paths of any length. It divides a rename into pieces, each
 * with a fixed number of names. Every node of the left graph stores which piece
 * comes next and the node of the right graph that the names so far lead to (its
 * state). So a longer path takes one more step, regardless of its length.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RENAME_H
#define VV_RENAME_H

#include <stdint.h>

#include <varve/allocator.h>

#include "buffer.h"
#include "name_pattern.h"

/* The part of a rename between two `**`, or between one and an end. */
struct vv_rename_piece {
    uint32_t first; /* index of its first name on the left */
    uint32_t count;
    struct vv_text to; /* its text on the right */
};

struct vv_rename_name {
    struct vv_text pattern;
    uint32_t stars; /* number of stars before it in its piece */
};

/* The texts are borrowed. */
struct vv_rename_parts {
    struct vv_rename_name *names;
    struct vv_rename_piece *pieces;
    uint32_t name_count;
    uint32_t piece_count;
};

/* Parses both sides of a rename, which must have the same wildcards
 * (pattern.h). Returns false if out of memory. */
bool vv_rename_parts_begin(struct vv_rename_parts *parts,
    const varve_allocator *allocator, const char *left, const char *right);
void vv_rename_parts_end(
    struct vv_rename_parts *parts, const varve_allocator *allocator);

#define VV_NOWHERE UINT32_MAX

/* As a piece of a state: no path from here is renamed. */
#define VV_RENAME_DEAD UINT32_MAX

/* The progress of a rename along the path of a node of the left graph. All
 * zero: not at all. */
struct vv_rename_state {
    uint32_t piece; /* the next piece, after a `**`; 0: no piece has matched */
    uint32_t at;    /* the node on the right, or VV_NOWHERE */
    uint32_t owner; /* owner of the slot whose parentheses are open, plus 1 */
    uint32_t slot;  /* name of that slot */
};

/* Access to the two graphs. */
struct vv_rename_sides {
    void *user;
    /* Returns the name of the edge that leads to a node on the left, and sets
     * *node to its parent, or to VV_NOWHERE if no edge leads to it. */
    struct vv_text (*above)(void *user, uint32_t *node);
    /* Returns the state of a node on the left. */
    const struct vv_rename_state *(*state)(void *user, uint32_t node);
    uint32_t root; /* on the left */
    uint32_t right_root;
    uint32_t (*name)(void *user, struct vv_text name);
    uint32_t (*child)(void *user, uint32_t at, uint32_t name);
    uint32_t (*slot)(
        void *user, uint32_t owner, uint32_t variable, uint32_t name);
    struct vv_buffer *scratch; /* marked as failed if out of memory */
};

/* An edge on the left; an empty name: the root. */
struct vv_rename_step {
    uint32_t parent;
    struct vv_text name;
};

/* Returns the state of the node at the end of the step. */
struct vv_rename_state vv_rename_follow(const struct vv_rename_parts *parts,
    const struct vv_rename_sides *sides, struct vv_rename_step step);

/* Returns true if the left side matches the path that ends with the step. Sets
 * *at to the node that the right side leads to. */
bool vv_rename_match(const struct vv_rename_parts *parts,
    const struct vv_rename_sides *sides, struct vv_rename_step step,
    uint32_t *at);

#endif
