/* delivery_states.h - what has become of each value of a file, and what may
 * become of it next.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DELIVERY_STATES_H
#define VV_DELIVERY_STATES_H

#include <varve/allocator.h>

#include <stdbool.h>
#include <stdint.h>

/* What became of a value of the file. */
enum vv_delivery_state {
    VV_DELIVERY_STATE_WAITING,    /* its node is not bound, or the value is held
                                     back */
    VV_DELIVERY_STATE_DUE,        /* bound, and to be delivered */
    VV_DELIVERY_STATE_APPLIED,    /* delivered */
    VV_DELIVERY_STATE_LENT,       /* delivered by another path, an alias or a
                                     global name; the node whose path it is may
                                     follow */
    VV_DELIVERY_STATE_SUPERSEDED, /* bound to a node that a later restoration
                                     filled */
    VV_DELIVERY_STATE_EXCLUDED,   /* bound, but the options leave it out */
    VV_DELIVERY_STATE_MISMATCHED, /* bound to a node that it does not fit */
    VV_DELIVERY_STATE_DROPPED,    /* nobody waits for it any more */
    VV_DELIVERY_STATE_DAMAGED,    /* left out by `salvage`: it cannot be had */
};

struct vv_delivery_states {
    /* to read */
    uint8_t *of; /* by value: vv_delivery_state */

    /* own */
    const varve_allocator *allocator;
    bool *dropped; /* by node of the file without a value: what is in its place
                      does not matter; NULL: all does */
    uint32_t value_count;
    uint32_t node_count;
};

/* Every value of a file of so many waits; false without memory. */
bool vv_delivery_states_begin(struct vv_delivery_states *delivery_states,
    const varve_allocator *allocator, uint32_t value_count,
    uint32_t node_count);

/* Takes what has not begun, all zero, and what has not succeeded to. */
void vv_delivery_states_end(struct vv_delivery_states *delivery_states);

/* Notes what became of a value: the only place where that changes, and what may
 * not follow what it was is a fault of the library. */
void vv_change_delivery_state(struct vv_delivery_states *delivery_states,
    uint32_t value, enum vv_delivery_state delivery_state);

/* Whether nobody gets a value, unless the program asks for it again. */
static inline bool vv_is_given_up(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return delivery_states->of[value] == VV_DELIVERY_STATE_DROPPED ||
           delivery_states->of[value] == VV_DELIVERY_STATE_DAMAGED;
}

/* Whether a value has come to a node, which may be gone meanwhile: it is
 * delivered once. */
static inline bool vv_is_delivered(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return delivery_states->of[value] == VV_DELIVERY_STATE_APPLIED ||
           delivery_states->of[value] == VV_DELIVERY_STATE_LENT ||
           delivery_states->of[value] == VV_DELIVERY_STATE_SUPERSEDED;
}

/* Whether no node that comes to the place of a value is given it any more. */
bool vv_is_final(
    const struct vv_delivery_states *delivery_states, uint32_t value);

/* Whether the options leave a value out. */
static inline bool vv_is_left_out(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return delivery_states->of[value] == VV_DELIVERY_STATE_EXCLUDED;
}

/* Room for what is dropped, once for all; false without memory. */
bool vv_make_room_to_drop(struct vv_delivery_states *delivery_states);

/* Whether what the program has in the place of a node of the file that has no
 * value matters; it does until it is dropped. That cannot fail where there is
 * room. */
bool vv_is_dropped(
    const struct vv_delivery_states *delivery_states, uint32_t file);
void vv_set_dropped(
    struct vv_delivery_states *delivery_states, uint32_t file, bool is_dropped);

#endif
