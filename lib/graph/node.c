/* node.c - Creates, frees and names nodes, and stores their attachments.
 *
 * SPDX-License-Identifier: MIT
 */
#include "node.h"

#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "graph.h"
#include "slot.h"

/* --- Nodes ---------------------------------------------------------------- */

/* Creates, frees and names nodes. */

void vv_node_list(varve_node *node)
{
    varve_graph *graph = node->graph;
    node->newer = 0;
    node->older = graph->newest_node;
    if (node->older)
        vv_older_node(node)->newer = node->number + 1;
    graph->newest_node = node->number + 1;
}

void vv_node_unlist(varve_node *node)
{
    if (node->older)
        vv_older_node(node)->newer = node->newer;
    if (node->newer)
        vv_newer_node(node)->older = node->older;
    else
        node->graph->newest_node = node->older;
}

varve_node *vv_node_new(varve_graph *graph, varve_kind kind)
{
    uint32_t number;
    varve_node *node = vv_indexed_pool_take(&graph->nodes, &number);
    if (!node)
        return vv_graph_memory_error(graph);
    node->graph = graph;
    node->kind = (uint8_t)kind;
    node->number = number - 1;
    if (number > graph->number_limit)
        graph->number_limit = number;
    vv_node_list(node);
    return node;
}

void vv_node_free(varve_node *node)
{
    varve_graph *graph = node->graph;
    if (node->variable)
        vv_attachments_free_variable(node);
    vv_attachments_drop(node);
    vv_node_unlist(node);
    vv_indexed_pool_give(&graph->nodes, node->number + 1);
}

/* --- Functions for programs --------------------------------------------- */

static varve_node *node_add_child(
    varve_node *parent, const char *name, varve_kind kind)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name))
        return &parent->graph->nil;
    return vv_edge_attach(parent, name, vv_node_new(parent->graph, kind));
}

varve_node *varve_add_object(varve_node *parent, const char *name)
{
    return node_add_child(parent, name, VARVE_OBJECT);
}

varve_node *varve_add_list(varve_node *parent, const char *name)
{
    return node_add_child(parent, name, VARVE_LIST);
}

varve_node *varve_add_dict(varve_node *parent, const char *name)
{
    return node_add_child(parent, name, VARVE_DICT);
}

varve_node *varve_add_detached(varve_graph *graph)
{
    graph = vv_graph_given(graph);
    if (vv_is_nil(graph->root))
        return graph->root;
    return vv_node_new(graph, VARVE_OBJECT);
}

varve_kind varve_node_kind(const varve_node *node)
{
    node = vv_or_nil(node);
    return (varve_kind)node->kind;
}

varve_graph *varve_node_graph(varve_node *node)
{
    node = vv_or_nil(node);
    return node->graph;
}

void vv_node_notify_changed(varve_node *node)
{
    struct vv_observer *o = vv_graph_listener(node->graph);
    for (; o; o = o->older) {
        if (o->node_changed)
            o->node_changed(o, node);
    }
}

/* --- Text --------------------------------------------------------------- */

/* Text that is written from its end. If it does not fit, it begins with "...".
 */
struct text {
    char *begin;
    char *at;
    bool is_full;
};

static void put_before(struct text *text, const char *bytes, size_t size)
{
    if (text->is_full)
        return;
    text->is_full = size + 4 > (size_t)(text->at - text->begin);
    if (text->is_full) {
        bytes = "...";
        size = 3;
    }
    text->at -= size;
    memcpy(text->at, bytes, size);
}

/* Returns true if a path begins at the node: at the root, even if an edge leads
 * back to it, or at a node without edges. */
static bool is_top(const varve_node *node)
{
    return !node->first_in || node == node->graph->root;
}

/* Writes the path of a node along its oldest edges in front of the text. */
static void put_path(struct text *text, const varve_node *node)
{
    for (int i = 0; !is_top(node) && !text->is_full && i < 64; i++) {
        const struct vv_edge *edge = vv_first_in(node);
        put_before(text, edge->public.name, vv_edge_name(edge)->size);
        node = edge->parent;
        if (!is_top(node))
            put_before(text, "/", 1);
    }
}

const char *vv_node_text(const varve_node *node, char *text, size_t size)
{
    struct text t = { text, text + size - 1, false };
    const struct vv_slot *slot = vv_as_slot(node);
    *t.at = '\0';
    if (slot && !node->first_in) {
        put_before(&t, ")", 1);
        put_path(&t, slot->public.variable);
        put_before(&t, "(", 1);
        put_before(&t, slot->name->bytes, slot->name->size);
        if (!is_top(slot->owner))
            put_before(&t, "/", 1);
        put_path(&t, slot->owner);
    } else {
        put_path(&t, node);
    }
    return *t.at ? t.at : "(root)";
}

const char *vv_kind_text(varve_kind kind)
{
    static const char *const texts[] = {
        [VARVE_NIL] = "nothing",
        [VARVE_OBJECT] = "an object",
        [VARVE_VARIABLE] = "a variable",
        [VARVE_LIST] = "a list",
        [VARVE_DICT] = "a dict",
        [VARVE_STATE] = "a state",
    };
    return texts[kind];
}

/* --- Attachments ---------------------------------------------------------- */

/* Stores the attachments of a node in a list, newest first. */

void *vv_attachment_make(
    varve_node *node, const struct vv_attachment_kind *kind)
{
    struct vv_attachment *made = vv_attachment_find(node, kind);
    if (made)
        return made;
    made = vv_allocate_zeroed(&node->graph->context.allocator, kind->size);
    if (!made)
        return NULL;
    made->kind = kind;
    made->next = node->attachments;
    node->attachments = made;
    return made;
}

/* Removes and frees the attachment that *place points to. */
static void attachment_drop(varve_node *node, struct vv_attachment **place)
{
    struct vv_attachment *gone = *place;
    const struct vv_attachment_kind *kind = gone->kind;
    *place = gone->next;
    if (kind->release)
        kind->release(node, gone);
    vv_release(&node->graph->context.allocator, gone, kind->size);
}

void vv_attachment_drop(varve_node *node, const struct vv_attachment_kind *kind)
{
    struct vv_attachment **place = &node->attachments;
    while (*place && (*place)->kind != kind)
        place = &(*place)->next;
    if (*place)
        attachment_drop(node, place);
}

void vv_attachments_drop(varve_node *node)
{
    while (node->attachments)
        attachment_drop(node, &node->attachments);
}

size_t vv_attachments_keep_names(const varve_node *node)
{
    size_t count = 0;
    for (const struct vv_attachment *at = node->attachments; at; at = at->next)
        if (at->kind->keep_names)
            count += at->kind->keep_names(at);
    return count;
}

void vv_attachments_free_variable(varve_node *node)
{
    const struct vv_attachment *at = node->graph->nil.attachments;
    for (; at; at = at->next)
        if (at->kind->free_variable)
            at->kind->free_variable(node);
}

bool vv_attachments_mend(varve_graph *graph)
{
    const struct vv_attachment *at = graph->nil.attachments;
    while (at && (!at->kind->mend || at->kind->mend(graph)))
        at = at->next;
    return !at;
}
