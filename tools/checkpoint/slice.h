/* slice.h - Parses slices in the notation of NumPy: "10:20,...,-1,::-2".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SLICE_H
#define TOOL_SLICE_H

#include <varve/reader.h>

#include "selection.h"
#include "settings.h"

/* Selects the elements of `slice` (the value of --slice) of a node with a
 * value; all if it is NULL. For each dimension it contains BEGIN:END or
 * BEGIN:END:STEP, where each part can be omitted, or an index, which removes
 * the dimension. Negative numbers count from the end, a negative step reverses
 * the order, and ranges are clipped. "..." represents all dimensions that the
 * others leave; dimensions without a range are selected completely. Returns
 * OUTCOME_DONE, or prints an error. */
int slice_choose(const struct settings *settings, const char *slice,
    const varve_saved_node *node, struct selection *selection);

#endif
