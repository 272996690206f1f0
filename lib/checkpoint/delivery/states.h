/* states.h - Loads the states of a transfer, after all values, and undoes them
 * first.
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

/* Finds the states among the moves, which must not be relocated. Checks that
 * guarded states accept their new bytes, and saves the other states if they may
 * have to be undone. */
varve_status vv_states_keep(struct vv_states *states, struct vv_move *moves,
    size_t count, varve_error *error);

/* Loads the new bytes of all states. */
varve_status vv_states_load(struct vv_states *states, varve_error *error);

/* Loads the previous bytes of the states that were loaded. States without
 * previous bytes are marked as touched. */
void vv_states_unload(struct vv_states *states);

#endif
