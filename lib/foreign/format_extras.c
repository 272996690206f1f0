/* format_extras.c - Stores items sorted by node, and the bytes of all items in
 * one buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "format_extras.h"

#include <stdlib.h>

#include "index.h"

static struct vv_kept_item *items_of(const struct vv_kept *kept, size_t *count)
{
    *count = kept->items.size / sizeof(struct vv_kept_item);
    return (struct vv_kept_item *)(void *)kept->items.data;
}

void vv_kept_init(struct vv_kept *kept, const varve_allocator *allocator)
{
    vv_buffer_init(&kept->items, allocator);
    vv_buffer_init(&kept->bytes, allocator);
}

void vv_kept_clear(struct vv_kept *kept)
{
    vv_buffer_clear(&kept->items);
    vv_buffer_clear(&kept->bytes);
}

void vv_kept_add(
    struct vv_kept *kept, uint32_t node, const void *bytes, size_t size)
{
    struct vv_kept_item item = { node, (uint32_t)size, kept->bytes.size };
    vv_buffer_add(&kept->bytes, bytes, size);
    vv_buffer_add(&kept->items, &item, sizeof item);
}

static int format_extras_compare(const void *left, const void *right)
{
    const struct vv_kept_item *a = left, *b = right;
    return (a->node > b->node) - (a->node < b->node);
}

void vv_kept_number(struct vv_kept *kept, const uint32_t *numbers)
{
    size_t count, left = 0;
    struct vv_kept_item *items = items_of(kept, &count);
    for (size_t i = 0; i < count; i++) {
        struct vv_kept_item item = items[i];
        item.node = numbers[item.node];
        if (item.node != VV_NONE)
            items[left++] = item;
    }
    kept->items.size = left * sizeof *items;
    if (left > 0)
        qsort(items, left, sizeof *items, format_extras_compare);
}

const unsigned char *vv_kept_find(
    const struct vv_kept *kept, uint32_t node, size_t *size)
{
    size_t count;
    const struct vv_kept_item key = { .node = node };
    const struct vv_kept_item *items = items_of(kept, &count);
    const struct vv_kept_item *item =
        count
            ? bsearch(&key, items, count, sizeof *items, format_extras_compare)
            : NULL;
    *size = item ? item->size : 0;
    return item ? kept->bytes.data + item->at : NULL;
}

void vv_kept_move(
    struct vv_kept *to, struct vv_kept *from, const varve_allocator *allocator)
{
    to->format = from->format;
    vv_buffer_move(&to->items, &from->items, allocator);
    vv_buffer_move(&to->bytes, &from->bytes, allocator);
}
