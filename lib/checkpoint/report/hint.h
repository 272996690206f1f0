/* hint.h - Finds out why a node did not match, and suggests a path that may
 * have been meant.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HINT_H
#define VV_HINT_H

#include "allocator.h"
#include "name_pattern.h"
#include "pairing.h"
#include "suggestion.h"
#include "walk.h"

struct vv_hint {
    const char *reason; /* in the arena, or static */
    bool is_retired;    /* the program has retired this name */
};

struct vv_hints {
    struct vv_likely likely;
    const struct vv_pairing *p;
    const struct vv_walk *walk; /* the walk of the program; NULL: it is freed */
    struct vv_buffer text;
    struct vv_buffer path; /* scratch */
    const char **reasons;  /* by node of the file whose edge is missing */
};

/* Returns false if out of memory. */
bool vv_hints_begin(struct vv_hints *hints, const struct vv_pairing *p,
    const struct vv_walk *walk);

/* Returns false if memory has run out since vv_hints_begin. */
bool vv_hints_end(struct vv_hints *hints);

/* Returns the hint for a node of the file that is not bound. */
struct vv_hint vv_hint_for_file(
    struct vv_hints *hints, uint32_t file, struct vv_arena *arena);

/* Returns the reason for a node of the program that is not bound. */
const char *vv_hint_for_program(
    struct vv_hints *hints, const varve_node *node, struct vv_arena *arena);

/* Returns a path for a rename, in the arena, or NULL: a path in the program for
 * a node of the file, which is not retired, or a path in the file for a node of
 * the program. It compares many names. */
const char *vv_nearest_for_file(
    struct vv_hints *hints, uint32_t file, struct vv_arena *arena);
const char *vv_nearest_for_program(
    struct vv_hints *hints, const varve_node *node, struct vv_arena *arena);

/* Returns a pattern that matches nothing with its first unknown name replaced
 * by the nearest name in the program or the file, or NULL. */
const char *vv_hint_for_pattern(struct vv_hints *hints, struct vv_text pattern,
    bool of_file, struct vv_arena *arena);

#endif
