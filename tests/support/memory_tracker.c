/* memory_tracker.c - Tracks writes by keeping copies of ranges from the time at
 * which they were armed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/memory_tracker.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <criterion/criterion.h>

struct memory_tracker {
    struct memory_tracker *next;
    int tracker;
    unsigned char *address;
    size_t size;
    bool is_armed;
    _Alignas(8) unsigned char bytes[];
};

static struct memory_tracker **find(struct memory_tracker **list, int tracker,
    const void *address, size_t size)
{
    while (*list && ((*list)->tracker != tracker ||
                        (*list)->address != address || (*list)->size != size))
        list = &(*list)->next;
    return list;
}

static void drop(struct memory_tracker **place)
{
    struct memory_tracker *next = (*place)->next;
    free(*place);
    *place = next;
}

int memory_track(
    struct memory_tracker **list, int tracker, void *address, size_t size)
{
    struct memory_tracker **place = find(list, tracker, address, size);
    if ((uintptr_t)address % VV_PAGE_SIZE || size % VV_PAGE_SIZE || !size)
        return -EINVAL;
    if (!*place)
        *place = calloc(1, sizeof **place + size);
    cr_assert(*place, "the machine is out of memory");
    (*place)->tracker = tracker;
    (*place)->address = address;
    (*place)->size = size;
    return 0;
}

int memory_untrack(
    struct memory_tracker **list, int tracker, void *address, size_t size)
{
    struct memory_tracker **place = find(list, tracker, address, size);
    if (*place)
        drop(place);
    return 0;
}

__attribute__((no_sanitize("address")))
static bool is_same(const void *now, const void *then)
{
    const volatile uint64_t *bytes = now;
    const uint64_t *older = then;
    for (size_t i = 0; i < VV_PAGE_SIZE / 8; i++)
        if (bytes[i] != older[i])
            return false;
    return true;
}

/* The memory may have been freed; a kernel tolerates that too. */
static bool is_written(const struct memory_tracker *range, size_t at)
{
    return !range->is_armed ||
           msync(range->address + at, VV_PAGE_SIZE, MS_ASYNC) ||
           !is_same(range->address + at, range->bytes + at);
}

static void tell(const struct memory_tracker *range, vv_each_run *each,
    void *user)
{
    for (size_t at = 0; at < range->size; at += VV_PAGE_SIZE) {
        if (is_written(range, at))
            each(user, range->address + at, VV_PAGE_SIZE);
    }
}

/* Bytes of freed memory may be copied, but are not used. */
__attribute__((no_sanitize("address")))
static void take(struct memory_tracker *range, size_t at)
{
    const void *now = range->address + at;
    const volatile uint64_t *bytes = now;
    uint64_t *copy = (void *)(range->bytes + at);
    if (msync(range->address + at, VV_PAGE_SIZE, MS_ASYNC))
        return;
    for (size_t i = 0; i < VV_PAGE_SIZE / 8; i++)
        copy[i] = bytes[i];
}

int memory_each_written(struct memory_tracker *list, int tracker,
    void *address, size_t size, vv_each_run *each, void *user)
{
    const struct memory_tracker *range = *find(&list, tracker, address, size);
    if (range)
        tell(range, each, user);
    else
        each(user, address, size);
    return 0;
}

int memory_arm(struct memory_tracker *list, int tracker, void *address,
    size_t size, vv_each_run *each, void *user)
{
    struct memory_tracker *range = *find(&list, tracker, address, size);
    if (!range)
        return -EPERM;
    tell(range, each, user);
    for (size_t at = 0; at < range->size; at += VV_PAGE_SIZE)
        take(range, at);
    range->is_armed = true;
    return 0;
}

void memory_track_nothing(struct memory_tracker **list, int tracker)
{
    while (*list) {
        if (tracker < 0 || (*list)->tracker == tracker)
            drop(list);
        else
            list = &(*list)->next;
    }
}
