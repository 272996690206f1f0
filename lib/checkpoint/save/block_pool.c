/* block_pool.c - Keeps a list of free blocks, each with its size in front.
 *
 * SPDX-License-Identifier: MIT
 */
#include "block_pool.h"

#include "allocator.h"
#include "poison.h"

enum { PAGE = 4096 };

/* The header of a block. It occupies the first page. */
struct vv_block {
    struct vv_block *next;
    size_t size; /* without the header */
};

static void block_pool_release(const varve_allocator *a, struct vv_block *block)
{
    vv_release_aligned(a, block, block->size + PAGE, PAGE);
}

void vv_block_pool_clear(struct vv_block_pool *pool)
{
    while (pool->free) {
        struct vv_block *block = pool->free;
        pool->free = block->next;
        block_pool_release(pool->allocator, block);
    }
}

struct vv_block *vv_block_take(struct vv_block_pool *pool, size_t size)
{
    struct vv_block **link = &pool->free;
    while (*link && (*link)->size < size)
        link = &(*link)->next;
    struct vv_block *block = *link;
    if (block) {
        *link = block->next;
        return block;
    }
    vv_block_pool_clear(pool);
    if (size > SIZE_MAX - PAGE)
        return NULL;
    block = vv_allocate_aligned(pool->allocator, size + PAGE, PAGE);
    if (block)
        block->size = size;
    return block;
}

void vv_block_give(struct vv_block_pool *pool, struct vv_block *block)
{
    if (!block)
        return;
    __asan_unpoison_memory_region(vv_block_bytes(block), block->size);
    block->next = pool->free;
    pool->free = block;
}

void *vv_block_bytes(struct vv_block *block)
{
    return (unsigned char *)block + PAGE;
}
