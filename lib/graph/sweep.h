/* sweep.h - letting go of the names that nothing in a graph has any more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SWEEP_H
#define VV_SWEEP_H

#include "graph.h"

/* Called when names may have come free, and nobody has one that is not in the
 * graph or kept by an observer. Mostly does nothing: only when as many names
 * have come as a sweep looks at, so that it costs each of them a little. */
void vv_sweep_names(varve_graph *graph);

#endif
