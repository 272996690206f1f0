/* arena.h - strings and small things that are freed together.
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

/* Memory for anything that is aligned as pointers and 8 bytes are, or NULL. */
void *vv_arena_take(struct vv_arena *arena, size_t size);

/* A terminated copy, or NULL. */
char *vv_arena_text(struct vv_arena *arena, const char *text, size_t size);

#endif
