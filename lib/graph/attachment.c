/* attachment.c - Stores the attachments of a node in a list, newest first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "attachment.h"

#include "allocator.h"
#include "graph.h"

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
