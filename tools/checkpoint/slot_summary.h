/* slot_summary.h - Summarizes all slots of an owner.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SLOT_SUMMARY_H
#define TOOL_SLOT_SUMMARY_H

#include "outline.h"

/* Writes for example "m, v for 4 variables" into `text`. Returns the size in
 * bytes of the slots that are below this owner in the tree. */
uint64_t slot_summary(
    const struct outline *outline, uint32_t owner, char *text, size_t size);

#endif
