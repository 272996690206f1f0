/* bulk.c - Copies the values of a snapshot in parallel.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bulk.h"

#include "item_copy.h"
#include "pieces.h"
#include "tracking.h"
#include "variable.h"

static bool bulk_is_copied(
    const struct vv_bulk *bulk, const struct vv_item *item)
{
    return item->size && item->node->variable->tensor.dtype != VARVE_STRING &&
           !vv_item_needs_copy_in(item) &&
           !(bulk->keeps_random && item->is_random);
}

static struct vv_piece bulk_piece(const void *user, size_t i)
{
    const struct vv_bulk *bulk = user;
    const struct varve_snapshot *s = bulk->snapshot;
    const struct vv_item *item = &s->items[i];
    if (!bulk_is_copied(bulk, item))
        return (struct vv_piece){ 0 };
    void *theirs = item->node->variable->tensor.data;
    return (struct vv_piece){
        .to = bulk->is_restore ? theirs : item->copy,
        .from = bulk->is_restore ? item->copy : theirs,
        .at = (size_t)((unsigned char *)item->copy - s->block),
        .size = item->size,
        .tracked = vv_tracking_knows(s, item) ? theirs : NULL,
    };
}

void vv_bulk_copy(const struct vv_bulk *bulk)
{
    struct varve_snapshot *s = bulk->snapshot;
    uint64_t now = vv_tracking_look(s, bulk->is_restore);
    vv_copy_pieces(&s->context, &(struct vv_pieces){
                                    .count = s->count,
                                    .size = s->block_size,
                                    .piece = bulk_piece,
                                    .user = bulk,
                                    .dirty = s->dirty,
                                    .since = s->moment,
                                });
    s->moment = now;
    for (size_t i = 0; i < s->count; i++)
        vv_tracking_settle(&s->items[i], bulk_is_copied(bulk, &s->items[i]));
}
