/* slot_summary.h - all slots of an owner in a few words.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SLOT_SUMMARY_H
#define TOOL_SLOT_SUMMARY_H

#include "outline.h"

/* Writes "m, v for 4 variables" into `text`; returns the bytes of the slots
 * that stand below this owner. */
uint64_t slot_summary(
    const struct outline *outline, uint32_t owner, char *text, size_t size);

#endif
