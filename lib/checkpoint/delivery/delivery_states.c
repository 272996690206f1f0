/* delivery_states.c - Stores a byte for each value, and checks the transitions
 * between states.
 *
 * SPDX-License-Identifier: MIT
 */
#include "delivery_states.h"

#include <assert.h>

#include "allocator.h"
#include "index.h"

bool vv_delivery_states_begin(struct vv_delivery_states *delivery_states,
    const varve_allocator *allocator, const struct vv_index *index)
{
    *delivery_states = (struct vv_delivery_states){
        .of = vv_allocate_zeroed(allocator, index->value_count),
        .allocator = allocator,
        .value_count = index->value_count,
        .node_count = index->node_count,
        .index = index,
    };
    for (uint32_t v = 0; v < index->value_count; v++)
        delivery_states->pending += vv_index_is_saved(index, v);
    return index->value_count == 0 || delivery_states->of;
}

void vv_delivery_states_end(struct vv_delivery_states *delivery_states)
{
    if (!delivery_states->allocator)
        return;
    vv_release(delivery_states->allocator, delivery_states->of,
        delivery_states->value_count);
    vv_release(delivery_states->allocator, delivery_states->dropped,
        delivery_states->node_count * sizeof *delivery_states->dropped);
}

/* --- Changes ------------------------------------------------------------ */

#define TO(delivery_state) (1u << VV_DELIVERY_STATE_##delivery_state)

/* The states that vv_decide can set for a value that was not delivered. */
#define DECIDED (TO(DUE) | TO(EXCLUDED) | TO(SUPERSEDED) | TO(MISMATCHED))

/* The allowed transitions, as in docs/developers/architecture.md. */
static const unsigned may_follow[] = {
    [VV_DELIVERY_STATE_WAITING] = DECIDED | TO(DROPPED),
    [VV_DELIVERY_STATE_DUE] = DECIDED | TO(WAITING) | TO(APPLIED) | TO(LENT) |
                              TO(DROPPED) | TO(DAMAGED),
    [VV_DELIVERY_STATE_APPLIED] = TO(DUE),
    [VV_DELIVERY_STATE_LENT] = TO(DUE) | TO(WAITING) | TO(APPLIED),
    [VV_DELIVERY_STATE_SUPERSEDED] = TO(DUE),
    [VV_DELIVERY_STATE_EXCLUDED] = DECIDED | TO(WAITING),
    [VV_DELIVERY_STATE_MISMATCHED] = DECIDED | TO(WAITING) | TO(DROPPED),
    [VV_DELIVERY_STATE_DROPPED] = TO(DUE),
    [VV_DELIVERY_STATE_DAMAGED] = TO(DUE),
};

enum { OPEN = 1, GIVEN_UP = 2 }; /* vv_is_open, vv_is_given_up */

static const uint8_t properties[] = {
    [VV_DELIVERY_STATE_WAITING] = OPEN,
    [VV_DELIVERY_STATE_DUE] = OPEN,
    [VV_DELIVERY_STATE_DROPPED] = GIVEN_UP,
    [VV_DELIVERY_STATE_DAMAGED] = GIVEN_UP,
};

void vv_change_delivery_state(struct vv_delivery_states *delivery_states,
    uint32_t value, enum vv_delivery_state delivery_state)
{
    assert(delivery_states->of[value] == delivery_state ||
           (may_follow[delivery_states->of[value]] & 1u << delivery_state));
    (void)may_follow; /* unused without assertions */
    const unsigned now = properties[delivery_state];
    const unsigned changed = properties[delivery_states->of[value]] ^ now;
    delivery_states->of[value] = (uint8_t)delivery_state;
    if ((changed & OPEN) && vv_index_is_saved(delivery_states->index, value))
        delivery_states->pending += now & OPEN ? 1u : (uint32_t)-1;
    if (changed & GIVEN_UP)
        delivery_states->given_up_changes++;
}

bool vv_is_pending(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return vv_is_open(delivery_states, value) &&
           vv_index_is_saved(delivery_states->index, value);
}

/* --- Nodes without values ----------------------------------------------- */

bool vv_reserve_dropped(struct vv_delivery_states *delivery_states)
{
    if (!delivery_states->dropped)
        delivery_states->dropped =
            vv_allocate_zeroed(delivery_states->allocator,
                delivery_states->node_count * sizeof *delivery_states->dropped);
    return delivery_states->dropped;
}

bool vv_is_dropped(
    const struct vv_delivery_states *delivery_states, uint32_t file)
{
    return delivery_states->dropped && delivery_states->dropped[file];
}

void vv_set_dropped(
    struct vv_delivery_states *delivery_states, uint32_t file, bool is_dropped)
{
    delivery_states->dropped[file] = is_dropped;
}
