/* overlap.h - values that lie in the same memory under two nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OVERLAP_H
#define VV_OVERLAP_H

#include <varve/error.h>

#include "node.h"

/* Whether no two variables or texts that can be reached from a node, which is
 * not nil, share a byte. Those tagged VARVE_TAG_LOCAL are left out, and so are
 * two of which both are fixed, and what functions reach. VARVE_MISUSE names
 * both; VARVE_NO_MEMORY. It costs a load where no view has changed since it
 * last found none in the whole graph. */
varve_status vv_overlap_check(varve_node *root, varve_error *error);

/* The same of a graph without a mistake, whose structs are looked at before. */
varve_status vv_overlap_look(varve_node *root, varve_error *error);

#endif
