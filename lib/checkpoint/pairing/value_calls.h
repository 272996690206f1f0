/* value_calls.h - what pairing asks and tells about values, of which it knows
 * nothing itself: a better claim may come when a value is on its way, or was
 * delivered. Delivery answers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VALUE_CALLS_H
#define VV_VALUE_CALLS_H

#include <varve/types.h>

struct vv_delivery;

struct vv_value_calls {
    /* to fill in */
    /* A node stands for one of the file from now on. */
    void (*paired)(struct vv_delivery *d, varve_node *node, uint32_t file);

    /* It claims one that another node stands for. */
    void (*claimed)(struct vv_delivery *d, varve_node *node, uint32_t file);

    /* It claims it only, for one with a better claim has come. */
    void (*outdone)(struct vv_delivery *d, varve_node *node, uint32_t file);

    /* It stands for it by the best of claims now. */
    void (*confirmed)(struct vv_delivery *d, varve_node *node, uint32_t file);

    /* It has nothing to do with the file any more; `value`: of what it stood
     * for, or VV_NONE. */
    void (*parted)(struct vv_delivery *d, varve_node *node, uint32_t value);

    /* A path that was added takes it into what the options take. */
    void (*taken_in)(struct vv_delivery *d, varve_node *node, uint32_t file);

    /* Whether a value has come to a node for good, or was given up. */
    bool (*is_final)(const struct vv_delivery *d, uint32_t value);

    /* Whether the options leave it out. */
    bool (*is_left_out)(const struct vv_delivery *d, uint32_t value);
};

#endif
