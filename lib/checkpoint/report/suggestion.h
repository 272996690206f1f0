/* suggestion.h - what may have been meant by something that has no match, as a
 * path of the other side.
 *
 * The first edge that is missing on the way is its `top`: all that is below it
 * has the same slip. Below it names are followed as they are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LIKELY_H
#define VV_LIKELY_H

#include "arena.h"
#include "name_pattern.h"
#include "pairing.h"
#include "walk.h"

/* The candidate that is best so far. */
struct vv_best {
    struct vv_text wanted;
    size_t seen; /* candidates */
    bool has_one;
    struct vv_text name;
    uint32_t place; /* what the caller knows it by */
    const void *item;
    size_t distance;
    uint32_t alike_place; /* of the same type and shape */
    const void *alike_item;
    size_t alike_count;
};

struct vv_likely {
    const struct vv_pairing *p;
    const struct vv_walk *walk;   /* of the program; NULL: it is gone */
    uint32_t *tops;               /* by node of the file: plus 1; 0: unknown */
    const struct vv_edge **edges; /* by top: what it is likely to be */
    uint32_t *places;             /* by place of the walk: its top, plus 1 */
    uint32_t *saved_edges;        /* by such a top: plus 1; VV_NONE: nothing */
    struct vv_buffer text;        /* a path */
    struct vv_buffer owner;       /* another one */
    struct vv_buffer way;         /* scratch: what a path has below its top */
    size_t given;                 /* names are looked for only so often */
    size_t looked;
};

/* False without memory. */
bool vv_likely_begin(struct vv_likely *likely, const struct vv_pairing *p,
    const struct vv_walk *walk);
void vv_likely_end(struct vv_likely *likely);

/* Whether one more name may be looked at. */
bool vv_likely_may_look(struct vv_likely *likely, struct vv_best *best);

/* Compares a name that is free with what is wanted. */
void vv_likely_consider(struct vv_best *best, struct vv_text name,
    uint32_t place, const void *item, bool is_alike);

/* The top of a node of the file that has no match and is not a slot's. */
uint32_t vv_likely_top(struct vv_likely *likely, uint32_t file);

/* The place of that of a node of the program, likewise. */
uint32_t vv_likely_place(struct vv_likely *likely, const varve_node *node);

/* The path in the program that stands for a node of the file, as a rename takes
 * it; as much of it as there is; NULL. */
const char *vv_likely_in_program(
    struct vv_likely *likely, uint32_t file, struct vv_arena *arena);

/* The same in the file, for a node of the program. */
const char *vv_likely_in_file(
    struct vv_likely *likely, const varve_node *node, struct vv_arena *arena);

#endif
