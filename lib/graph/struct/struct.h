/* struct.h - what nodes remember of the structs that they were made of.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRUCT_H
#define VV_STRUCT_H

#include <varve/struct.h>

#include "attachment.h"
#include "graph.h"

/* One that the program has added itself: those in it are found by it. */
struct vv_struct_top {
    varve_node *node;
    struct vv_struct_top *older, *newer;
};

/* Of the graph: all of these. */
struct vv_struct_tops {
    struct vv_attachment attachment;
    struct vv_struct_top *newest;
    size_t freed; /* how many have gone */
};

extern const struct vv_attachment_kind vv_struct_tops_kind;

/* NULL: there has been none. */
static inline struct vv_struct_tops *vv_struct_tops(const varve_graph *graph)
{
    return vv_attachment_find(&graph->nil, &vv_struct_tops_kind);
}

/* Of the object of a struct, of the state of a text, and of a list of
 * structs. */
struct vv_struct {
    struct vv_attachment attachment;
    const varve_field *fields; /* the table; of a text or a list its field, or
                                  NULL */
    void *object;              /* the struct, the text, the first element */
    size_t size;               /* of a text, with its NUL; of a list: how many
                                  there are */
    struct vv_struct_top *top; /* or NULL */
    bool *missing;             /* by field: it has no node, since it waits for
                                  memory; NULL: none does */
    bool is_later;             /* with all below it */
    struct vv_migrating *migrating; /* what is packed when it is looked at, and
                                       then there are no fields; or NULL */
};

extern const struct vv_attachment_kind vv_struct_kind;

/* What a node remembers, or NULL. */
static inline struct vv_struct *vv_struct_of(const varve_node *node)
{
    return vv_attachment_find(node, &vv_struct_kind);
}

/* Whether a node is the object of a struct. */
static inline bool vv_is_struct(const varve_node *node)
{
    return node->kind == VARVE_OBJECT && vv_struct_of(node);
}

/* Lets an object be looked at as a struct without fields, for which what
 * migrates is packed; false without memory, else the node's to free. */
bool vv_struct_watch(varve_node *node, struct vv_migrating *migrating);

/* What a node is a member of, in its byte for that: nothing, an element of a
 * list of structs, or else the number of its field. (Fields so far apart that
 * they share one have different names.) */
enum { VV_NO_MEMBER = 0, VV_MEMBER_OF_LIST = UINT8_MAX };
static inline uint8_t vv_member_of(
    const struct vv_struct *about, const varve_field *field)
{
    return (uint8_t)(1 + (field - about->fields) % (VV_MEMBER_OF_LIST - 1));
}

/* Whether a child was made for its parent, a list (`field` is NULL) or a
 * struct, and is where that was: not what the program has put there by itself.
 */
bool vv_struct_made(const varve_node *parent, const varve_node *child,
    const varve_field *field);

/* Makes the node of a field, with its tags and aliases, and its edge; false
 * without memory. */
bool vv_struct_add_field(varve_node *node, const varve_field *field);

/* As varve_rebind_struct of a node whose struct was checked; false without
 * memory. With `by_itself` a field that the program has taken out or bound to
 * other memory stays as it is. */
bool vv_struct_rebind(varve_node *node, void *object, bool by_itself);

#endif
