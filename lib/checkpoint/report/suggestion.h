/* suggestion.h - Suggests a path of the other side for a node that has no
 * match.
 *
 * The first missing edge on the path of a node is its `top`. All nodes below it
 * are unmatched for the same reason, so only the top is searched for. Below it
 * equal names are followed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LIKELY_H
#define VV_LIKELY_H

#include "allocator.h"
#include "name_pattern.h"
#include "pairing.h"
#include "walk.h"

/* The best candidate so far. */
struct vv_best {
    struct vv_text wanted;
    size_t seen; /* number of candidates */
    bool has_one;
    struct vv_text name;
    uint32_t place; /* for the caller, as is `item` */
    const void *item;
    size_t distance;
    uint32_t alike_place; /* the candidate with the same type and shape */
    const void *alike_item;
    size_t alike_count;
};

struct vv_likely {
    const struct vv_pairing *p;
    const struct vv_walk *walk;   /* the walk of the program; NULL: it is
                                     freed */
    uint32_t *tops;               /* by node of the file: its top plus 1; 0:
                                     unknown */
    const struct vv_edge **edges; /* by top: the edge that was chosen */
    uint32_t *places;             /* by place of the walk: place of its top
                                     plus 1 */
    uint32_t *saved_edges;        /* by place of a top: edge plus 1; VV_NONE:
                                     none */
    struct vv_buffer text;        /* a path */
    struct vv_buffer owner;       /* another path */
    struct vv_buffer way;         /* scratch: the nodes between a path's end
                                     and its top */
    size_t given;                 /* number of suggestions, which is limited */
    size_t looked;
};

/* Returns false if out of memory. */
bool vv_likely_begin(struct vv_likely *likely, const struct vv_pairing *p,
    const struct vv_walk *walk);
void vv_likely_end(struct vv_likely *likely);

/* Returns true if one more name may be compared. */
bool vv_likely_may_look(struct vv_likely *likely, struct vv_best *best);

/* Compares the name of an unmatched node with the wanted name. */
void vv_likely_consider(struct vv_best *best, struct vv_text name,
    uint32_t place, const void *item, bool is_alike);

/* Returns the top of a node of the file that has no match and is not a slot. */
uint32_t vv_likely_top(struct vv_likely *likely, uint32_t file);

/* Returns the place of the top of a node of the program. */
uint32_t vv_likely_place(struct vv_likely *likely, const varve_node *node);

/* Returns a path in the program for a node of the file, escaped for a rename,
 * or NULL. The path may be incomplete. */
const char *vv_likely_in_program(
    struct vv_likely *likely, uint32_t file, struct vv_arena *arena);

/* Does the same for a node of the program and the paths of the file. */
const char *vv_likely_in_file(
    struct vv_likely *likely, const varve_node *node, struct vv_arena *arena);

#endif
