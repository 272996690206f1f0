/* shelf.c - blocks, a table of them, and a free list of numbers.
 *
 * As in a pool what is given back may not be touched under AddressSanitizer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shelf.h"

#include <string.h>

#include "allocator.h"
#include "poison.h"

static const uint32_t most = UINT32_MAX - (1u << VV_SHELF_FIRST_LOG);

void vv_shelf_init(
    struct vv_shelf *shelf, const varve_allocator *allocator, size_t item_size)
{
    size_t unit = sizeof(void *);
    *shelf = (struct vv_shelf){
        .allocator = allocator,
        .item_size = (item_size + unit - 1) / unit * unit,
    };
}

static size_t block_size(const struct vv_shelf *shelf, size_t block)
{
    size_t log = block + VV_SHELF_FIRST_LOG;
    if (log > VV_SHELF_MOST_LOG)
        log = VV_SHELF_MOST_LOG;
    return shelf->item_size << log;
}

void vv_shelf_clear(struct vv_shelf *shelf)
{
    for (size_t i = 0; i < shelf->block_count; i++) {
        size_t size = block_size(shelf, i);
        __asan_unpoison_memory_region(shelf->blocks[i], size);
        vv_release(shelf->allocator, shelf->blocks[i], size);
    }
    vv_release(shelf->allocator, shelf->blocks,
        shelf->block_capacity * sizeof *shelf->blocks);
    vv_shelf_init(shelf, shelf->allocator, shelf->item_size);
}

static bool add_block(struct vv_shelf *shelf)
{
    if (!vv_grow_array(shelf->allocator, &shelf->blocks, &shelf->block_capacity,
            shelf->block_count, sizeof *shelf->blocks))
        return false;
    unsigned char *block =
        vv_allocate(shelf->allocator, block_size(shelf, shelf->block_count));
    if (!block)
        return false;
    shelf->blocks[shelf->block_count++] = block;
    return true;
}

/* Whether the last block has room for one more. */
static bool has_room(const struct vv_shelf *shelf)
{
    size_t room = 0;
    size_t first = (size_t)1 << VV_SHELF_FIRST_LOG;
    size_t last = (size_t)1 << VV_SHELF_MOST_LOG;
    size_t doubled = VV_SHELF_MOST_LOG - VV_SHELF_FIRST_LOG;
    if (shelf->block_count > doubled)
        room = (shelf->block_count - doubled) * last + last - first;
    else
        room = (first << shelf->block_count) - first;
    return shelf->used < room;
}

void *vv_shelf_take(struct vv_shelf *shelf, uint32_t *number)
{
    uint32_t next = shelf->free;
    unsigned char *item;
    if (next) {
        item = vv_shelf_at(shelf, next);
        __asan_unpoison_memory_region(item, shelf->item_size);
        memcpy(&shelf->free, item, sizeof shelf->free);
    } else {
        if (shelf->used == most || (!has_room(shelf) && !add_block(shelf)))
            return NULL;
        next = ++shelf->used;
        item = vv_shelf_at(shelf, next);
    }
    memset(item, 0, shelf->item_size);
    *number = next;
    return item;
}

void vv_shelf_give(struct vv_shelf *shelf, uint32_t number)
{
    unsigned char *item = vv_shelf_at(shelf, number);
    memcpy(item, &shelf->free, sizeof shelf->free);
    shelf->free = number;
    __asan_poison_memory_region(item, shelf->item_size);
}
