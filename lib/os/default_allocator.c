/* default_allocator.c - Allocates with malloc, and large values with mmap.
 *
 * SPDX-License-Identifier: MIT
 */
#include "default_allocator.h"

#include <stdlib.h>

#include "allocator.h"
#include "value_pages.h"

enum { LARGE_BLOCK = 4 << 20 };

static void *default_allocator_resize(void *old, size_t size)
{
    if (size == 0) {
        free(old);
        return NULL;
    }
    void *block = realloc(old, size);
    if (block && size >= LARGE_BLOCK)
        vv_advise_huge_pages(block, size);
    return block;
}

varve_allocator vv_allocator_or_default(const varve_allocator *allocator)
{
    static const struct vv_memory blocks = { .resize =
                                                 default_allocator_resize };
    static const struct vv_memory pages = { .resize = default_allocator_resize,
        .map = vv_value_map,
        .unmap = vv_value_unmap };
    if (allocator && allocator->function)
        return *allocator;
    return (varve_allocator){ .function = vv_allocate_own,
        .user = (void *)(vv_has_value_pages() ? &pages : &blocks) };
}
