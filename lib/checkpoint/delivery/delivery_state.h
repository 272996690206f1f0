/* delivery_state.h - Decides about the delivery of values when bindings change,
 * also below rank-local nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DELIVERY_STATE_H
#define VV_DELIVERY_STATE_H

#include "delivery.h"

/* --- Parts of other processes --------------------------------------------- */

/* Decides about the parts of a rank-local node in a file (own_part.h): those of
 * other processes are excluded. If the number of processes differs, the options
 * of the node decide. */

/* The reason why a node of the file is not for this process. */
enum vv_private_skip {
    VV_OWN,        /* it is for this process, or nothing is known */
    VV_OF_ANOTHER, /* same number of processes; another process owns it */
    VV_LEFT,       /* another number of processes; dropped */
    VV_TO_FOLD,    /* another number of processes; for a merge callback */
    VV_FOLDED,     /* for a rank-local node itself: the callback has run */
};

/* Decides about a rank-local node that is bound. Records the parts of other
 * processes for vv_leave_out_others. */
void vv_decide_own(struct vv_delivery *d, varve_node *node, uint32_t file);

/* Excludes the nodes that vv_decide_own has recorded, for all rank-local nodes
 * at once. */
void vv_leave_out_others(struct vv_delivery *d);

/* Returns the reason why a node of the file is not for this process, or VV_OWN.
 */
enum vv_private_skip vv_private_skip(
    const struct vv_delivery *d, uint32_t file);

/* Returns the reason as text, or NULL for VV_OWN. */
const char *vv_not_own_text(const struct vv_delivery *d, uint32_t file);

/* Returns true if the options of a rank-local node prevent that anything below
 * it is restored. */
bool vv_is_left_to_program(const struct vv_delivery *d, const varve_node *node);

/* Takes the next node to be merged. Returns false if there is none. vv_put_fold
 * puts it back after a failure, and cannot run out of memory. */
bool vv_take_fold(struct vv_delivery *d, struct vv_pair *pair);
void vv_put_fold(struct vv_delivery *d, const struct vv_pair *pair);

/* --- Decisions ------------------------------------------------------------ */

/* Decides about the value of a bound pair. */
void vv_decide(struct vv_delivery *d, varve_node *node, uint32_t file);

/* Called when a node loses its value to one with a better claim. The node then
 * only claims it. */
void vv_delivery_demote_claim(
    struct vv_delivery *d, varve_node *node, uint32_t file);

/* Called when a node of the file becomes bound by the best possible claim. */
void vv_confirm(struct vv_delivery *d, uint32_t file);

/* Called when a node is unbound. `value` is the value that it was bound to, or
 * VV_NONE. */
void vv_delivery_unbind(
    struct vv_delivery *d, varve_node *node, uint32_t value);

/* Called when an excluded node has a new path that the options include. */
void vv_take_in(struct vv_delivery *d, varve_node *node, uint32_t file);

/* Sets the state of a value if the node is its holder. */
void vv_set_delivery_state(struct vv_delivery *d, const varve_node *node,
    uint32_t value, enum vv_delivery_state delivery_state);

/* Records that the path of a node has received its copy, or will not receive
 * one. */
void vv_note_served(struct vv_delivery *d, const varve_node *node);

/* Records that a node has received its value, so that later nodes at its path
 * receive no copy. */
void vv_note_delivered(struct vv_delivery *d, varve_node *node, uint32_t value);

/* Returns true if a node that is not the holder of a value receives a copy of
 * it. */
bool vv_wants_copy(
    const struct vv_delivery *d, const varve_node *node, uint32_t file);

/* Makes a value due for a node that is not its holder if copies are requested,
 * once for each path of the program. */
void vv_copy(struct vv_delivery *d, varve_node *node, uint32_t file);

/* Returns true if a value fits a node, considering the options. A slice in the
 * file fits only the same slice, regardless of the options. */
bool vv_value_fits(
    const struct vv_delivery *d, const varve_node *node, uint32_t value);

/* Does the same for a value that is not a slice. */
bool vv_whole_fits(const struct vv_delivery *d, const varve_node *node,
    const varve_tensor *saved);

/* Returns true if `resize` selects this node, which is not a slice and has the
 * rank of the value. */
bool vv_is_resized(const struct vv_delivery *d, const varve_node *node,
    const varve_tensor *saved);

/* Returns true if a node takes the shape of a value of the file. */
bool vv_brings_shape(
    const struct vv_delivery *d, const varve_node *node, uint32_t value);

#endif
