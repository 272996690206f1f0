/* pool.h - Allocates small objects in blocks: those of one size from pools, and
 * those that are freed together from arenas.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_POOL_H
#define VV_POOL_H

#include <varve/allocator.h>

/* --- Pools ---------------------------------------------------------------- */

/* A pool of objects of one size. They are allocated in blocks and never moved.
 */

struct vv_pool_block;

struct vv_pool {
    const varve_allocator *allocator;
    size_t item_size;             /* a multiple of the pointer size */
    struct vv_pool_block *blocks; /* newest first */
    void *free_items;             /* linked through their first bytes */
    size_t slack;                 /* see vv_pool_allow */
};

void vv_pool_init(
    struct vv_pool *pool, const varve_allocator *allocator, size_t item_size);
void vv_pool_clear(struct vv_pool *pool);

/* Guarantees that at least `slack` bytes after an item can be read, with any
 * content. Must be called before the first item is taken. */
void vv_pool_allow(struct vv_pool *pool, size_t slack);

/* Returns a zeroed item, or NULL. */
void *vv_pool_take(struct vv_pool *pool);
void vv_pool_give(struct vv_pool *pool, void *item);

/* --- Pools with numbers --------------------------------------------------- */

/* A pool whose items are identified by 32-bit numbers. These need half the
 * memory of pointers where many items refer to each other. */

/* Logarithms of the number of items of the first block and of the largest
 * block. Each block has twice as many items as the one before, up to the
 * largest. */
enum { VV_INDEXED_POOL_FIRST_LOG = 4, VV_INDEXED_POOL_MOST_LOG = 17 };

struct vv_indexed_pool {
    /* own */
    const varve_allocator *allocator;
    size_t item_size; /* a multiple of the pointer size */
    unsigned char **blocks;
    size_t block_count;
    size_t block_capacity;
    uint32_t used; /* numbers that were ever taken */
    /* The number that was given back last, or 0. Its item contains the number
     * given back before it in its first bytes. */
    uint32_t free;
};

void vv_indexed_pool_init(struct vv_indexed_pool *indexed_pool,
    const varve_allocator *allocator, size_t item_size);
void vv_indexed_pool_clear(struct vv_indexed_pool *indexed_pool);

/* Returns a zeroed item and sets its number, which is never 0; NULL if there is
 * no memory. */
void *vv_indexed_pool_take(
    struct vv_indexed_pool *indexed_pool, uint32_t *number);
void vv_indexed_pool_give(
    struct vv_indexed_pool *indexed_pool, uint32_t number);

/* Returns the item of a number; NULL for 0. The address of an item does not
 * change. */
static inline void *vv_indexed_pool_at(
    const struct vv_indexed_pool *indexed_pool, uint32_t number)
{
    if (number == 0)
        return NULL;
    uint32_t place = number - 1 + (1u << VV_INDEXED_POOL_FIRST_LOG);
    unsigned log = 31 - (unsigned)__builtin_clz(place);
    uint32_t block = log - VV_INDEXED_POOL_FIRST_LOG;
    if (log > VV_INDEXED_POOL_MOST_LOG) {
        block = VV_INDEXED_POOL_MOST_LOG - VV_INDEXED_POOL_FIRST_LOG - 1 +
                (place >> VV_INDEXED_POOL_MOST_LOG);
        log = VV_INDEXED_POOL_MOST_LOG;
    }
    return indexed_pool->blocks[block] +
           (place & ((1u << log) - 1)) * indexed_pool->item_size;
}

/* --- Arenas --------------------------------------------------------------- */

/* Allocates strings and small objects that are freed together. */

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
