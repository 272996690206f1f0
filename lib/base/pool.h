/* pool.h - A pool of objects of one size. They are allocated in blocks and
 * never moved.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_POOL_H
#define VV_POOL_H

#include <varve/allocator.h>

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

#endif
