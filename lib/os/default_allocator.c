/* default_allocator.c - realloc, free, and a hint to the kernel.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "default_allocator.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE_SIZE = 4096, LARGE_BLOCK = 4 << 20 };

/* Only the kernel's choice of page sizes changes, so that it does not matter
 * that the first and last page may be shared with other blocks, nor that the
 * hint stays when the block is gone; nor that it may fail. */
static void ask_for_huge_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    size_t before = (uintptr_t)block % PAGE_SIZE;
    (void)madvise((char *)block - before, before + size, MADV_HUGEPAGE);
#else
    (void)block;
    (void)size;
#endif
}

static void *allocate_by_realloc(
    void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    void *block = realloc(old, new_size);
    if (block && new_size >= LARGE_BLOCK)
        ask_for_huge_pages(block, new_size);
    return block;
}

varve_allocator vv_allocator_or_default(const varve_allocator *allocator)
{
    if (allocator && allocator->function)
        return *allocator;
    return (varve_allocator){ .function = allocate_by_realloc };
}
