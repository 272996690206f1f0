/* damages.h - which values of a file cannot be had, and why.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DAMAGES_H
#define VV_DAMAGES_H

#include "buffer.h"

/* One of a value, or the later one of several. */
struct vv_damage {
    /* to fill in */
    uint32_t value;
    uint64_t damaged; /* chunks, */
    uint64_t chunks;  /* of so many; at most 1: not told */
    const char *why;
};

struct vv_damages {
    /* own */
    struct vv_buffer all;
    struct vv_buffer text; /* each ends with a NUL */
};

void vv_damages_init(
    struct vv_damages *damages, const varve_allocator *allocator);
void vv_damages_end(struct vv_damages *damages);

/* False without memory: then nothing is noted. */
bool vv_note_damage(struct vv_damages *damages, const struct vv_damage *damage);

/* After some were noted, before they are looked for. */
void vv_sort_damages(struct vv_damages *damages);

/* Why a value cannot be had; NULL if nothing is known of it. Valid until the
 * next is noted. */
const char *vv_damage_of(const struct vv_damages *damages, uint32_t value);

#endif
