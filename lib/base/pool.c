/* pool.c - Allocates items in blocks that double in size up to a limit, with a
 * free list.
 *
 * Under AddressSanitizer free items are inaccessible, as if they had been
 * freed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pool.h"

#include <string.h>

#include "allocator.h"
#include "poison.h"

enum { FIRST_ITEMS = 16, MOST_BYTES = 8 << 20 };

struct vv_pool_block {
    struct vv_pool_block *next;
    size_t capacity; /* number of items */
    size_t used;
    /* uint64_t, because an allocator may align to 8, less than max_align_t */
    uint64_t items[];
};

static size_t pool_block_size(const struct vv_pool *pool, size_t capacity)
{
    return sizeof(struct vv_pool_block) + capacity * pool->item_size +
           pool->slack;
}

void vv_pool_init(
    struct vv_pool *pool, const varve_allocator *allocator, size_t item_size)
{
    size_t unit = sizeof(void *);
    *pool = (struct vv_pool){
        .allocator = allocator,
        .item_size = (item_size + unit - 1) / unit * unit,
    };
}

void vv_pool_allow(struct vv_pool *pool, size_t slack)
{
    pool->slack = slack;
}

void vv_pool_clear(struct vv_pool *pool)
{
    while (pool->blocks) {
        struct vv_pool_block *block = pool->blocks;
        pool->blocks = block->next;
        __asan_unpoison_memory_region(
            block->items, block->capacity * pool->item_size);
        vv_release(
            pool->allocator, block, pool_block_size(pool, block->capacity));
    }
    pool->free_items = NULL;
}

static bool pool_add_block(struct vv_pool *pool)
{
    size_t capacity = pool->blocks ? pool->blocks->capacity : FIRST_ITEMS;
    if (pool->blocks && capacity * pool->item_size < MOST_BYTES / 2)
        capacity *= 2;
    struct vv_pool_block *block =
        vv_allocate(pool->allocator, pool_block_size(pool, capacity));
    if (!block)
        return false;
    block->next = pool->blocks;
    block->capacity = capacity;
    block->used = 0;
    pool->blocks = block;
    return true;
}

void *vv_pool_take(struct vv_pool *pool)
{
    void *item = pool->free_items;
    if (item) {
        __asan_unpoison_memory_region(item, pool->item_size);
        memcpy(&pool->free_items, item, sizeof(void *));
    } else {
        struct vv_pool_block *block = pool->blocks;
        if ((!block || block->used == block->capacity) && !pool_add_block(pool))
            return NULL;
        block = pool->blocks;
        item = (char *)block->items + block->used++ * pool->item_size;
    }
    memset(item, 0, pool->item_size);
    return item;
}

void vv_pool_give(struct vv_pool *pool, void *item)
{
    memcpy(item, &pool->free_items, sizeof(void *));
    pool->free_items = item;
    if (pool->slack == 0)
        __asan_poison_memory_region(item, pool->item_size);
}
