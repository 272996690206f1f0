/* tracking.c - Connects snapshots with the dirty-page tracker. All snapshots
 * and saves of a graph share one tracker, and each snapshot has its own moment.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tracking.h"

#include "dirty.h"
#include "item_copy.h"
#include "unchanged.h"
#include "variable.h"

void vv_tracking_begin(struct varve_snapshot *s)
{
    s->dirty = vv_unchanged_dirty(s->graph);
}

void vv_tracking_end(struct varve_snapshot *s)
{
    vv_dirty_free(s->dirty);
}

/* Strings point to memory outside the variable and are never copied in part. */
static bool tracking_is_followed(const struct vv_item *item)
{
    return item->size && item->dtype != VARVE_STRING &&
           !vv_item_needs_copy_in(item);
}

uint64_t vv_tracking_look(struct varve_snapshot *s, bool is_restore)
{
    if (!s->dirty)
        return 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct vv_item *item = &s->items[i];
        if (tracking_is_followed(item))
            vv_dirty_ask(
                s->dirty, item->node->variable->tensor.data, item->size);
    }
    return is_restore ? vv_dirty_glance(s->dirty) : vv_dirty_look(s->dirty);
}

bool vv_tracking_knows(
    const struct varve_snapshot *s, const struct vv_item *item)
{
    return s->dirty && item->alike &&
           item->alike == item->node->variable->tensor.data;
}

void vv_tracking_settle(struct vv_item *item, bool is_copied)
{
    item->alike = is_copied ? item->node->variable->tensor.data : NULL;
}

void vv_tracking_forget(struct varve_snapshot *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->items[i].alike = NULL;
}
