/* unused_pattern.h - renames and patterns of a read that stood for nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_UNUSED_PATTERN_H
#define VV_UNUSED_PATTERN_H

#include "hint.h"
#include "report.h"

/* Adds a finding for each, after vv_scope_complete; false without memory. */
bool vv_list_unused_patterns(
    const struct vv_pairing *p, struct vv_hints *hints, varve_report *report);

#endif
