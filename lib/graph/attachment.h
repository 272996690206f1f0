/* attachment.h - what features hang on a node, or on a graph as a whole.
 *
 * The kernel (nodes, edges, slots, walks) knows no feature. A feature has a
 * kind, a constant of its own, and a struct that begins with a vv_attachment;
 * it is made at the node when it is first needed and goes with the node. What a
 * feature has once for the whole graph hangs on the graph's nil node.
 *
 * A node that has none pays a pointer; to find one costs as many comparisons as
 * the node has others, which are few.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ATTACHMENT_H
#define VV_ATTACHMENT_H

#include "node.h"

/* What is NULL is passed over. */
struct vv_attachment_kind {
    /* to fill in */
    size_t size; /* of the feature's struct */
    /* Lets go of what the struct has; the node is being freed, or it is dropped
     * from it. Of one of the graph: there are no other nodes any more. */
    void (*release)(varve_node *node, void *self);
    /* vv_name_keep for each name that it has; returns how many. */
    size_t (*keep_names)(const void *self);

    /* Of one of the graph's: */
    /* A variable is being freed, before what hangs on it is. */
    void (*free_variable)(varve_node *node);
    /* Gets what there was no memory for when it was built, before the mistake
     * is cleared; false where there is none still. */
    bool (*mend)(varve_graph *graph);
};

/* The first member of what a feature hangs on a node. */
struct vv_attachment {
    /* own */
    const struct vv_attachment_kind *kind;
    struct vv_attachment *next;
};

/* That of a node; NULL: it has none. */
static inline void *vv_attachment_find(
    const varve_node *node, const struct vv_attachment_kind *kind)
{
    struct vv_attachment *at = node->attachments;
    while (at && at->kind != kind)
        at = at->next;
    return at;
}

/* The same, made and zeroed if need be; NULL without memory. */
void *vv_attachment_make(
    varve_node *node, const struct vv_attachment_kind *kind);

/* Takes it from the node, which may have none. */
void vv_attachment_drop(
    varve_node *node, const struct vv_attachment_kind *kind);

/* Takes all from a node. */
void vv_attachments_drop(varve_node *node);

/* Keeps the names that all of a node have; returns how many. */
size_t vv_attachments_keep_names(const varve_node *node);

/* Tells those of a graph that a variable of it is being freed. */
void vv_attachments_free_variable(varve_node *node);

/* Whether nothing that is built in a graph lacks memory any more. */
bool vv_attachments_mend(varve_graph *graph);

#endif
