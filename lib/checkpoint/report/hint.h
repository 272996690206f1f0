/* hint.h - why something did not match, and what may have been meant.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HINT_H
#define VV_HINT_H

#include "arena.h"
#include "suggestion.h"
#include "name_pattern.h"
#include "pairing.h"
#include "walk.h"

struct vv_hint {
    const char *reason;  /* in the arena, or static */
    const char *nearest; /* a path for a rename, in the arena; or NULL */
    bool is_retired;     /* the program no longer wants what the file has */
};

struct vv_hints {
    struct vv_likely likely;
    const struct vv_pairing *p;
    const struct vv_walk *walk; /* of the program; NULL: it is gone */
    struct vv_buffer text;
    const char **reasons; /* by node of the file whose edge is missing */
};

/* False without memory. */
bool vv_hints_begin(struct vv_hints *hints, const struct vv_pairing *p,
    const struct vv_walk *walk);

/* False if memory ran out since. */
bool vv_hints_end(struct vv_hints *hints);

/* Of a node of the file that nothing is bound to. */
struct vv_hint vv_hint_for_file(
    struct vv_hints *hints, uint32_t file, struct vv_arena *arena);

/* Of a node of the program that is not bound. */
struct vv_hint vv_hint_for_program(
    struct vv_hints *hints, const varve_node *node, struct vv_arena *arena);

/* What a pattern that matches nothing would be with the first name that is not
 * there as one that is, in the program or the file; NULL. */
const char *vv_hint_for_pattern(struct vv_hints *hints, struct vv_text pattern,
    bool of_file, struct vv_arena *arena);

#endif
