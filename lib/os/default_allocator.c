/* default_allocator.c - Allocates with malloc, and large values with mmap in
 * huge pages.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "default_allocator.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "allocator.h"

/* --- Pages of values ------------------------------------------------------ */

/* Allocates values from regions of 16 MiB, from the beginning of each, and
 * unmaps them separately. Large values have regions of their own. */

enum { HUGE_PAGE = 2 << 20, REGION = 16 << 20 };

/* --- Huge pages --------------------------------------------------------- */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Only the page size changes, so it does no harm that the first and last page
 * can contain other blocks, that the advice remains after the block is freed,
 * or that the call can fail. */
void vv_advise_huge_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    size_t before = (uintptr_t)block % page_size();
    (void)madvise((char *)block - before, before + size, MADV_HUGEPAGE);
#else
    (void)block;
    (void)size;
#endif
}

/* --- Regions ------------------------------------------------------------ */

#ifdef __linux__

/* Address of the next value. The region extends from there to the next multiple
 * of its size. 0: none. A thread owns the region while it has exchanged this
 * for 0. */
static atomic_uintptr_t next_place;

static size_t value_pages_rounded(size_t size)
{
    size_t page = page_size();
    return (size + page - 1) / page * page;
}

static void value_pages_give_back(uintptr_t place, size_t size)
{
    if (size > 0)
        munmap((void *)place, size);
}

static size_t left_from(uintptr_t place)
{
    return (size_t)(-place & (REGION - 1));
}

/* Returns 0 if there is no memory. */
static uintptr_t map_anywhere(size_t size)
{
    void *found = mmap(
        NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return found == MAP_FAILED ? 0 : (uintptr_t)found;
}

/* Unmaps the excess on both sides. */
static uintptr_t map_at_multiple(size_t size, size_t alignment)
{
    if (size > SIZE_MAX - alignment)
        return 0;
    uintptr_t found = map_anywhere(size + alignment);
    if (!found)
        return 0;
    size_t before = (size_t)(-found & (alignment - 1));
    value_pages_give_back(found, before);
    value_pages_give_back(found + before + size, alignment - before);
    vv_advise_huge_pages((void *)(found + before), size);
    return found + before;
}

/* Puts back a region. If another thread has put back one meanwhile, unmaps that
 * one. */
static void value_pages_put_back(uintptr_t place)
{
    if (left_from(place) == 0)
        return;
    uintptr_t older = atomic_exchange(&next_place, place);
    value_pages_give_back(older, left_from(older));
}

static uintptr_t value_pages_cut(size_t size)
{
    uintptr_t place = atomic_exchange(&next_place, 0);
    if (left_from(place) < size) {
        value_pages_give_back(place, left_from(place));
        place = map_at_multiple(REGION, REGION);
    }
    if (place)
        value_pages_put_back(place + size);
    return place;
}

void *vv_value_map(size_t size)
{
    uintptr_t place;
    if (size > SIZE_MAX - page_size())
        return NULL;
    size = value_pages_rounded(size);
    place = size > REGION / 2 ? map_at_multiple(size, HUGE_PAGE)
                              : value_pages_cut(size);
    if (!place) /* without alignment, because the excess can exceed a limit */
        place = map_anywhere(size);
    return (void *)place;
}

void vv_value_unmap(void *value, size_t size)
{
    /* otherwise it was not allocated here */
    assert((uintptr_t)value % page_size() == 0);
    value_pages_give_back((uintptr_t)value, value_pages_rounded(size));
}

/* Defined in the runtimes of the address and leak sanitizers. */
extern void __lsan_do_leak_check(void) __attribute__((weak));

bool vv_has_value_pages(void)
{
    return __lsan_do_leak_check == NULL;
}
#else
void *vv_value_map(size_t size)
{
    (void)size;
    return NULL;
}

void vv_value_unmap(void *value, size_t size)
{
    (void)value;
    (void)size;
}

bool vv_has_value_pages(void)
{
    return false;
}
#endif

/* --- The allocator -------------------------------------------------------- */

/* Allocates with malloc, and large values with mmap. */

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
