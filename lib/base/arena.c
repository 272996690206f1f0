/* arena.c - Allocates from blocks that are filled from their beginning.
 *
 * SPDX-License-Identifier: MIT
 */
#include "arena.h"

#include <string.h>

#include "allocator.h"
#include "bytes.h"

enum { BLOCK_SIZE = 16 * 1024, UNIT = 16 };

struct vv_arena_block {
    struct vv_arena_block *next;
    size_t size;
    size_t used;
    uint64_t bytes[]; /* aligned as in pool.c */
};

void vv_arena_init(struct vv_arena *arena, const varve_allocator *allocator)
{
    *arena = (struct vv_arena){ .allocator = allocator };
}

void vv_arena_clear(struct vv_arena *arena)
{
    while (arena->blocks) {
        struct vv_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        vv_release(arena->allocator, block, sizeof *block + block->size);
    }
}

void *vv_arena_take(struct vv_arena *arena, size_t size)
{
    struct vv_arena_block *block = arena->blocks;
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size_t)vv_align_up(size, UNIT);
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = vv_allocate(arena->allocator, sizeof *block + room);
        if (!block)
            return NULL;
        *block = (struct vv_arena_block){ .next = arena->blocks, .size = room };
        arena->blocks = block;
    }
    void *at = (unsigned char *)block->bytes + block->used;
    block->used += size;
    return at;
}

char *vv_arena_text(struct vv_arena *arena, const char *text, size_t size)
{
    char *copy = vv_arena_take(arena, size + 1);
    if (copy) {
        if (size > 0)
            memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}
