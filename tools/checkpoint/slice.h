/* slice.h - a part of a value as NumPy writes it: "10:20,...,-1,::-2".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SLICE_H
#define TOOL_SLICE_H

#include <stdbool.h>
#include <stddef.h>

#include "selection.h"

/* For each dimension BEGIN:END or BEGIN:END:STEP, of which all may be left out,
 * or an index, which takes the dimension away; negative numbers count from the
 * end, a negative step goes backwards, what passes an end stops there. "..."
 * stands for as many dimensions as the others leave; those that are not named
 * are taken whole. false with the reason in `why`, of `size` bytes. */
bool slice_parse(const char *text, const varve_tensor *tensor,
    struct selection *selection, char *why, size_t size);

#endif
