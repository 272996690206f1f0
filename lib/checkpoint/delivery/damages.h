/* damages.h - Stores which values of a file are damaged, and why.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DAMAGES_H
#define VV_DAMAGES_H

#include "buffer.h"

/* The damage of a value. A later one replaces an earlier one. */
struct vv_damage {
    /* to fill in */
    uint32_t value;
    uint64_t damaged; /* number of damaged chunks */
    uint64_t chunks;  /* number of chunks; at most 1: not reported */
    const char *why;
};

struct vv_damages {
    /* own */
    struct vv_buffer all;
    struct vv_buffer text; /* strings, each with a NUL */
};

void vv_damages_init(
    struct vv_damages *damages, const varve_allocator *allocator);
void vv_damages_end(struct vv_damages *damages);

/* Adds a damage. Returns false if out of memory. */
bool vv_note_damage(struct vv_damages *damages, const struct vv_damage *damage);

/* Must be called after damages were added and before vv_damage_of. */
void vv_sort_damages(struct vv_damages *damages);

/* Returns the reason why a value is damaged, or NULL. Valid until the next
 * damage is added. */
const char *vv_damage_of(const struct vv_damages *damages, uint32_t value);

#endif
