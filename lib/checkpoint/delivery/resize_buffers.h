/* resize_buffers.h - room for the values of a transfer that bring another
 * shape.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESIZE_BUFFERS_H
#define VV_RESIZE_BUFFERS_H

#include "move.h"

/* Makes room for a move, which stays where it is until they are settled: it is
 * into memory that nobody has seen. `resize buffers` is a list of struct
 * vv_room. */
varve_status vv_resize_buffers_add(const struct vv_delivery *d,
    struct vv_buffer *resize_buffers, struct vv_move *move, varve_error *error);

/* The variables take their resize buffers, or go back to what they were. */
void vv_resize_buffers_exchange(struct vv_buffer *resize_buffers);

/* Lets go of what is of no use; a move into a room that was not taken has no
 * target any more. */
void vv_resize_buffers_settle(struct vv_buffer *resize_buffers);

#endif
