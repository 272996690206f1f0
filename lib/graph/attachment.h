/* attachment.h - Attaches data of features to a node, or to a graph as a whole.
 *
 * Nodes, edges, slots and walks do not depend on any feature. A feature defines
 * a kind, which is a constant, and a struct that begins with a vv_attachment.
 * The struct is allocated when a node first needs it and freed with the node.
 * Data of the whole graph is attached to its nil node.
 *
 * A node without attachments costs one pointer. Finding an attachment takes as
 * many comparisons as the node has attachments, which are few.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ATTACHMENT_H
#define VV_ATTACHMENT_H

#include "node.h"

/* Functions that are NULL are skipped. */
struct vv_attachment_kind {
    /* to fill in */
    size_t size; /* size of the struct of the feature */
    /* Frees what the struct owns. Called when the node is freed or the
     * attachment is dropped. For an attachment of the graph, all other nodes
     * have been freed. */
    void (*release)(varve_node *node, void *self);
    /* Calls vv_name_keep for each name of the struct. Returns how many it has.
     */
    size_t (*keep_names)(const void *self);

    /* Only for attachments of the graph: */
    /* Called when a variable is freed, before its attachments are. */
    void (*free_variable)(varve_node *node);
    /* Allocates what could not be allocated before, so that the error can be
     * cleared. Returns false if there is still no memory. */
    bool (*mend)(varve_graph *graph);
};

/* The first member of the struct of a feature. */
struct vv_attachment {
    /* own */
    const struct vv_attachment_kind *kind;
    struct vv_attachment *next;
};

/* Returns the attachment of a node, or NULL. */
static inline void *vv_attachment_find(
    const varve_node *node, const struct vv_attachment_kind *kind)
{
    struct vv_attachment *at = node->attachments;
    while (at && at->kind != kind)
        at = at->next;
    return at;
}

/* Returns the attachment of a node. Allocates it, zeroed, if needed. Returns
 * NULL if out of memory. */
void *vv_attachment_make(
    varve_node *node, const struct vv_attachment_kind *kind);

/* Removes the attachment if the node has one. */
void vv_attachment_drop(
    varve_node *node, const struct vv_attachment_kind *kind);

/* Removes all attachments of a node. */
void vv_attachments_drop(varve_node *node);

/* Marks the names of all attachments of a node. Returns how many there are. */
size_t vv_attachments_keep_names(const varve_node *node);

/* Calls `free_variable` of the attachments of the graph. */
void vv_attachments_free_variable(varve_node *node);

/* Calls `mend` of the attachments of the graph. Returns true if none lacks
 * memory any more. */
bool vv_attachments_mend(varve_graph *graph);

#endif
