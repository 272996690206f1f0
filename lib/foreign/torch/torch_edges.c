/* torch_edges.c - Accesses ranges of the draft's edges and the roles of nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_edges.h"

#include <string.h>

enum { LONGEST_SLOT = 255 };

struct vv_torch_edges vv_torch_edges_of(
    const struct vv_torch_graph *g, uint32_t node)
{
    size_t count;
    const struct vv_draft_edge *all =
        VV_PARTS(g->draft, edges, struct vv_draft_edge, &count);
    size_t end = node + 1 < vv_torch_way_count(g)
                     ? vv_torch_way_of(g, node + 1)->edges
                     : count;
    if (!all)
        return (struct vv_torch_edges){ 0 };
    return (struct vv_torch_edges){ all + vv_torch_way_of(g, node)->edges,
        all + end };
}

const struct vv_draft_value *vv_torch_value_of(
    const struct vv_torch_graph *g, uint32_t node)
{
    uint32_t value = vv_draft_node_at(g->draft, node)->value;
    return value ? (const struct vv_draft_value *)(const void *)
                           g->draft->values.data +
                       value - 1
                 : NULL;
}

bool vv_torch_is_called(const struct vv_draft_edge *e, const char *text)
{
    return e->name.size == strlen(text) &&
           memcmp(e->name.bytes, text, e->name.size) == 0;
}

uint32_t vv_torch_child_of(
    const struct vv_torch_graph *g, uint32_t node, const char *name)
{
    struct vv_torch_edges e = vv_torch_edges_of(g, node);
    while (e.at < e.end && !vv_torch_is_called(e.at, name))
        e.at++;
    return e.at < e.end ? e.at->child : 0;
}

bool vv_torch_has_groups(const struct vv_torch_graph *g, uint32_t node)
{
    return vv_draft_node_at(g->draft, node)->kind == VARVE_OBJECT &&
           vv_torch_child_of(g, node, "param_groups") &&
           vv_torch_child_of(g, node, "state");
}

static bool take_roles(
    struct vv_torch_graph *g, uint32_t variable, uint32_t node)
{
    if (!vv_torch_value_of(g, node) || node == variable || g->roles[node] ||
        g->roles[variable] & VV_TORCH_KEPT)
        return false;
    g->roles[variable] = VV_TORCH_TRAINED;
    g->roles[node] = VV_TORCH_KEPT;
    return true;
}

void vv_torch_add_slot(struct vv_torch_graph *g, uint32_t optimizer,
    uint32_t variable, const struct vv_draft_name *name, uint32_t node)
{
    if (name->size <= LONGEST_SLOT && take_roles(g, variable, node))
        vv_draft_slot(
            g->draft, optimizer, variable, name->bytes, name->size, node);
}
