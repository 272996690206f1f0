/* block_pool.h - Keeps memory blocks for copies of all values of a graph.
 *
 * Blocks are reused by later saves, so that the system does not have to provide
 * zeroed pages for each save.
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

/* Returns a block of at least `size` bytes. If no free block is large enough,
 * frees all of them and allocates a new one. Returns NULL if out of memory. */
struct vv_block *vv_block_take(struct vv_block_pool *pool, size_t size);

/* Returns a block to the pool. `block` may be NULL. */
void vv_block_give(struct vv_block_pool *pool, struct vv_block *block);

/* Frees all free blocks. */
void vv_block_pool_clear(struct vv_block_pool *pool);

/* Returns the memory of a block, aligned to a page. */
void *vv_block_bytes(struct vv_block *block);

#endif
