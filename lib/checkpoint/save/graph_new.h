/* graph_new.h - varve_graph_new is public (varve/graph.h); it stands in this
 * layer because a graph alone knows no system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GRAPH_NEW_H
#define VV_GRAPH_NEW_H

#include <varve/graph.h>

#endif
