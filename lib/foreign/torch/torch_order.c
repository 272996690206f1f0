/* torch_order.c - Finds positions by following the entries of an optimizer's
 * state to their slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_order.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "name.h"

/* Sets the position plus 1 of all nodes in the entry of an edge. */
static void mark_entry(
    const struct vv_index *index, uint32_t edge, uint32_t *room)
{
    uint32_t begin, end;
    uint64_t position;
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    if (!vv_parse_decimal(name, size, &position) || position >= UINT32_MAX)
        return;
    vv_index_edges(index, vv_at32(index->edge_children, edge), &begin, &end);
    for (; begin < end; begin++)
        room[vv_at32(index->edge_children, begin)] = (uint32_t)position + 1;
}

uint32_t vv_torch_child(
    const struct vv_index *index, uint32_t node, const char *name)
{
    uint32_t number = vv_index_find_name(index, name, strlen(name));
    return number == VV_NONE ? VV_NONE
                             : vv_index_find_child(index, node, number);
}

static void mark_state(
    const struct vv_index *index, uint32_t owner, uint32_t *room)
{
    uint32_t state = vv_torch_child(index, owner, "state");
    uint32_t begin, end;
    if (state == VV_NONE)
        return;
    vv_index_edges(index, state, &begin, &end);
    for (; begin < end; begin++)
        mark_entry(index, begin, room);
}

varve_status vv_torch_order(
    const struct vv_target *target, uint32_t *positions, varve_error *error)
{
    const struct vv_index *index = target->index;
    const varve_allocator *a = &target->context->allocator;
    uint32_t owner = VV_NONE;
    size_t size = index->node_count * sizeof(uint32_t);
    uint32_t *room = vv_allocate_zeroed(a, size);
    if (!room)
        return vv_fail_memory(error, "the order of parameters");
    for (uint32_t i = 0; i < index->slot_count; i++) {
        uint32_t variable = vv_at32(index->slot_variables, i);
        if (vv_at32(index->slot_owners, i) != owner) {
            owner = vv_at32(index->slot_owners, i);
            mark_state(index, owner, room);
        }
        if (!positions[variable])
            positions[variable] = room[vv_at32(index->slot_nodes, i)];
    }
    vv_release(a, room, size);
    return VARVE_OK;
}
