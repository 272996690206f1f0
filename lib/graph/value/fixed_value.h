/* fixed_value.h - Records the values that a program has tagged as fixed, and
 * detects changes before they are saved.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FIXED_VALUE_H
#define VV_FIXED_VALUE_H

#include "node.h"

/* Records the current value of a variable or state if varve_tag has tagged it
 * VARVE_TAG_FIXED. Called after the library has changed it, and after a
 * restoration has found it equal. Ignores other nodes. A value that only
 * functions of the program access is recorded by the next check. */
void vv_fixed_value_record(varve_node *node);

/* Does the same for the children of a node whose memory is at this address. */
void vv_fixed_value_record_at(const varve_node *parent, const void *memory);

/* Returns VARVE_MISUSE with the path if the value of such a node differs from
 * the recorded one. The first check records a value that is not recorded yet.
 * `bytes` are those that a state saves, NULL for a variable. Must be called by
 * the thread that uses the graph. */
varve_status vv_fixed_value_check(
    varve_node *node, const void *bytes, size_t size, varve_error *error);

#endif
