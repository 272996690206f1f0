/* moments.c - Compares the slots of an index with those implied by lists of
 * equal length.
 *
 * SPDX-License-Identifier: MIT
 */
#include "moments.h"

#include <string.h>

#include "allocator.h"

/* The elements at the same position of the two lists. */
struct pair {
    uint32_t owner; /* owner plus 1 */
    uint32_t name;
    uint32_t variable;
};

static uint32_t moments_edge_count(const struct vv_index *index, uint32_t node)
{
    uint32_t begin, end;
    vv_index_edges(index, node, &begin, &end);
    return end - begin;
}

static uint32_t child_called(
    const struct vv_index *index, uint32_t node, const char *name)
{
    uint32_t id = vv_index_find_name(index, name, strlen(name));
    return id == VV_NONE ? VV_NONE : vv_index_find_child(index, node, id);
}

/* Records the pairs implied by the list that has the name of a slot. Returns
 * the number of slots they imply. */
static uint32_t pair_up(const struct vv_index *index, struct pair *pairs,
    uint32_t owner, uint32_t name, uint32_t most)
{
    uint32_t begin, end;
    uint32_t trained = child_called(index, owner, VV_TRAINED_LIST);
    uint32_t list = vv_index_find_child(index, owner, name);
    if (trained == VV_NONE || list == VV_NONE ||
        moments_edge_count(index, list) > most ||
        moments_edge_count(index, list) != moments_edge_count(index, trained))
        return 0;
    vv_index_edges(index, list, &begin, &end);
    for (uint32_t e = begin; e < end; e++)
        pairs[vv_at32(index->edge_children, e)] = (struct pair){
            .owner = owner + 1,
            .name = name,
            .variable = vv_index_find_child(
                index, trained, vv_at32(index->edge_names, e)),
        };
    return end - begin;
}

/* Returns true if the slots of an owner are exactly the pairs of its lists. */
static bool are_pairs(const struct vv_index *index, struct pair *pairs,
    uint32_t owner, uint32_t begin, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t s = begin; s < end; s++) {
        const struct pair *pair = &pairs[vv_at32(index->slot_nodes, s)];
        uint32_t name = vv_at32(index->slot_names, s);
        /* The first slot of a list adds all pairs of that list. */
        if (pair->owner != owner + 1)
            count += pair_up(index, pairs, owner, name, end - begin);
        if (pair->owner != owner + 1 || pair->name != name ||
            pair->variable != vv_at32(index->slot_variables, s))
            return false;
    }
    return count == end - begin;
}

bool vv_moments_are_all(
    const struct vv_index *index, const varve_allocator *a, bool *all)
{
    size_t nodes = index->slot_count ? index->node_count : 0;
    struct pair *pairs = vv_allocate_zeroed(a, nodes * sizeof *pairs);
    if (nodes && !pairs)
        return false;
    *all = nodes > 0;
    for (uint32_t begin = 0, end; begin < index->slot_count && *all;
         begin = end) {
        uint32_t owner = vv_at32(index->slot_owners, begin);
        vv_index_slots(index, owner, &begin, &end);
        *all = are_pairs(index, pairs, owner, begin, end);
    }
    vv_release(a, pairs, nodes * sizeof *pairs);
    return true;
}
