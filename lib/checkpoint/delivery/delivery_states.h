/* delivery_states.h - Stores the delivery state of each value of a file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DELIVERY_STATES_H
#define VV_DELIVERY_STATES_H

#include <varve/allocator.h>

#include <stdbool.h>
#include <stdint.h>

struct vv_index;

/* The delivery state of a value. */
enum vv_delivery_state {
    VV_DELIVERY_STATE_WAITING,    /* pending: its node is not bound, or the
                                     value is held */
    VV_DELIVERY_STATE_DUE,        /* bound, and to be delivered */
    VV_DELIVERY_STATE_APPLIED,    /* delivered */
    VV_DELIVERY_STATE_LENT,       /* delivered by another path, an alias or a
                                     global name; the node with its own path
                                     may follow */
    VV_DELIVERY_STATE_SUPERSEDED, /* bound to a node that a later restoration
                                     has restored */
    VV_DELIVERY_STATE_EXCLUDED,   /* bound, but excluded by the options */
    VV_DELIVERY_STATE_MISMATCHED, /* bound to a node that it does not fit */
    VV_DELIVERY_STATE_DROPPED,    /* dropped by the program */
    VV_DELIVERY_STATE_DAMAGED,    /* damaged, and left out by `salvage` */
};

struct vv_delivery_states {
    /* to read */
    uint8_t *of;      /* by value: enum vv_delivery_state */
    uint32_t pending; /* number of saved values that are WAITING or DUE */
    uint64_t given_up_changes; /* how often vv_is_given_up changed for a value
                                */

    /* own */
    const varve_allocator *allocator;
    bool *dropped; /* by node of the file without a value: dropped, so
                      mismatches are ignored; NULL: none */
    uint32_t value_count;
    uint32_t node_count;
    const struct vv_index *index; /* of the file: which values are saved */
};

/* Makes all values pending. Returns false if out of memory. */
bool vv_delivery_states_begin(struct vv_delivery_states *delivery_states,
    const varve_allocator *allocator, const struct vv_index *index);

/* Accepts a struct that is all zero, and one whose vv_delivery_states_begin has
 * failed. */
void vv_delivery_states_end(struct vv_delivery_states *delivery_states);

/* Changes the state of a value. All changes go through this function. An
 * invalid transition is a bug of the library and fails an assertion. */
void vv_change_delivery_state(struct vv_delivery_states *delivery_states,
    uint32_t value, enum vv_delivery_state delivery_state);

/* Returns true if a value may still be delivered without a request. */
static inline bool vv_is_open(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return delivery_states->of[value] == VV_DELIVERY_STATE_WAITING ||
           delivery_states->of[value] == VV_DELIVERY_STATE_DUE;
}

/* Does the same, and returns false if the value is not saved. */
bool vv_is_pending(
    const struct vv_delivery_states *delivery_states, uint32_t value);

/* Returns true if a value is not delivered unless the program requests it
 * again. */
static inline bool vv_is_given_up(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return delivery_states->of[value] == VV_DELIVERY_STATE_DROPPED ||
           delivery_states->of[value] == VV_DELIVERY_STATE_DAMAGED;
}

/* Returns true if a value was delivered to a node, which may be removed by now.
 * Values are delivered only once. */
static inline bool vv_is_delivered(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return delivery_states->of[value] == VV_DELIVERY_STATE_APPLIED ||
           delivery_states->of[value] == VV_DELIVERY_STATE_LENT ||
           delivery_states->of[value] == VV_DELIVERY_STATE_SUPERSEDED;
}

/* Returns true if a value is not delivered to nodes that are bound to its node
 * in the file from now on. */
static inline bool vv_is_final(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return vv_is_delivered(delivery_states, value) ||
           vv_is_given_up(delivery_states, value);
}

/* Returns true if the options exclude a value. */
static inline bool vv_is_left_out(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return delivery_states->of[value] == VV_DELIVERY_STATE_EXCLUDED;
}

/* Allocates the table of dropped nodes. Returns false if out of memory. */
bool vv_reserve_dropped(struct vv_delivery_states *delivery_states);

/* Return or set whether a node of the file without a value is dropped.
 * Mismatches with a dropped node are ignored. vv_reserve_dropped must have
 * succeeded before nodes are dropped. */
bool vv_is_dropped(
    const struct vv_delivery_states *delivery_states, uint32_t file);
void vv_set_dropped(
    struct vv_delivery_states *delivery_states, uint32_t file, bool is_dropped);

#endif
