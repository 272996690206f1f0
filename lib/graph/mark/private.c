/* private.c - Makes rank-local nodes: an object for all processes, and below it
 * the object of this process.
 *
 * SPDX-License-Identifier: MIT
 */
#include "private.h"

#include <inttypes.h>

#include "edge.h"
#include "failure.h"
#include "graph.h"
#include "name.h"
#include "tag.h"

const struct vv_attachment_kind vv_private_kind = { .size = sizeof(
                                                        struct vv_private) };

static bool private_set(varve_node *node, uint32_t rank, uint32_t size,
    const varve_rank_local_options *options)
{
    struct vv_private *private = vv_attachment_make(node, &vv_private_kind);
    if (!private)
        return false;
    private->rank = rank;
    private->size = size;
    private->options = *options;
    return true;
}

bool vv_private_copy(const varve_node *from, varve_node *to)
{
    const struct vv_private *private = vv_private_of(from);
    if (!private)
        return true;
    varve_rank_local_options options = private->options;
    options.merge = NULL; /* it may refer to the original */
    return private_set(to, private->rank, private->size, &options);
}

bool vv_is_private(const varve_node *node)
{
    return vv_private_of(node);
}

varve_node *vv_private_mine(varve_node *node)
{
    char number[24];
    number[vv_decimal(vv_private_of(node)->rank, number)] = '\0';
    return node->edge_count == 1 ? varve_find(node, number) : NULL;
}

/* Returns true if a rank-local node can be added. Otherwise records an error.
 */
static bool private_check(const varve_node *parent, const char *name,
    const varve_comm *comm, const varve_rank_local_options *options)
{
    char text[256];
    varve_error error = { 0 };
    varve_status status = VV_CHECK_OPTIONS(options, &error);
    const char *path = vv_node_text(parent, text, sizeof text);
    if (comm && comm->rank >= comm->size)
        vv_graph_error(parent->graph, VARVE_MISUSE,
            "%s: \"%.200s\": rank %" PRIu32
            " is not below the number of ranks, %" PRIu32,
            path, name, comm->rank, comm->size);
    else if (status)
        vv_graph_error(parent->graph, status, "%s: \"%.200s\": %s", path, name,
            error.message);
    else if (options && options->merge && options->drop)
        vv_graph_error(parent->graph, VARVE_MISUSE,
            "%s: \"%.200s\": `fold` and `drop` exclude each other", path, name);
    else
        return true;
    return false;
}

varve_node *vv_private_new(varve_node *parent, const char *name,
    const varve_comm *comm, const varve_rank_local_options *options)
{
    varve_graph *graph = parent->graph;
    static const varve_rank_local_options none = { 0 };
    uint32_t rank = comm ? comm->rank : 0;
    char number[24];
    if (!vv_node_takes_children(parent, name) ||
        !private_check(parent, name ? name : "list element", comm, options))
        return &graph->nil;
    varve_node *all = varve_add_detached(graph);
    if (vv_is_nil(all))
        return all;
    number[vv_decimal(rank, number)] = '\0';
    bool is_set = private_set(
        all, rank, comm ? comm->size : 1, options ? options : &none);
    if (!is_set)
        vv_graph_memory_error(graph);
    vv_tag(all, VARVE_TAG_RANK_LOCAL);
    varve_node *mine = varve_add_object(all, number);
    if (is_set && !vv_is_nil(mine) && varve_has_tag(all, VARVE_TAG_RANK_LOCAL))
        return mine;
    varve_remove(all);
    return &graph->nil;
}

varve_node *vv_private_attach(
    varve_node *parent, const char *name, varve_node *mine)
{
    varve_node *all = vv_is_nil(mine) ? mine : vv_first_in(mine)->parent;
    if (vv_is_nil(all) || vv_edge_add(parent, name, all))
        return mine;
    varve_remove(all);
    return &parent->graph->nil;
}

varve_node *varve_add_rank_local(varve_node *parent, const char *name,
    const varve_comm *comm, const varve_rank_local_options *options)
{
    parent = vv_or_nil(parent);
    return vv_private_attach(
        parent, name, vv_private_new(parent, name, comm, options));
}
