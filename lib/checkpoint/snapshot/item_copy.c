/* item_copy.c - Copies values in and out through the functions of a program.
 * Keeps the previous value until the copy has succeeded. States that cannot be
 * undone come last.
 *
 * SPDX-License-Identifier: MIT
 */
#include "item_copy.h"

#include <string.h>

#include "failure.h"
#include "fixed_value.h"
#include "memory_table.h"
#include "state.h"
#include "try.h"
#include "value_bytes.h"
#include "variable.h"

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
