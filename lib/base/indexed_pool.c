/* indexed_pool.c - Allocates items in blocks, with a table of blocks and a free
 * list of numbers.
 *
 * As in pool.c, free items are inaccessible under AddressSanitizer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "indexed_pool.h"

#include <string.h>

#include "allocator.h"
#include "poison.h"

static const uint32_t most = UINT32_MAX - (1u << VV_INDEXED_POOL_FIRST_LOG);

void vv_indexed_pool_init(struct vv_indexed_pool *indexed_pool,
    const varve_allocator *allocator, size_t item_size)
{
    size_t unit = sizeof(void *);
    *indexed_pool = (struct vv_indexed_pool){
        .allocator = allocator,
        .item_size = (item_size + unit - 1) / unit * unit,
    };
}

static size_t indexed_pool_block_size(
    const struct vv_indexed_pool *indexed_pool, size_t block)
{
    size_t log = block + VV_INDEXED_POOL_FIRST_LOG;
    if (log > VV_INDEXED_POOL_MOST_LOG)
        log = VV_INDEXED_POOL_MOST_LOG;
    return indexed_pool->item_size << log;
}

void vv_indexed_pool_clear(struct vv_indexed_pool *indexed_pool)
{
    for (size_t i = 0; i < indexed_pool->block_count; i++) {
        size_t size = indexed_pool_block_size(indexed_pool, i);
        __asan_unpoison_memory_region(indexed_pool->blocks[i], size);
        vv_release(indexed_pool->allocator, indexed_pool->blocks[i], size);
    }
    vv_release(indexed_pool->allocator, indexed_pool->blocks,
        indexed_pool->block_capacity * sizeof *indexed_pool->blocks);
    vv_indexed_pool_init(
        indexed_pool, indexed_pool->allocator, indexed_pool->item_size);
}

static bool indexed_pool_add_block(struct vv_indexed_pool *indexed_pool)
{
    if (!vv_grow_array(indexed_pool->allocator, &indexed_pool->blocks,
            &indexed_pool->block_capacity, indexed_pool->block_count,
            sizeof *indexed_pool->blocks))
        return false;
    unsigned char *block = vv_allocate(indexed_pool->allocator,
        indexed_pool_block_size(indexed_pool, indexed_pool->block_count));
    if (!block)
        return false;
    indexed_pool->blocks[indexed_pool->block_count++] = block;
    return true;
}

/* Returns true if the last block has room for another item. */
static bool indexed_pool_has_capacity(
    const struct vv_indexed_pool *indexed_pool)
{
    size_t room = 0;
    size_t first = (size_t)1 << VV_INDEXED_POOL_FIRST_LOG;
    size_t last = (size_t)1 << VV_INDEXED_POOL_MOST_LOG;
    size_t doubled = VV_INDEXED_POOL_MOST_LOG - VV_INDEXED_POOL_FIRST_LOG;
    if (indexed_pool->block_count > doubled)
        room = (indexed_pool->block_count - doubled) * last + last - first;
    else
        room = (first << indexed_pool->block_count) - first;
    return indexed_pool->used < room;
}

void *vv_indexed_pool_take(
    struct vv_indexed_pool *indexed_pool, uint32_t *number)
{
    uint32_t next = indexed_pool->free;
    unsigned char *item;
    if (next) {
        item = vv_indexed_pool_at(indexed_pool, next);
        __asan_unpoison_memory_region(item, indexed_pool->item_size);
        memcpy(&indexed_pool->free, item, sizeof indexed_pool->free);
    } else {
        if (indexed_pool->used == most ||
            (!indexed_pool_has_capacity(indexed_pool) &&
                !indexed_pool_add_block(indexed_pool)))
            return NULL;
        next = ++indexed_pool->used;
        item = vv_indexed_pool_at(indexed_pool, next);
    }
    memset(item, 0, indexed_pool->item_size);
    *number = next;
    return item;
}

void vv_indexed_pool_give(struct vv_indexed_pool *indexed_pool, uint32_t number)
{
    unsigned char *item = vv_indexed_pool_at(indexed_pool, number);
    memcpy(item, &indexed_pool->free, sizeof indexed_pool->free);
    indexed_pool->free = number;
    __asan_poison_memory_region(item, indexed_pool->item_size);
}
