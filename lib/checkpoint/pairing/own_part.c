/* own_part.c - Finds the children of a rank-local node that belong to this
 * process.
 *
 * SPDX-License-Identifier: MIT
 */
#include "own_part.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"

uint32_t vv_own_count(const struct vv_index *index, uint32_t file)
{
    uint32_t begin, end;
    vv_index_edges(index, file, &begin, &end);
    return end - begin;
}

bool vv_own_size_fits(const struct vv_index *index,
    const struct vv_private *private, uint32_t file)
{
    return private->size == vv_own_count(index, file) &&
           !(private->options.always && private->options.merge);
}

bool vv_own_is_renamed(const struct vv_matches *matches,
    const struct vv_visited_paths *ways, const struct vv_index *index,
    const varve_node *node)
{
    uint32_t file = vv_file_node_of(matches, node);
    return file != VV_NONE && vv_is_renamed(ways, node) &&
           !vv_own_fits(index, node, file);
}

/* --- What is not below it ------------------------------------------------- */

enum { NOT_YET = UINT8_MAX };

struct reaching {
    const struct vv_index *index;
    const struct vv_own_cut *cuts;
    size_t cut_count;
    uint8_t *why;
    uint32_t *queue;
    uint32_t count;
    uint32_t next; /* position in the queue */
};

static void own_part_reach(struct reaching *r, uint32_t node, uint8_t why)
{
    if (r->why[node] != NOT_YET)
        return;
    r->why[node] = why;
    r->queue[r->count++] = node;
}

static int compare_cuts(const void *left, const void *right)
{
    const struct vv_own_cut *a = left, *b = right;
    return (a->file > b->file) - (a->file < b->file);
}

static const struct vv_own_cut *find_cut(const struct reaching *r, uint32_t at)
{
    const struct vv_own_cut key = { .file = at };
    return bsearch(&key, r->cuts, r->cut_count, sizeof key, compare_cuts);
}

/* Follows the edges of all reached nodes and passes on the reason of each. */
static void reach_on(struct reaching *r)
{
    while (r->next < r->count) {
        uint32_t node = r->queue[r->next++], begin, end;
        const struct vv_own_cut *cut = r->why[node] ? NULL : find_cut(r, node);
        vv_index_edges(r->index, node, &begin, &end);
        for (uint32_t e = begin; e < end; e++) {
            uint32_t child = vv_at32(r->index->edge_children, e);
            if (!cut || child == cut->kept)
                own_part_reach(r, child, r->why[node]);
        }
    }
}

static void reach_cut(struct reaching *r, const struct vv_own_cut *cut)
{
    uint32_t begin, end;
    vv_index_edges(r->index, cut->file, &begin, &end);
    for (uint32_t e = begin; e < end; e++)
        own_part_reach(r, vv_at32(r->index->edge_children, e), cut->why);
    reach_on(r);
}

/* Marks slots whose owner or variable is excluded. The variables of slots are
 * reached by edges. */
static void own_part_reach_slots(struct reaching *r)
{
    for (uint32_t i = 0; i < r->index->slot_count; i++) {
        uint8_t owner = r->why[vv_at32(r->index->slot_owners, i)];
        uint8_t variable = r->why[vv_at32(r->index->slot_variables, i)];
        own_part_reach(
            r, vv_at32(r->index->slot_nodes, i), owner ? owner : variable);
    }
}

bool vv_own_reach(const struct vv_index *index, const varve_allocator *a,
    struct vv_own_cut *cuts, size_t count, uint8_t *why)
{
    struct reaching r = { index, cuts, count, why, NULL, 0, 0 };
    size_t size = r.index->node_count * sizeof *r.queue;
    r.queue = vv_allocate(a, size);
    if (!r.queue)
        return false;
    qsort(cuts, count, sizeof *cuts, compare_cuts);
    memset(why, NOT_YET, r.index->node_count);
    own_part_reach(&r, 0, 0);
    reach_on(&r);
    for (size_t i = 0; i < count; i++)
        reach_cut(&r, &cuts[i]);
    own_part_reach_slots(&r);
    for (uint32_t i = 0; i < r.index->node_count; i++) {
        if (why[i] == NOT_YET) /* not reachable by any edge */
            why[i] = cuts->why;
    }
    vv_release(a, r.queue, size);
    return true;
}
