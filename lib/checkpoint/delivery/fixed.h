/* fixed.h - values that a restoration must find as they are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FIXED_H
#define VV_FIXED_H

#include "delivery.h"

/* Whether a node is tagged VARVE_TAG_FIXED and has a value, which nothing is
 * written to. */
bool vv_is_fixed(const varve_node *node);

/* Puts the jobs of fixed nodes behind the others, reads their values and
 * compares them; `*count` becomes how many others there are. VARVE_MISMATCH
 * names each that differs, with both values, or what reading fails with. */
varve_status vv_compare_fixed(struct vv_delivery *d, struct vv_pair *jobs,
    size_t *count, varve_error *error);

/* Notes that jobs of fixed nodes have found their values. */
void vv_settle_fixed(
    struct vv_delivery *d, const struct vv_pair *jobs, size_t count);

#endif
