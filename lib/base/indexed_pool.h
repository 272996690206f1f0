/* indexed_pool.h - a pool whose items have numbers of 32 bits, by which they
 * are found: half a pointer, where many items refer to each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEXED_POOL_H
#define VV_INDEXED_POOL_H

#include <varve/allocator.h>

/* The first block has so many items, each further one twice as many, until they
 * have the most; powers of two. */
enum { VV_INDEXED_POOL_FIRST_LOG = 4, VV_INDEXED_POOL_MOST_LOG = 17 };

struct vv_indexed_pool {
    /* own */
    const varve_allocator *allocator;
    size_t item_size; /* a multiple of the pointer size */
    unsigned char **blocks;
    size_t block_count;
    size_t block_capacity;
    uint32_t used; /* numbers that were ever taken */
    uint32_t free; /* the number given back last, each of which has the one
                      before in its first bytes; or 0 */
};

void vv_indexed_pool_init(struct vv_indexed_pool *indexed_pool,
    const varve_allocator *allocator, size_t item_size);
void vv_indexed_pool_clear(struct vv_indexed_pool *indexed_pool);

/* A zeroed item and its number, which is never 0; or NULL. */
void *vv_indexed_pool_take(
    struct vv_indexed_pool *indexed_pool, uint32_t *number);
void vv_indexed_pool_give(
    struct vv_indexed_pool *indexed_pool, uint32_t number);

/* The item of a number, which stays where it is; NULL for 0. */
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

#endif
