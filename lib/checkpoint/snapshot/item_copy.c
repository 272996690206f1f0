/* item_copy.c - Copies the values of a snapshot in parallel, and those that
 * need functions of a program.
 *
 * Keeps the previous value until the copy has succeeded. States that cannot be
 * undone come last.
 *
 * SPDX-License-Identifier: MIT
 */
#include "item_copy.h"

#include <string.h>

#include "dirty.h"
#include "failure.h"
#include "fixed_value.h"
#include "memory_table.h"
#include "state.h"
#include "try.h"
#include "unchanged.h"
#include "value_bytes.h"
#include "variable.h"
#include "worker.h"

/* --- Changed bytes -------------------------------------------------------- */

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

/* Checks which pages were written, before values are copied out or in
 * (`is_restore`). Returns the moment of the snapshot after the copy. */
static uint64_t tracking_look(struct varve_snapshot *s, bool is_restore)
{
    if (!s->dirty)
        return 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct vv_item *item = &s->items[i];
        if (tracking_is_followed(item))
            vv_dirty_request(
                s->dirty, item->node->variable->tensor.data, item->size);
    }
    return is_restore ? vv_dirty_glance(s->dirty) : vv_dirty_look(s->dirty);
}

/* Returns true if it is sufficient to copy the pages of a value that were
 * written. */
static bool is_tracked_copy(
    const struct varve_snapshot *s, const struct vv_item *item)
{
    return s->dirty && item->alike &&
           item->alike == item->node->variable->tensor.data;
}

/* Records that a value was copied and is equal now, or that it was skipped and
 * may differ. */
static void tracking_settle(struct vv_item *item, bool is_copied)
{
    item->alike = is_copied ? item->node->variable->tensor.data : NULL;
}

void vv_tracking_forget(struct varve_snapshot *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->items[i].alike = NULL;
}

/* --- Items ---------------------------------------------------------------- */

bool vv_item_needs_copy_in(const struct vv_item *item)
{
    return item->size && vv_needs_copy_in(&item->node->variable->tensor);
}

static bool item_copy_is_far(const struct vv_item *item)
{
    return item->size && vv_is_far(&item->node->variable->tensor);
}

static varve_status fetch_spare(struct vv_item *item, varve_error *error)
{
    item->spare.size = 0;
    void *room = vv_buffer_extend(&item->spare, item->size);
    item->spare.failed = false;
    return room ? vv_value_out(item->node, 0, room, item->size, error)
                : vv_fail_memory(error, "a value of a snapshot");
}

static void clear_spare(struct vv_item *item)
{
    vv_buffer_clear(&item->spare);
    vv_buffer_init(&item->spare, item->spare.allocator);
}

varve_status vv_item_fetch(
    struct vv_item *item, bool is_again, varve_error *error)
{
    if (!item_copy_is_far(item))
        return VARVE_OK;
    return is_again
               ? fetch_spare(item, error)
               : vv_value_out(item->node, 0, item->copy, item->size, error);
}

void vv_item_take(struct vv_item *item)
{
    if (!item_copy_is_far(item)) {
        vv_value_out(item->node, 0, item->copy, item->size, NULL);
    } else if (item->spare.size) {
        memcpy(item->copy, item->spare.data, item->size);
        clear_spare(item);
    }
}

/* --- Putting -------------------------------------------------------------- */

static bool item_copy_is_put(
    const struct vv_item *item, bool keeps_random, bool far)
{
    return vv_item_needs_copy_in(item) && item_copy_is_far(item) == far &&
           !(keeps_random && item->is_random);
}

/* Restores the previous values of the items before `end`. */
static varve_status item_copy_put_back(struct varve_snapshot *s, size_t end,
    bool keeps_random, varve_status status, varve_error *error)
{
    char text[256];
    bool is_half = false;
    for (size_t i = end; i > 0; i--) {
        const struct vv_item *item = &s->items[i - 1];
        if (!item_copy_is_put(item, keeps_random, true) ||
            !vv_value_in(item->node, 0, item->spare.data, item->size, NULL))
            continue;
        if (!is_half)
            vv_error_add_line(error, "snapshot: partially restored: these "
                                     "variables could not be rolled back:");
        is_half = item->node->is_half = true;
        vv_error_add_line(
            error, "  %s", vv_node_text(item->node, text, sizeof text));
    }
    if (is_half && error)
        error->status = VARVE_PARTIALLY_RESTORED;
    return is_half ? VARVE_PARTIALLY_RESTORED : status;
}

static varve_status item_copy_put_far(
    struct varve_snapshot *s, bool keeps_random, varve_error *error)
{
    for (size_t i = 0; i < s->count; i++) {
        if (item_copy_is_put(&s->items[i], keeps_random, true))
            VV_TRY(fetch_spare(&s->items[i], error));
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct vv_item *item = &s->items[i];
        varve_status status =
            item_copy_is_put(item, keeps_random, true)
                ? vv_value_in(item->node, 0, item->copy, item->size, error)
                : VARVE_OK;
        if (status)
            return item_copy_put_back(s, i + 1, keeps_random, status, error);
    }
    return VARVE_OK;
}

varve_status vv_items_put(
    struct varve_snapshot *s, bool keeps_random, varve_error *error)
{
    varve_status status = item_copy_put_far(s, keeps_random, error);
    for (size_t i = 0; i < s->count; i++) {
        struct vv_item *item = &s->items[i];
        if (!status && item_copy_is_put(item, keeps_random, false))
            vv_value_in(item->node, 0, item->copy, item->size, NULL);
        if (item_copy_is_put(item, keeps_random, true))
            clear_spare(item);
    }
    return status;
}

/* --- States --------------------------------------------------------------- */

static bool item_copy_is_state(const struct vv_item *item, bool keeps_random)
{
    return item->node->kind == VARVE_STATE &&
           !(keeps_random && item->is_random);
}

static varve_status put_state(const struct vv_item *item, varve_error *error)
{
    char text[256];
    VV_TRY(
        vv_state_load(item->node, vv_node_text(item->node, text, sizeof text),
            item->bytes.data, item->bytes.size, error));
    vv_fixed_value_record(item->node);
    return VARVE_OK;
}

varve_status vv_items_put_states(
    const struct varve_snapshot *s, bool keeps_random, varve_error *error)
{
    for (int are_guarded = 0; are_guarded < 2; are_guarded++) {
        for (size_t i = 0; i < s->count; i++) {
            const struct vv_item *item = &s->items[i];
            if (item_copy_is_state(item, keeps_random) &&
                vv_state_is_guarded(item->node) == are_guarded)
                VV_TRY(put_state(item, error));
        }
    }
    return VARVE_OK;
}

varve_status vv_items_check_states(
    const struct varve_snapshot *s, bool keeps_random, varve_error *error)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct vv_item *item = &s->items[i];
        if (item_copy_is_state(item, keeps_random))
            VV_TRY(vv_state_check(
                item->node, item->bytes.data, item->bytes.size, error));
    }
    return VARVE_OK;
}

varve_status vv_items_sync_states(
    const struct varve_snapshot *s, varve_error *error)
{
    for (size_t i = 0; i < s->count; i++)
        VV_TRY(vv_state_sync(s->items[i].node, error));
    return VARVE_OK;
}

/* --- Copying in parallel -------------------------------------------------- */

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
        .tracked = is_tracked_copy(s, item) ? theirs : NULL,
    };
}

void vv_bulk_copy(const struct vv_bulk *bulk)
{
    struct varve_snapshot *s = bulk->snapshot;
    uint64_t now = tracking_look(s, bulk->is_restore);
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
        tracking_settle(&s->items[i], bulk_is_copied(bulk, &s->items[i]));
}
