/* sweep.c - Finds the names in use and frees the others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sweep.h"

#include "attachment.h"
#include "edge.h"

static size_t keep_names_of_node(const varve_node *node)
{
    size_t work = 1 + (size_t)node->edge_count;
    for (const struct vv_edge *e = vv_first_edge(node); e; e = vv_next_edge(e))
        vv_name_keep(vv_edge_name(e));
    return work + vv_attachments_keep_names(node);
}

static bool has_names_in_hand(const varve_graph *graph)
{
    const struct vv_observer *o = graph->newest;
    while (o && !(o->is_busy && o->is_busy(o)))
        o = o->older;
    return o || graph->held != VV_HOLDS_NOTHING;
}

void vv_sweep_names(varve_graph *graph)
{
    size_t work = 0;
    if (!vv_names_are_enough(&graph->names) || has_names_in_hand(graph))
        return;
    vv_names_sweep_begin(&graph->names);
    work += vv_attachments_keep_names(&graph->nil);
    for (const varve_node *n = vv_newest_node(graph); n; n = vv_older_node(n))
        work += keep_names_of_node(n);
    for (struct vv_observer *o = graph->newest; o; o = o->older) {
        if (o->names_swept)
            work += o->names_swept(o);
    }
    vv_names_sweep_end(&graph->names, work);
}
