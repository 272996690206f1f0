/* value_pages.c - regions of 16 MiB that are cut from their beginning, and
 * given back piece by piece; larger values have regions of their own.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "value_pages.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20, REGION = 16 << 20 };

/* --- Huge pages --------------------------------------------------------- */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Only the kernel's choice of page sizes changes, so that it does not matter
 * that the first and last page may be shared with other blocks, nor that the
 * hint stays when the block is gone; nor that it may fail. */
void vv_ask_for_huge_pages(void *block, size_t size)
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

/* Where the next value goes: the region is all from there to the next multiple
 * of its size. 0: there is none. Whoever exchanges it has it for himself. */
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

/* 0 without memory. */
static uintptr_t map_anywhere(size_t size)
{
    void *found = mmap(
        NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return found == MAP_FAILED ? 0 : (uintptr_t)found;
}

/* What is too much on both sides goes back at once. */
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
    vv_ask_for_huge_pages((void *)(found + before), size);
    return found + before;
}

/* Others may have put back theirs meanwhile, which is given up then. */
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
    if (!place) /* that much more may be too much */
        place = map_anywhere(size);
    return (void *)place;
}

void vv_value_unmap(void *value, size_t size)
{
    assert((uintptr_t)value % page_size() == 0); /* or it is not from here */
    value_pages_give_back((uintptr_t)value, value_pages_rounded(size));
}

/* Of the runtimes of address and leak sanitizers. */
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
