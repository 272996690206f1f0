/* own_part.c - which children of a private node are this process's.
 *
 * SPDX-License-Identifier: MIT
 */
#include "own_part.h"

#include <string.h>

#include "allocator.h"
#include "binding.h"
#include "private.h"

uint32_t vv_own_count(const struct vv_pairing *p, uint32_t file)
{
    uint32_t begin, end;
    vv_index_edges(vv_index_of(p), file, &begin, &end);
    return end - begin;
}

bool vv_own_fits(
    const struct vv_pairing *p, const varve_node *node, uint32_t file)
{
    const struct vv_private *private = vv_private_of(node);
    return !private || private->size == vv_own_count(p, file);
}

bool vv_own_is_cut(const struct vv_pairing *p, const varve_node *node)
{
    uint32_t file =
        vv_private_of(node) && p->vias ? vv_file_node_of(p, node) : VV_NONE;
    return file != VV_NONE && p->vias[node->number].is_renamed &&
           !vv_own_fits(p, node, file);
}

/* --- What is not below it ------------------------------------------------- */

struct reaching {
    const struct vv_index *index;
    uint8_t *is_reached;
    uint32_t *queue;
    uint32_t count;
};

static void reach(struct reaching *r, uint32_t node)
{
    if (r->is_reached[node])
        return;
    r->is_reached[node] = 1;
    r->queue[r->count++] = node;
}

static bool is_named(
    const struct vv_index *index, uint32_t edge, const char *name)
{
    size_t size;
    const char *bytes =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    return name && size == strlen(name) && memcmp(bytes, name, size) == 0;
}

static void reach_edges(struct reaching *r, uint32_t file, const char *name)
{
    reach(r, 0);
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t node = r->queue[i], begin, end;
        vv_index_edges(r->index, node, &begin, &end);
        for (uint32_t e = begin; e < end; e++) {
            if (node != file || is_named(r->index, e, name))
                reach(r, vv_at32(r->index->edge_children, e));
        }
    }
}

/* The variables of slots are reached by edges. */
static void reach_slots(struct reaching *r)
{
    for (uint32_t i = 0; i < r->index->slot_count; i++) {
        if (r->is_reached[vv_at32(r->index->slot_owners, i)] &&
            r->is_reached[vv_at32(r->index->slot_variables, i)])
            reach(r, vv_at32(r->index->slot_nodes, i));
    }
}

bool vv_own_reach(const struct vv_pairing *p, uint32_t file, const char *name,
    uint8_t *is_reached)
{
    struct reaching r = { .index = vv_index_of(p), .is_reached = is_reached };
    size_t size = r.index->node_count * sizeof *r.queue;
    r.queue = vv_allocate(&p->context.allocator, size);
    if (!r.queue)
        return false;
    memset(is_reached, 0, r.index->node_count);
    reach_edges(&r, file, name);
    reach_slots(&r);
    vv_release(&p->context.allocator, r.queue, size);
    return true;
}
