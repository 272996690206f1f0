/* rooms.h - room for the values of a transfer that bring another shape.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ROOMS_H
#define VV_ROOMS_H

#include "move.h"

/* Makes room for a move, which stays where it is until they are settled: it is
 * into memory that nobody has seen. `rooms` is a list of struct vv_room. */
varve_status vv_rooms_add(const struct vv_delivery *d, struct vv_buffer *rooms,
    struct vv_move *move, varve_error *error);

/* The variables take their rooms, or go back to what they were. */
void vv_rooms_exchange(struct vv_buffer *rooms);

/* Lets go of what is of no use; a move into a room that was not taken has no
 * target any more. */
void vv_rooms_settle(struct vv_buffer *rooms);

#endif
