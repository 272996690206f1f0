/* struct.h - Stores which structs nodes were made of.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRUCT_H
#define VV_STRUCT_H

#include <varve/struct.h>

#include "graph.h"
#include "node.h"

/* A struct that the program has added itself. The structs in it are found
 * through it. */
struct vv_struct_top {
    varve_node *node;
    struct vv_struct_top *older, *newer;
};

/* All such structs of a graph. */
struct vv_struct_tops {
    struct vv_attachment attachment;
    struct vv_struct_top *newest;
    size_t freed; /* number of freed structs */
};

extern const struct vv_attachment_kind vv_struct_tops_kind;

/* Returns NULL if there was none. */
static inline struct vv_struct_tops *vv_struct_tops(const varve_graph *graph)
{
    return vv_attachment_find(&graph->nil, &vv_struct_tops_kind);
}

/* Attached to the object of a struct, the state of a text, or a list of
 * structs. */
struct vv_struct {
    struct vv_attachment attachment;
    const varve_field *fields; /* the table; for a text or a list its field,
                                  or NULL */
    void *object;              /* the struct, the text or the first element */
    size_t size;               /* for a text its size with the NUL; for a
                                  list the number of elements */
    struct vv_struct_top *top; /* or NULL */
    bool *missing;             /* by field: it has no node, because it has no
                                  memory; NULL: all have */
    bool is_later;             /* tag `later` for the node and all below it */
    struct vv_migrating *migrating; /* packed when the struct is examined;
                                       then there are no fields; or NULL */
};

extern const struct vv_attachment_kind vv_struct_kind;

/* Returns what a node was made of, or NULL. */
static inline struct vv_struct *vv_struct_of(const varve_node *node)
{
    return vv_attachment_find(node, &vv_struct_kind);
}

/* Returns true if a node is the object of a struct. */
static inline bool vv_is_struct(const varve_node *node)
{
    return node->kind == VARVE_OBJECT && vv_struct_of(node);
}

/* Makes an object a struct without fields, whose redistributable structs are
 * packed when it is examined. Returns false if out of memory; then the caller
 * frees the node. */
bool vv_struct_watch(varve_node *node, struct vv_migrating *migrating);

/* The value of `member` of a node: not a member, an element of a list of
 * structs, or a number for its field. Fields with the same number have
 * different names. */
enum { VV_NO_MEMBER = 0, VV_MEMBER_OF_LIST = UINT8_MAX };
static inline uint8_t vv_member_of(
    const struct vv_struct *about, const varve_field *field)
{
    return (uint8_t)(1 + (field - about->fields) % (VV_MEMBER_OF_LIST - 1));
}

/* Returns true if a child was made for its parent, a list (`field` is NULL) or
 * a struct, and still has its place there, so that the program has not put it
 * there itself. */
bool vv_struct_made(const varve_node *parent, const varve_node *child,
    const varve_field *field);

/* Returns true if a node is a member of a struct that counts the elements of
 * another member. */
bool vv_struct_counts(const varve_node *node);

/* Makes the node of a field, with its tags, aliases and edge. Returns false if
 * out of memory. */
bool vv_struct_add_field(varve_node *node, const varve_field *field);

/* Does what varve_rebind_struct does for a node whose struct was checked.
 * Returns false if out of memory. With `by_itself`, fields that the program has
 * removed or bound to other memory are not changed. */
bool vv_struct_rebind(varve_node *node, void *object, bool by_itself);

#endif
