/* torch_order.c - from the entries of a state to what they are slots of.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_order.h"

#include "name.h"

/* What is in the entry of a position is marked with it. */
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

static void mark_state(
    const struct vv_torch_forms *f, uint32_t optimizer, uint32_t *room)
{
    const struct vv_index *index = f->target->index;
    uint32_t state = vv_torch_child(f, optimizer, "state");
    uint32_t begin, end;
    if (state == VV_NONE)
        return;
    vv_index_edges(index, state, &begin, &end);
    for (; begin < end; begin++)
        mark_entry(index, begin, room);
}

void vv_torch_order(
    const struct vv_torch_forms *f, uint32_t *positions, uint32_t *room)
{
    const struct vv_index *index = f->target->index;
    uint32_t owner = VV_NONE, variable = VV_NONE, count = 0;
    bool has_state = false;
    for (uint32_t i = 0; i < index->slot_count; i++) {
        if (vv_at32(index->slot_owners, i) != owner) {
            owner = vv_at32(index->slot_owners, i);
            variable = VV_NONE;
            count = 0;
            has_state = vv_torch_child(f, owner, "state") != VV_NONE;
            mark_state(f, owner, room);
        }
        if (vv_at32(index->slot_variables, i) != variable)
            count++;
        variable = vv_at32(index->slot_variables, i);
        if (!positions[variable])
            positions[variable] =
                has_state ? room[vv_at32(index->slot_nodes, i)] : count;
    }
}
