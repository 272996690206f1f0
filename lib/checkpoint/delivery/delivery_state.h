/* delivery_state.h - what becomes of a value.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DELIVERY_STATE_H
#define VV_DELIVERY_STATE_H

#include "delivery.h"

/* Decides what becomes of the value of a pair that is bound. */
void vv_decide(struct vv_delivery *d, varve_node *node, uint32_t file);

/* What it means for values that a node of the program ... */

/* claims one of the file only, for one with a better claim has come. */
void vv_delivery_lose_claim(
    struct vv_delivery *d, varve_node *node, uint32_t file);

/* stands for it by the best of claims now. */
void vv_confirm(struct vv_delivery *d, uint32_t file);

/* has nothing to do with the file any more; `value`: of what it stood for, or
 * VV_NONE. */
void vv_delivery_unbind(
    struct vv_delivery *d, varve_node *node, uint32_t value);

/* was left out, and comes into what the options take by a new path. */
void vv_take_in(struct vv_delivery *d, varve_node *node, uint32_t file);

/* Notes what became of a value, if the node is its holder. */
void vv_set_delivery_state(struct vv_delivery *d, const varve_node *node,
    uint32_t value, enum vv_delivery_state delivery_state);

/* Notes that a place has had its copy, or is to have none. */
void vv_note_served(struct vv_delivery *d, const varve_node *node);

/* Notes that a node has its value, from now on and for all who come to its
 * place. */
void vv_note_delivered(struct vv_delivery *d, varve_node *node, uint32_t value);

/* Whether a node that is not the holder of a value is to get a copy of it. */
bool vv_wants_copy(
    const struct vv_delivery *d, const varve_node *node, uint32_t file);

/* Makes a value due for one more node than its holder where that is asked for,
 * once for each place of the program. */
void vv_copy(struct vv_delivery *d, varve_node *node, uint32_t file);

/* Whether a value fits a node, as the options allow; a part of one fits the
 * slice that is that part, whatever they allow. */
bool vv_value_fits(
    const struct vv_delivery *d, const varve_node *node, uint32_t value);

/* The same of one that is no part. */
bool vv_whole_fits(const struct vv_delivery *d, const varve_node *node,
    const varve_tensor *saved);

/* Whether `resize` names this node, which is no part of a value, and its rank
 * is that of the value. */
bool vv_is_resized(const struct vv_delivery *d, const varve_node *node,
    const varve_tensor *saved);

/* Whether a value of the file brings its shape to a node. */
bool vv_brings_shape(
    const struct vv_delivery *d, const varve_node *node, uint32_t value);

#endif
