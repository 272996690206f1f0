/* rename.h - one rename, followed along two graphs at once: what its left side
 * stands for on one, and where its right side leads on the other.
 *
 * A `**` is what makes paths long, and cuts a rename into pieces of a known
 * number of names. Where every node of the left graph knows which piece comes
 * next for it, and where the names so far lead on the right (its stand), a
 * longer path takes one step more, however long it is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RENAME_H
#define VV_RENAME_H

#include <varve/allocator.h>

#include <stdint.h>

#include "buffer.h"
#include "name_pattern.h"

/* What is between two `**`, or one and an end. */
struct vv_rename_piece {
    uint32_t first; /* of its names on the left */
    uint32_t count;
    struct vv_text to; /* on the right */
};

struct vv_rename_name {
    struct vv_text pattern;
    uint32_t stars; /* of its piece before it */
};

/* The texts are borrowed. */
struct vv_rename_parts {
    struct vv_rename_name *names;
    struct vv_rename_piece *pieces;
    uint32_t name_count;
    uint32_t piece_count;
};

/* Of two sides with the same wildcards (pattern.h); false without memory. */
bool vv_rename_parts_begin(struct vv_rename_parts *parts,
    const varve_allocator *allocator, const char *left, const char *right);
void vv_rename_parts_end(
    struct vv_rename_parts *parts, const varve_allocator *allocator);

#define VV_NOWHERE UINT32_MAX

/* Where a node of the left graph has come to. All zero: nowhere yet. */
struct vv_stand {
    uint32_t piece; /* the next one, behind a `**`; 0: none has begun */
    uint32_t at;    /* a node on the right, or VV_NOWHERE */
    uint32_t owner; /* of the slot whose parentheses are open, plus 1 */
    uint32_t slot;  /* its name */
};

/* The two graphs. */
struct vv_rename_sides {
    void *user;
    /* The name of the edge that leads to a node on the left; the node becomes
     * its parent. VV_NOWHERE: no edge leads to it. */
    struct vv_text (*above)(void *user, uint32_t *node);
    /* The stand of a node on the left. */
    const struct vv_stand *(*stand)(void *user, uint32_t node);
    uint32_t root; /* on the left */
    uint32_t right_root;
    uint32_t (*name)(void *user, struct vv_text name);
    uint32_t (*child)(void *user, uint32_t at, uint32_t name);
    uint32_t (*slot)(
        void *user, uint32_t owner, uint32_t variable, uint32_t name);
    struct vv_buffer *scratch; /* fails when there is no memory */
};

/* An edge on the left; no name: the root. */
struct vv_rename_step {
    uint32_t parent;
    struct vv_text name;
};

/* The stand of the node that a step leads to. */
struct vv_stand vv_rename_follow(const struct vv_rename_parts *parts,
    const struct vv_rename_sides *sides, struct vv_rename_step step);

/* Whether the left side stands for the path that ends with a step; `at` is then
 * where the right side leads. */
bool vv_rename_match(const struct vv_rename_parts *parts,
    const struct vv_rename_sides *sides, struct vv_rename_step step,
    uint32_t *at);

#endif
