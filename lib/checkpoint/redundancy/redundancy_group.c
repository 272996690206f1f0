/* redundancy_group.c - Assigns ranks to groups.
 *
 * SPDX-License-Identifier: MIT
 */
#include "redundancy_group.h"

#include <stdlib.h>

#include "allocator.h"
#include "failure.h"

struct card {
    uint32_t domain;
    uint32_t rank;
};

static int compare_cards(const void *a, const void *b)
{
    const struct card *x = a, *y = b;
    if (x->domain != y->domain)
        return x->domain < y->domain ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Returns the largest number of ranks that fail together, and sets *begin to
 * the first of them. */
static uint32_t find_crowd(
    const struct card *cards, uint32_t size, uint32_t *begin)
{
    uint32_t most = 0;
    for (uint32_t i = 0, first = 0; i < size; i++) {
        if (cards[i].domain != cards[first].domain)
            first = i;
        if (i - first + 1 > most) {
            most = i - first + 1;
            *begin = first;
        }
    }
    return most;
}

/* Returns the number of groups. There are at least as many as the largest node
 * has ranks, so that these are in different groups. */
static uint32_t count_groups(uint32_t size, uint32_t group_size, uint32_t crowd)
{
    uint32_t count = size / group_size;
    return count > crowd ? count : crowd;
}

static void deal(struct vv_redundancy_group *group, const struct card *cards,
    const uint32_t rank_and_size[2], uint32_t groups)
{
    uint32_t own = 0, size = rank_and_size[1];
    while (cards[own].rank != rank_and_size[0])
        own++;
    group->count = 0;
    group->index = own / groups;
    group->most = size / groups + (size % groups > 0);
    for (uint32_t i = own % groups; i < size; i += groups)
        group->ranks[group->count++] = cards[i].rank;
}

varve_status vv_redundancy_group_of(struct vv_redundancy_group *group,
    const uint32_t *domains, const uint32_t rank_and_size[2],
    uint32_t group_size, const varve_allocator *allocator, varve_error *error)
{
    uint32_t size = rank_and_size[1], begin = 0;
    struct card *cards = vv_allocate_array(allocator, size, sizeof *cards);
    varve_status status = VARVE_OK;
    if (!cards)
        return vv_fail_memory(error, "a group of ranks");
    for (uint32_t i = 0; i < size; i++)
        cards[i] = (struct card){ .domain = domains[i], .rank = i };
    qsort(cards, size, sizeof *cards, compare_cards);
    uint32_t crowd = find_crowd(cards, size, &begin);
    if (crowd > size / 2)
        status = vv_fail(error, VARVE_MISUSE,
            "redundancy: a node may run at most half of the %u ranks, but %u "
            "run on node %u",
            size, crowd, cards[begin].domain);
    else
        deal(
            group, cards, rank_and_size, count_groups(size, group_size, crowd));
    vv_release(allocator, cards, size * sizeof *cards);
    return status;
}
