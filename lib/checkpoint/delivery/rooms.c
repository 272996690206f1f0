/* rooms.c - a list of rooms, and the moves into them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rooms.h"

#include "failure.h"
#include "resizing.h"

struct room {
    struct vv_room room;
    struct vv_move *move;
};

static struct room *rooms_of(const struct vv_buffer *rooms, size_t *count)
{
    *count = rooms->size / sizeof(struct room);
    return (struct room *)(void *)rooms->data;
}

bool vv_brings_shape(
    const struct vv_delivery *d, const varve_node *node, uint32_t value)
{
    if (!vv_resizing_of(node))
        return false; /* as nearly all */
    varve_tensor saved = vv_saved(d->pairing, value);
    return vv_takes_shape(node, &saved);
}

varve_status vv_rooms_add(const struct vv_delivery *d, struct vv_buffer *rooms,
    struct vv_move *move, varve_error *error)
{
    varve_tensor saved = vv_saved(d->pairing, move->value);
    struct room *room = vv_buffer_extend(rooms, sizeof *room);
    if (!room)
        return vv_fail_memory(error, "a restoration");
    varve_status status = vv_room_make(&room->room, move->node, &saved, error);
    if (status) {
        rooms->size -= sizeof *room;
        return status;
    }
    room->move = move;
    move->is_fresh = true;
    move->target = room->room.data;
    return VARVE_OK;
}

void vv_rooms_exchange(struct vv_buffer *rooms)
{
    size_t count;
    struct room *all = rooms_of(rooms, &count);
    for (size_t i = 0; i < count; i++)
        vv_room_exchange(&all[i].room);
}

void vv_rooms_settle(struct vv_buffer *rooms)
{
    size_t count;
    struct room *all = rooms_of(rooms, &count);
    for (size_t i = 0; i < count; i++) {
        all[i].move->target = NULL;
        vv_room_settle(&all[i].room);
    }
    rooms->size = 0;
}
