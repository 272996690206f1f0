/* resize_buffers.c - Lists the buffers of resized variables and the moves into
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "resize_buffers.h"

#include "failure.h"
#include "resizing.h"

struct room {
    struct vv_resize room;
    struct vv_move *move;
};

static struct room *resize_buffers_of(
    const struct vv_buffer *resize_buffers, size_t *count)
{
    *count = resize_buffers->size / sizeof(struct room);
    return (struct room *)(void *)resize_buffers->data;
}

varve_status vv_resize_buffers_add(const struct vv_delivery *d,
    struct vv_buffer *resize_buffers, struct vv_move *move, varve_error *error)
{
    varve_tensor saved = vv_saved(d->pairing, move->value);
    struct room *room = vv_buffer_extend(resize_buffers, sizeof *room);
    if (!room)
        return vv_fail_memory(error, "a restoration");
    varve_status status =
        vv_resize_prepare(&room->room, move->node, &saved, error);
    if (status) {
        resize_buffers->size -= sizeof *room;
        return status;
    }
    room->move = move;
    move->is_fresh = true;
    move->target = room->room.data;
    return VARVE_OK;
}

void vv_resize_buffers_exchange(struct vv_buffer *resize_buffers)
{
    size_t count;
    struct room *all = resize_buffers_of(resize_buffers, &count);
    for (size_t i = 0; i < count; i++)
        vv_resize_exchange(&all[i].room);
}

void vv_resize_buffers_settle(struct vv_buffer *resize_buffers)
{
    size_t count;
    struct room *all = resize_buffers_of(resize_buffers, &count);
    for (size_t i = 0; i < count; i++) {
        all[i].move->target = NULL;
        vv_resize_settle(&all[i].room);
    }
    resize_buffers->size = 0;
}
