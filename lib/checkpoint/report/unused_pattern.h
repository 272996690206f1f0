/* unused_pattern.h - Finds renames and patterns of a read that matched nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_UNUSED_PATTERN_H
#define VV_UNUSED_PATTERN_H

#include "hint.h"
#include "report.h"

/* Adds a finding for each. If `hints` is NULL, the nearest names are not
 * searched. Must follow vv_scope_complete. Returns false if out
 * of memory. */
bool vv_list_unused_patterns(
    const struct vv_pairing *p, struct vv_hints *hints, varve_report *report);

#endif
