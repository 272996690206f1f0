/* pool.c - Allocates small objects in blocks: pools of one size, pools with
 * numbers, and arenas.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pool.h"

#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "poison.h"

/* --- Pools ---------------------------------------------------------------- */

/* Allocates items in blocks that double in size up to a limit, with a free
 * list.
 *
 * Under AddressSanitizer free items are inaccessible, as if they had been
 * freed. */

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

/* --- Pools with numbers --------------------------------------------------- */

/* Allocates items in blocks, with a table of blocks and a free list of numbers.
 *
 * As in a pool, free items are inaccessible under AddressSanitizer. */

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

/* --- Arenas --------------------------------------------------------------- */

/* Allocates from blocks that are filled from their beginning. */

enum { BLOCK_SIZE = 16 * 1024, UNIT = 16 };

struct vv_arena_block {
    struct vv_arena_block *next;
    size_t size;
    size_t used;
    uint64_t bytes[]; /* aligned as in struct vv_pool_block */
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
