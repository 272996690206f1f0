/* number_sort.c - Sorts numbers by merging.
 *
 * SPDX-License-Identifier: MIT
 */
#include "number_sort.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

struct sorting {
    number_order *is_before;
    const void *user;
    uint32_t *aside; /* room for the first half of a range */
};

/* Merges two sorted ranges. */
static void merge(
    const struct sorting *s, uint32_t *numbers, size_t middle, size_t count)
{
    size_t a = 0, b = middle, to = 0;
    if (!s->is_before(s->user, numbers[middle], numbers[middle - 1]))
        return;
    memcpy(s->aside, numbers, middle * sizeof *numbers);
    while (a < middle)
        numbers[to++] =
            b < count && s->is_before(s->user, numbers[b], s->aside[a])
                ? numbers[b++]
                : s->aside[a++];
}

static void sort(const struct sorting *s, uint32_t *numbers, size_t count)
{
    size_t middle = count / 2;
    if (count < 2)
        return;
    sort(s, numbers, middle);
    sort(s, numbers + middle, count - middle);
    merge(s, numbers, middle, count);
}

void number_sort(
    uint32_t *numbers, size_t count, number_order *is_before, const void *user)
{
    struct sorting s = { is_before, user,
        memory_allocate(count / 2, sizeof *s.aside) };
    sort(&s, numbers, count);
    free(s.aside);
}
