/* fixed_value.h - records the values that a program has tagged as fixed, and
 * finds one that has changed before it is saved.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FIXED_VALUE_H
#define VV_FIXED_VALUE_H

#include "node.h"

/* Records the value that a variable or state has now, if varve_tag has tagged
 * it VARVE_TAG_FIXED: for what the library itself has changed, and for what a
 * restoration has found equal. Any other node stays as it is. A value that
 * only functions of the program reach is recorded by the next check. */
void vv_fixed_value_record(varve_node *node);

/* The same for the children of a node whose memory is at this address. */
void vv_fixed_value_record_at(const varve_node *parent, const void *memory);

/* VARVE_MISUSE, with its path, if the value of such a node is not the recorded
 * one; the first check records what is not recorded yet. `bytes`: what a state
 * saves, NULL for a variable. For the thread of the graph. */
varve_status vv_fixed_value_check(
    varve_node *node, const void *bytes, size_t size, varve_error *error);

#endif
