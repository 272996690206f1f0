/* states.h - the states of a transfer: loaded last, undone first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STATES_H
#define VV_STATES_H

#include "move.h"

struct vv_states {
    /* to read */
    size_t count;
    /* own */
    const struct vv_delivery *d;
    const varve_allocator *allocator;
    struct vv_move *moves;
    struct vv_old_state *all;
    struct vv_buffer old_bytes;
};

void vv_states_begin(struct vv_states *states, const struct vv_delivery *d);
void vv_states_end(struct vv_states *states);

/* Finds the states among moves, which stay where they are, checks what guarded
 * ones are to take, and saves what the others are, as far as that can be
 * needed. */
varve_status vv_states_keep(struct vv_states *states, struct vv_move *moves,
    size_t count, varve_error *error);

/* Loads them. */
varve_status vv_states_load(struct vv_states *states, varve_error *error);

/* Tells those that were loaded of their older bytes. Where these are not kept,
 * their moves are touched. */
void vv_states_unload(struct vv_states *states);

#endif
