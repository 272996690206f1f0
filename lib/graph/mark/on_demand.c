/* on_demand.c - Stores the on-demand callback of a node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "on_demand.h"

#include "edge.h"
#include "graph.h"

const struct vv_attachment_kind vv_on_demand_kind = {
    .size = sizeof(struct vv_on_demand)
};

void varve_set_on_demand(
    varve_node *node, varve_on_demand *callback, void *user)
{
    node = vv_or_nil(node);
    if (!vv_node_takes_children(node, "on demand"))
        return;
    if (!callback) {
        vv_attachment_drop(node, &vv_on_demand_kind);
        return;
    }
    struct vv_on_demand *on_demand =
        vv_attachment_make(node, &vv_on_demand_kind);
    if (!on_demand) {
        vv_graph_memory_error(node->graph);
        return;
    }
    node->graph->adds_on_demand = true;
    on_demand->callback = callback;
    on_demand->user = user;
    vv_node_notify_changed(node);
}
