/* block_pool.h - blocks of memory for copies of all values of a graph, used
 * again and again: what was touched once is not touched for the first time
 * again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BLOCK_POOL_H
#define VV_BLOCK_POOL_H

#include <varve/allocator.h>

struct vv_block;

struct vv_block_pool {
    /* to fill in */
    const varve_allocator *allocator;
    /* own */
    struct vv_block *free;
};

/* A block of at least `size` bytes; those that are free and too small make
 * room for it. NULL without memory. */
struct vv_block *vv_block_take(struct vv_block_pool *pool, size_t size);

/* Takes NULL. */
void vv_block_give(struct vv_block_pool *pool, struct vv_block *block);

/* Frees those that are free. */
void vv_block_pool_clear(struct vv_block_pool *pool);

/* Its memory, aligned to a page. */
void *vv_block_bytes(struct vv_block *block);

#endif
