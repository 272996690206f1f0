/* redundancy_group.c - Assigns ranks to groups, and passes bytes from rank to
 * rank within them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "redundancy_group.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "comm_collectives.h"
#include "failure.h"
#include "try.h"

/* --- Groups --------------------------------------------------------------- */

/* Assigns ranks to groups. */

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

/* --- Messages ------------------------------------------------------------- */

/* Implements a shift with the function of the communicator, or with gather and
 * broadcast. */

enum { TO, OUT_SIZE, WORDS };

/* The messages of all ranks, as each rank has them. */
struct post {
    const varve_comm *comm;
    const varve_allocator *allocator;
    uint64_t *words; /* WORDS numbers of each rank */
    uint64_t *sizes; /* bytes that each rank sends */
    unsigned char *bytes;
    uint64_t total;
};

static varve_status passing_reserve(struct post *p, varve_error *error)
{
    const uint32_t count = p->comm->size;
    p->words = vv_allocate_array(p->allocator, count, WORDS * sizeof(uint64_t));
    p->sizes = vv_allocate_array(p->allocator, count, sizeof(uint64_t));
    return p->words && p->sizes ? VARVE_OK
                                : vv_fail_memory(error, "messages of ranks");
}

static varve_status reserve_bytes(struct post *p, varve_error *error)
{
    for (uint32_t i = 0; i < p->comm->size; i++) {
        p->sizes[i] = p->words[WORDS * i + OUT_SIZE];
        p->total += p->sizes[i];
    }
    p->bytes = vv_allocate(p->allocator, (size_t)p->total);
    return p->bytes || p->total == 0
               ? VARVE_OK
               : vv_fail_memory(error, "messages of ranks");
}

static varve_status passing_collect(
    struct post *p, const varve_shift *shift, varve_error *error)
{
    const varve_comm *comm = p->comm;
    bool is_first = comm->rank == 0;
    varve_status status =
        comm->gather_varied(comm->self, shift->out, shift->out_size,
            is_first ? p->bytes : NULL, is_first ? p->sizes : NULL);
    if (status)
        return vv_comm_fail(comm, status, error);
    return vv_comm_bcast(comm, p->bytes, (size_t)p->total, error);
}

/* Copies the message for this rank. */
static varve_status passing_take(
    const struct post *p, const varve_shift *shift, varve_error *error)
{
    const unsigned char *at = p->bytes;
    if (shift->in_size == 0)
        return VARVE_OK;
    for (uint32_t i = 0; i < p->comm->size; at += p->sizes[i++]) {
        if (i != shift->from)
            continue;
        if (p->words[WORDS * i + TO] != p->comm->rank ||
            p->sizes[i] != shift->in_size)
            break;
        memcpy(shift->in, at, shift->in_size);
        return VARVE_OK;
    }
    return vv_fail(error, VARVE_MISUSE,
        "rank %u: received other bytes than those of rank %u", p->comm->rank,
        shift->from);
}

static varve_status post(
    struct post *p, const varve_shift *shift, varve_error *error)
{
    const uint64_t words[WORDS] = { shift->to, shift->out_size };
    VV_TRY(vv_agree(p->comm, passing_reserve(p, error), error));
    VV_TRY(vv_comm_allgather(p->comm, words, sizeof words, p->words, error));
    VV_TRY(vv_agree(p->comm, reserve_bytes(p, error), error));
    VV_TRY(passing_collect(p, shift, error));
    return vv_agree(p->comm, passing_take(p, shift, error), error);
}

varve_status vv_pass(const varve_comm *comm, const varve_allocator *allocator,
    const varve_shift *shift, varve_error *error)
{
    if (comm->shift) {
        varve_status status = comm->shift(comm->self, shift);
        return status ? vv_comm_fail(comm, status, error) : VARVE_OK;
    }
    struct post p = { .comm = comm, .allocator = allocator };
    varve_status status = post(&p, shift, error);
    vv_release(allocator, p.bytes, p.bytes ? (size_t)p.total : 0);
    vv_release(allocator, p.sizes, p.sizes ? comm->size * sizeof *p.sizes : 0);
    vv_release(
        allocator, p.words, p.words ? comm->size * WORDS * sizeof *p.words : 0);
    return status;
}

uint32_t vv_member_after(
    const struct vv_redundancy_group *group, uint32_t index)
{
    return (index + 1) % group->count;
}

uint32_t vv_member_before(
    const struct vv_redundancy_group *group, uint32_t index)
{
    return (index + group->count - 1) % group->count;
}

/* In each step a member sends on what it received in the previous one. */
varve_status vv_pass_around(const varve_comm *comm,
    const varve_allocator *allocator, const struct vv_redundancy_group *group,
    void *all, size_t size, varve_error *error)
{
    unsigned char *at = all;
    uint32_t index = group->index;
    for (uint32_t i = 1; i < group->most; i++) {
        varve_shift shift = { 0 };
        uint32_t before = vv_member_before(group, index);
        if (i < group->count)
            shift = (varve_shift){
                .out = at + index * size,
                .out_size = size,
                .in = at + before * size,
                .in_size = size,
                .to = group->ranks[vv_member_after(group, group->index)],
                .from = group->ranks[vv_member_before(group, group->index)],
            };
        VV_TRY(vv_pass(comm, allocator, &shift, error));
        index = before;
    }
    return VARVE_OK;
}
