/* at_risk.c - Stores which values a failed restoration could lose: an
 * attachment of the graph, and one bit in each node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "at_risk.h"

#include "node.h"

/* Exists if values of the graph have been saved or restored, or are about to
 * be. */
struct at_risk {
    struct vv_attachment attachment;
    bool is_there;
    uint64_t first; /* number of the only restoration that has restored
                       values; 0: values were also saved, or restored by
                       others */
};

static const struct vv_attachment_kind kind = { .size =
                                                    sizeof(struct at_risk) };

bool vv_is_at_risk(const varve_graph *graph, uint64_t number)
{
    const struct at_risk *at_risk = vv_attachment_find(&graph->nil, &kind);
    return at_risk && at_risk->is_there &&
           (number == 0 || at_risk->first != number);
}

bool vv_may_lose(const varve_graph *graph, uint64_t number, varve_passes passes)
{
    return passes == VARVE_PASSES_AUTO ? vv_is_at_risk(graph, number)
                                       : passes != VARVE_ONE_PASS;
}

bool vv_reserve_at_risk(varve_graph *graph)
{
    return vv_attachment_make(&graph->nil, &kind);
}

void vv_put_at_risk(varve_graph *graph, uint64_t number)
{
    struct at_risk *at_risk = vv_attachment_find(&graph->nil, &kind);
    at_risk->first = vv_is_at_risk(graph, number) ? 0 : number;
    at_risk->is_there = true;
}

varve_status vv_check_whole(const varve_node *node, varve_error *error)
{
    char text[256];
    if (!node->is_half)
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE,
        "%s: cannot save: the variable was only partly restored: restore it "
        "again, or set it and call varve_mark_dirty",
        vv_node_text(node, text, sizeof text));
}

void vv_forget_half(varve_graph *graph)
{
    for (varve_node *n = vv_newest_node(graph); n; n = vv_older_node(n))
        n->is_half = false;
}
