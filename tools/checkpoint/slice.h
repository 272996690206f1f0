/* slice.h - a part of a value as NumPy writes it: "10:20,...,-1,::-2".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SLICE_H
#define TOOL_SLICE_H

#include <varve/reader.h>

#include "selection.h"
#include "settings.h"

/* What `slice`, of --slice, takes of a node that has a value; all of it where
 * that is NULL. For each dimension BEGIN:END or BEGIN:END:STEP, of which all
 * may be left out, or an index, which takes the dimension away; negative
 * numbers count from the end, a negative step goes backwards, what passes an
 * end stops there. "..." stands for as many dimensions as the others leave;
 * those that are not named are taken whole. OUTCOME_DONE, or complains. */
int slice_choose(const struct settings *settings, const char *slice,
    const varve_saved_node *node, struct selection *selection);

#endif
