/* struct_look.c - Checks whether structs still match their nodes, from the
 * outermost inward, because memory that a pointer no longer leads to may be
 * freed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "struct_look.h"

#include <string.h>

#include "edge.h"
#include "field.h"
#include "graph.h"
#include "migrating.h"
#include "reached.h"
#include "refresh.h"
#include "struct.h"
#include "struct_memory.h"
#include "try.h"
#include "variable.h"
#include "walk.h"

/* number of edges that are followed upward before a walk is made */
enum { FEW_CLIMBED = 8 };

/* --- What can move ------------------------------------------------------ */

static bool table_moves(const varve_field *fields, unsigned depth);

/* Returns true if the memory or size of a field can change while its struct
 * does not. The depth of a checked struct limits the recursion. */
static bool field_moves(const varve_field *f, unsigned depth)
{
    if (f->kind == VARVE_FIELD_IS_GONE)
        return false;
    if (f->is_pointer || f->count)
        return true;
    for (unsigned i = 0; i < f->rank; i++)
        if (f->extents[i].dtype)
            return true;
    return f->fields && depth < VV_MAX_STRUCT_DEPTH &&
           table_moves(f->fields, depth + 1);
}

static bool table_moves(const varve_field *fields, unsigned depth)
{
    for (const varve_field *f = fields; f->kind; f++)
        if (field_moves(f, depth))
            return true;
    return false;
}

/* --- Detecting changes -------------------------------------------------- */

static bool is_as_it_was(varve_node *node, const void *object);

static const struct vv_struct *about_of(
    const varve_node *node, varve_kind kind, const varve_field *fields)
{
    const struct vv_struct *about = vv_struct_of(node);
    return node->kind == kind && about && about->fields == fields ? about
                                                                  : NULL;
}

static bool is_over(
    const varve_node *child, const varve_field *f, const void *object)
{
    const varve_tensor *was = &child->variable->tensor;
    if (vv_is_reached(f))
        return vv_reached_is_over(child, f, object);
    if (was->data != vv_field_memory(f, object))
        return false;
    for (unsigned i = 0; i < f->rank; i++)
        if (was->shape[i] != vv_field_extent(f, object, i))
            return false;
    return true;
}

/* A variable that the program has bound to other memory belongs to the struct
 * again when the struct leads to that memory. */
static bool is_same_value(
    varve_node *child, const varve_field *f, const void *object)
{
    if (!child->variable)
        return true;
    bool is_one = is_over(child, f, object);
    if (is_one)
        child->is_elsewhere = false;
    return is_one || child->is_elsewhere;
}

static bool is_same_list(
    varve_node *list, const varve_field *f, const void *object)
{
    const struct vv_struct *about = about_of(list, VARVE_LIST, f);
    uint64_t index = 0;
    if (!about)
        return true;
    if (about->object != vv_field_memory(f, object) ||
        about->size != vv_field_extent(f, object, 0))
        return false;
    if (!table_moves(f->fields, 0))
        return true;
    for (const varve_edge *e = varve_edge_first(list); e && index < about->size;
         e = varve_edge_next(e), index++) {
        const char *element =
            (const char *)about->object + (size_t)index * f->element_size;
        if (vv_struct_made(list, e->node, NULL) &&
            about_of(e->node, VARVE_OBJECT, f->fields) &&
            !is_as_it_was(e->node, element))
            return false;
    }
    return true;
}

static bool is_same_child(
    varve_node *child, const varve_field *f, const void *object)
{
    const void *memory = vv_field_memory(f, object);
    const struct vv_struct *about;
    switch (f->kind) {
    case VARVE_FIELD_IS_TEXT:
        if (f->is_pointer)
            return !vv_owned_text_of(child) ||
                   vv_owned_text_look(child, f, object);
        about = about_of(child, VARVE_STATE, f);
        return !about || about->object == memory;
    case VARVE_FIELD_IS_STRUCT:
        return !about_of(child, VARVE_OBJECT, f->fields) ||
               is_as_it_was(child, memory);
    case VARVE_FIELD_IS_LIST: return is_same_list(child, f, object);
    default: return is_same_value(child, f, object);
    }
}

/* Returns the child of a field. Edges have the order of the fields, unless the
 * program has changed them. */
static varve_node *next_child(
    varve_node *node, const varve_field *f, const varve_edge **next)
{
    const varve_edge *edge = *next;
    if (!edge || strcmp(edge->name, vv_field_name(f)) != 0)
        return varve_find(node, vv_field_name(f));
    *next = varve_edge_next(edge);
    return edge->node;
}

/* Returns true if the edge is the oldest one to a node, or if it is NULL and
 * there is none. */
static bool is_oldest(const varve_node *node, const varve_edge *edge)
{
    const struct vv_edge *in = vv_first_in(node);
    return in && &in->public == edge;
}

static bool is_as_it_was(varve_node *node, const void *object)
{
    const struct vv_struct *about = vv_struct_of(node);
    const varve_edge *next = varve_edge_first(node);
    if (about->object != object)
        return false;
    for (const varve_field *f = about->fields; f->kind; f++) {
        if (f->kind == VARVE_FIELD_IS_GONE)
            continue;
        if (!field_moves(f, 0)) {
            next = next ? varve_edge_next(next) : NULL;
            continue;
        }
        const varve_edge *edge = next;
        varve_node *child = next_child(node, f, &next);
        bool waits = vv_field_waits(f, object);
        bool waited = about->missing && about->missing[f - about->fields];
        if (child &&
            !(child->member == vv_member_of(about, f) &&
                is_oldest(child, edge)) &&
            !vv_struct_made(node, child, f))
            continue;
        if (!child ? waited && !waits
                   : waits || !is_same_child(child, f, object))
            return false;
    }
    return true;
}

/* --- Updating ----------------------------------------------------------- */

static varve_status struct_look_look(varve_node *node, varve_error *error)
{
    void *object = vv_struct_of(node)->object;
    if (vv_struct_of(node)->migrating)
        return vv_migrating_pack(node, vv_struct_of(node)->migrating, error);
    if (is_as_it_was(node, object))
        return VARVE_OK;
    if (vv_fields_check(node, "", vv_struct_of(node)->fields, object, 0) &&
        vv_graph_may_change(node, VV_HOLDS_NODES) &&
        !vv_struct_rebind(node, object, true))
        vv_graph_memory_error(node->graph);
    return vv_graph_take_error(node->graph, error);
}

/* Returns true if a few of the oldest edges lead from the root to the node. */
static bool is_plainly_below(const varve_node *node, const varve_node *root)
{
    for (int i = 0; i < FEW_CLIMBED && node && node != root; i++) {
        const struct vv_edge *in = vv_first_in(node);
        node = in ? in->parent : NULL;
    }
    return node == root;
}

/* Updates the structs below a node: with a walk all of them, otherwise those
 * that are close to it. */
static varve_status look_once(
    varve_node *root, const struct vv_walk *walk, varve_error *error)
{
    const struct vv_struct_tops *tops = vv_struct_tops(root->graph);
    size_t freed = tops->freed;
    for (struct vv_struct_top *top = tops->newest; top;) {
        varve_node *node = top->node;
        top = top->older;
        if (walk ? vv_walk_has(walk, node) : is_plainly_below(node, root))
            VV_TRY(struct_look_look(node, error));
        if (freed != tops->freed)
            return VARVE_OK; /* the next one may be freed */
    }
    return VARVE_OK;
}

/* Repeats until an update frees no other struct. */
static varve_status struct_look_below(
    varve_node *root, bool walks, varve_error *error)
{
    const struct vv_struct_tops *tops = vv_struct_tops(root->graph);
    size_t freed;
    varve_status status;
    do {
        struct vv_walk walk;
        freed = tops->freed;
        if (walks)
            VV_TRY(vv_walk_begin(&walk, root, error));
        status = look_once(root, walks ? &walk : NULL, error);
        if (walks)
            vv_walk_end(&walk);
    } while (!status && freed != tops->freed);
    return status;
}

static bool are_plainly_below(const varve_node *root)
{
    const struct vv_struct_top *top = vv_struct_tops(root->graph)->newest;
    for (; top; top = top->older)
        if (!is_plainly_below(top->node, root))
            return false;
    return true;
}

/* Updates the struct that contains a node. Between two structs there may be a
 * list. */
static varve_status look_above(varve_node *node, varve_error *error)
{
    for (int i = 0; i <= 2 * VV_MAX_STRUCT_DEPTH; i++) {
        const struct vv_edge *in = vv_first_in(node);
        if (!in)
            return VARVE_OK;
        node = in->parent;
        if (vv_is_struct(node) && vv_struct_of(node)->top)
            return struct_look_look(node, error);
    }
    return VARVE_OK;
}

varve_status vv_structs_look(varve_node *root, varve_error *error)
{
    VV_TRY(vv_refresh(root, error));
    const struct vv_struct_tops *tops = vv_struct_tops(root->graph);
    if (!tops || !tops->newest)
        return VARVE_OK;
    VV_TRY(look_above(root, error));
    return struct_look_below(root, !are_plainly_below(root), error);
}
