/* arena.h - Allocates strings and small objects that are freed together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ARENA_H
#define VV_ARENA_H

#include <varve/allocator.h>

struct vv_arena_block;

struct vv_arena {
    const varve_allocator *allocator;
    struct vv_arena_block *blocks;
};

void vv_arena_init(struct vv_arena *arena, const varve_allocator *allocator);
void vv_arena_clear(struct vv_arena *arena);

/* Returns memory with the alignment of pointers and of 8 bytes, or NULL. */
void *vv_arena_take(struct vv_arena *arena, size_t size);

/* Returns a NUL-terminated copy, or NULL. */
char *vv_arena_text(struct vv_arena *arena, const char *text, size_t size);

#endif
