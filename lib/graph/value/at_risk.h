/* at_risk.h - Tracks values that a failed restoration could lose because they
 * were saved or restored before, and values that one has partially restored.
 *
 * In a new program nothing is at risk: it can make its values again, so they
 * may be read in one pass (varve/options.h). After the first save, snapshot or
 * restoration values are at risk, except for the first restoration itself while
 * it is the only one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_AT_RISK_H
#define VV_AT_RISK_H

#include <varve/options.h>

#include "graph.h"

/* Returns true if values of a graph are at risk for the restoration with this
 * number; 0: for one that has not begun. */
bool vv_is_at_risk(const varve_graph *graph, uint64_t number);

/* Does the same, considering the option `passes`: with one pass nothing is at
 * risk, with two everything. */
bool vv_may_lose(
    const varve_graph *graph, uint64_t number, varve_passes passes);

/* Allocates what vv_put_at_risk needs. Returns false if out of memory. */
bool vv_reserve_at_risk(varve_graph *graph);

/* Records that the restoration with this number has restored values; 0: that
 * values were saved, or restored once more. */
void vv_put_at_risk(varve_graph *graph, uint64_t number);

/* Returns VARVE_MISUSE if a node is only partially restored and therefore must
 * not be saved. */
varve_status vv_check_whole(const varve_node *node, varve_error *error);

/* Records that the program has made all values of a graph itself. */
void vv_forget_half(varve_graph *graph);

#endif
