/* fates.c - a byte for each value, and the table of what may follow what.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fates.h"

#include <assert.h>

#include "allocator.h"

bool vv_fates_begin(struct vv_fates *fates, const varve_allocator *allocator,
    uint32_t value_count, uint32_t node_count)
{
    *fates = (struct vv_fates){
        .of = vv_allocate_zeroed(allocator, value_count),
        .allocator = allocator,
        .value_count = value_count,
        .node_count = node_count,
    };
    return value_count == 0 || fates->of;
}

void vv_fates_end(struct vv_fates *fates)
{
    if (!fates->allocator)
        return;
    vv_release(fates->allocator, fates->of, fates->value_count);
    vv_release(fates->allocator, fates->dropped,
        fates->node_count * sizeof *fates->dropped);
}

/* --- Changes ------------------------------------------------------------ */

#define TO(fate) (1u << VV_FATE_##fate)

/* What vv_decide finds, of a value that has not come to anybody. */
#define DECIDED (TO(DUE) | TO(EXCLUDED) | TO(SUPERSEDED) | TO(MISMATCHED))

/* What may follow what: the table of docs/architecture.md. */
static const unsigned may_follow[] = {
    [VV_FATE_WAITING] = DECIDED | TO(DROPPED),
    [VV_FATE_DUE] = DECIDED | TO(WAITING) | TO(APPLIED) | TO(LENT) |
                    TO(DROPPED) | TO(DAMAGED),
    [VV_FATE_APPLIED] = TO(DUE),
    [VV_FATE_LENT] = TO(DUE) | TO(WAITING) | TO(APPLIED),
    [VV_FATE_SUPERSEDED] = TO(DUE),
    [VV_FATE_EXCLUDED] = DECIDED | TO(WAITING),
    [VV_FATE_MISMATCHED] = DECIDED | TO(WAITING) | TO(DROPPED),
    [VV_FATE_DROPPED] = TO(DUE),
    [VV_FATE_DAMAGED] = TO(DUE),
};

void vv_change_fate(struct vv_fates *fates, uint32_t value, enum vv_fate fate)
{
    assert(fates->of[value] == fate ||
           (may_follow[fates->of[value]] & 1u << fate));
    (void)may_follow; /* without assertions */
    fates->of[value] = (uint8_t)fate;
}

bool vv_is_final(const struct vv_fates *fates, uint32_t value)
{
    return vv_is_delivered(fates, value) || vv_is_given_up(fates, value);
}

/* --- What has no value -------------------------------------------------- */

bool vv_make_room_to_drop(struct vv_fates *fates)
{
    if (!fates->dropped)
        fates->dropped = vv_allocate_zeroed(
            fates->allocator, fates->node_count * sizeof *fates->dropped);
    return fates->dropped;
}

bool vv_is_dropped(const struct vv_fates *fates, uint32_t file)
{
    return fates->dropped && fates->dropped[file];
}

void vv_set_dropped(struct vv_fates *fates, uint32_t file, bool is_dropped)
{
    fates->dropped[file] = is_dropped;
}
