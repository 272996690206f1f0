/* removal.h - Frees names that a graph no longer uses.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOVAL_H
#define VV_REMOVAL_H

#include "graph.h"

/* Called when names may be unused. No caller may hold a name that is neither in
 * the graph nor kept by an observer. Mostly does nothing: a sweep is made only
 * after as many names were added as it examines, so that its cost for each name
 * is small. */
void vv_sweep_names(varve_graph *graph);

#endif
