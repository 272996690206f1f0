/* name_set.h - Provides a set of used names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TAKEN_H
#define VV_TAKEN_H

#include "allocator.h"
#include "hash_table.h"

struct vv_taken {
    /* own */
    struct vv_arena arena;
    struct vv_map names;
};

void vv_taken_init(struct vv_taken *taken, const varve_allocator *allocator);
void vv_taken_clear(struct vv_taken *taken);

/* Adds a name. Sets *is_new to false if the set already contains it. Returns
 * false if memory runs out. */
bool vv_taken_add(
    struct vv_taken *taken, const char *name, size_t size, bool *is_new);

#endif
