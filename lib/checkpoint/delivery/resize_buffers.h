/* resize_buffers.h - Allocates buffers for the values of a transfer that change
 * the shape of their variables.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESIZE_BUFFERS_H
#define VV_RESIZE_BUFFERS_H

#include "move.h"

/* Allocates a buffer for a move, which becomes a move into fresh memory. The
 * move must not be relocated before vv_resize_buffers_settle. */
varve_status vv_resize_buffers_add(const struct vv_delivery *d,
    struct vv_buffer *resize_buffers, struct vv_move *move, varve_error *error);

/* Exchanges the memory and shapes of all variables with their buffers. A second
 * call undoes this. */
void vv_resize_buffers_exchange(struct vv_buffer *resize_buffers);

/* Frees the memory that is not used. The moves have no target any more. */
void vv_resize_buffers_settle(struct vv_buffer *resize_buffers);

#endif
