/* redundancy_group.c - Assigns ranks to groups.
 *
 * SPDX-License-Identifier: MIT
 */
#include "redundancy_group.h"

#include <stdlib.h>

#include "allocator.h"
#include "failure.h"

struct candidate {
    uint32_t domain;
    uint32_t rank;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->domain != y->domain)
        return x->domain < y->domain ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Returns the largest number of ranks that fail together, and sets *begin to
 * the first of them. */
static uint32_t find_largest_node(
    const struct candidate *candidates, uint32_t size, uint32_t *begin)
{
    uint32_t most = 0;
    for (uint32_t i = 0, first = 0; i < size; i++) {
        if (candidates[i].domain != candidates[first].domain)
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
static uint32_t count_groups(
    uint32_t size, uint32_t group_size, uint32_t largest)
{
    uint32_t count = size / group_size;
    return count > largest ? count : largest;
}

static void assign_ranks(struct vv_redundancy_group *group,
    const struct candidate *candidates, const uint32_t rank_and_size[2],
    uint32_t groups)
{
    uint32_t own = 0, size = rank_and_size[1];
    while (candidates[own].rank != rank_and_size[0])
        own++;
    group->count = 0;
    group->index = own / groups;
    group->most = size / groups + (size % groups > 0);
    for (uint32_t i = own % groups; i < size; i += groups)
        group->ranks[group->count++] = candidates[i].rank;
}

varve_status vv_redundancy_group_of(struct vv_redundancy_group *group,
    const uint32_t *domains, const uint32_t rank_and_size[2],
    uint32_t group_size, const varve_allocator *allocator, varve_error *error)
{
    uint32_t size = rank_and_size[1], begin = 0;
    struct candidate *candidates =
        vv_allocate_array(allocator, size, sizeof *candidates);
    varve_status status = VARVE_OK;
    if (!candidates)
        return vv_fail_memory(error, "a group of ranks");
    for (uint32_t i = 0; i < size; i++)
        candidates[i] = (struct candidate){ .domain = domains[i], .rank = i };
    qsort(candidates, size, sizeof *candidates, compare_candidates);
    uint32_t largest = find_largest_node(candidates, size, &begin);
    if (largest > size / 2)
        status = vv_fail(error, VARVE_MISUSE,
            "redundancy: a node may run at most half of the %u rank%s, but %u "
            "%s on node %u",
            size, vv_plural_s(size), largest, largest == 1 ? "runs" : "run",
            candidates[begin].domain);
    else
        assign_ranks(group, candidates, rank_and_size,
            count_groups(size, group_size, largest));
    vv_release(allocator, candidates, size * sizeof *candidates);
    return status;
}
