/* at_risk.h - what a restoration that fails could lose: values that somebody
 * has kept or brought before; and what one has left half restored.
 *
 * A program that was just built has nothing at at risk: what it holds, it can
 * make again, so that it may be read once (varve/options.h). From the first
 * save, snapshot or restoration on it has, but for that first restoration
 * itself, as long as there is no other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_AT_RISK_H
#define VV_AT_RISK_H

#include <varve/options.h>

#include "graph.h"

/* Whether values of a graph are at at risk for the restoration of this number;
 * 0: for one that has not begun. */
bool vv_is_at_risk(const varve_graph *graph, uint64_t number);

/* The same where the program says how often values are read: nothing is lost by
 * once where it asks for that. */
bool vv_may_lose(
    const varve_graph *graph, uint64_t number, varve_passes passes);

/* Makes room for what the next one notes; false without memory. */
bool vv_reserve_at_risk(varve_graph *graph);

/* Values were brought by the restoration of this number; 0: they are kept, or
 * brought once more, whoever has brought them. */
void vv_put_at_risk(varve_graph *graph, uint64_t number);

/* VARVE_MISUSE where a restoration has left a node half restored, which is to
 * be kept now. */
varve_status vv_check_whole(const varve_node *node, varve_error *error);

/* The program has made all values of a graph itself. */
void vv_forget_half(varve_graph *graph);

#endif
