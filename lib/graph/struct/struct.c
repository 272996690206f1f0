/* struct.c - Adds structs as objects, completely or not at all, updates them,
 * and allocates memory for larger saved values.
 *
 * Tables are checked before anything is made (field.c). The maximum depth of
 * structs limits the recursion.
 *
 * SPDX-License-Identifier: MIT
 */
#include "struct.h"

#include <stdint.h>
#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "failure.h"
#include "field.h"
#include "graph.h"
#include "migrating.h"
#include "name.h"
#include "on_demand.h"
#include "reached.h"
#include "state.h"
#include "struct_memory.h"
#include "tag.h"
#include "typed_memory.h"
#include "variable.h"

/* --- Text --------------------------------------------------------------- */

static varve_status save_text(void *self, varve_sink *sink)
{
    const struct vv_struct *about = self;
    const char *text = about->object;
    const char *end = memchr(text, '\0', about->size);
    if (!end)
        return VARVE_LIMIT;
    varve_put(sink, text, (size_t)(end - text));
    return VARVE_OK;
}

static varve_status load_text(void *self, const void *bytes, size_t size)
{
    const struct vv_struct *about = self;
    char *text = about->object;
    if (size >= about->size)
        return VARVE_LIMIT;
    memcpy(text, bytes, size);
    memset(text + size, 0, about->size - size);
    return VARVE_OK;
}

static void explain_text(const void *self, const char *where, const void *bytes,
    size_t size, varve_error *error)
{
    const struct vv_struct *about = self;
    if (bytes)
        vv_fail(error, VARVE_CALLBACK,
            "%s: the saved text has %zu bytes, the buffer holds %zu", where,
            size, about->size - 1);
    else
        vv_fail(error, VARVE_CALLBACK,
            "%s: the text has no NUL in its %zu bytes", where, about->size);
}

static const varve_state_callbacks text_callbacks = { save_text, load_text };

/* --- Making ------------------------------------------------------------- */

static varve_node *struct_fill(
    varve_node *node, const varve_field *fields, void *object, bool is_later);

static size_t field_count(const varve_field *fields)
{
    size_t count = 0;
    while (fields[count].kind)
        count++;
    return count;
}

static void drop_top(varve_node *node, struct vv_struct_top *top)
{
    struct vv_struct_tops *tops = vv_struct_tops(node->graph);
    if (!top)
        return;
    if (top->newer)
        top->newer->older = top->older;
    else
        tops->newest = top->older;
    if (top->older)
        top->older->newer = top->newer;
    tops->freed++;
    vv_release(&node->graph->context.allocator, top, sizeof *top);
}

static void struct_release(varve_node *node, void *self)
{
    const varve_allocator *a = &node->graph->context.allocator;
    struct vv_struct *about = self;
    drop_top(node, about->top);
    if (about->missing)
        vv_release(a, about->missing, field_count(about->fields));
    vv_migrating_free(a, about->migrating);
}

const struct vv_attachment_kind vv_struct_tops_kind = {
    .size = sizeof(struct vv_struct_tops),
};

const struct vv_attachment_kind vv_struct_kind = {
    .size = sizeof(struct vv_struct),
    .release = struct_release,
};

/* Adds a struct to the list of those that are not part of another one. Returns
 * false if out of memory. */
static bool list_top(varve_node *node)
{
    varve_graph *graph = node->graph;
    struct vv_struct_tops *tops =
        vv_attachment_make(&graph->nil, &vv_struct_tops_kind);
    struct vv_struct_top *top =
        tops ? vv_allocate(&graph->context.allocator, sizeof *top) : NULL;
    if (!top)
        return false;
    *top = (struct vv_struct_top){ .node = node, .older = tops->newest };
    if (top->older)
        top->older->newer = top;
    tops->newest = top;
    vv_struct_of(node)->top = top;
    return true;
}

/* Stores what a node was made of. Returns NULL if out of memory. */
static struct vv_struct *struct_remember(
    varve_node *node, const varve_field *fields, void *object, bool is_later)
{
    struct vv_struct *about =
        vv_is_nil(node) ? NULL : vv_attachment_make(node, &vv_struct_kind);
    if (about) {
        about->fields = fields;
        about->object = object;
        about->is_later = is_later;
    }
    return about;
}

bool vv_struct_watch(varve_node *node, struct vv_migrating *migrating)
{
    static const varve_field none[] = { VARVE_FIELDS_END };
    struct vv_struct *about = struct_remember(node, none, NULL, false);
    if (!about || !list_top(node))
        return false;
    about->migrating = migrating;
    return true;
}

/* Records whether a field has no node because it has no memory. Returns false
 * if out of memory. */
static bool note_missing(
    varve_node *node, const varve_field *field, bool is_missing)
{
    struct vv_struct *about = vv_struct_of(node);
    if (!about->missing && !is_missing)
        return true;
    if (!about->missing)
        about->missing = vv_allocate_zeroed(
            &node->graph->context.allocator, field_count(about->fields));
    if (about->missing)
        about->missing[field - about->fields] = is_missing;
    return about->missing;
}

static bool struct_is_missing(const varve_node *node, const varve_field *field)
{
    const struct vv_struct *about = vv_struct_of(node);
    return about->missing && about->missing[field - about->fields];
}

/* Frees a node that has no edge yet, and records VARVE_NO_MEMORY. Returns nil.
 */
static varve_node *struct_give_up(varve_node *node)
{
    varve_graph *graph = node->graph;
    if (!vv_is_nil(node)) {
        varve_remove(node);
        vv_graph_memory_error(graph);
    }
    return &graph->nil;
}

static varve_node *struct_make_text(
    varve_graph *graph, const varve_field *field, char *text, size_t size)
{
    varve_node *node = vv_state_new(graph, &text_callbacks, NULL);
    struct vv_struct *about = struct_remember(node, field, text, false);
    if (!about)
        return struct_give_up(node);
    about->size = size;
    graph->has_new_views = true;
    vv_state_of(node)->self = about;
    vv_state_of(node)->explain = explain_text;
    vv_state_of(node)->is_plain = true;
    node->value_state = VARVE_INITIALIZED;
    return node;
}

static varve_node *make_struct(
    varve_graph *graph, const varve_field *fields, void *object, bool is_later)
{
    varve_node *node = vv_node_new(graph, VARVE_OBJECT);
    return vv_is_nil(node) ? node : struct_fill(node, fields, object, is_later);
}

static void *element_at(
    const varve_field *field, const void *object, uint64_t index)
{
    char *memory = vv_field_memory(field, object);
    return memory + (size_t)index * field->element_size;
}

/* Appends the elements from `begin` on. Returns false if out of memory. */
static bool struct_append(varve_node *list, const varve_field *field,
    const void *object, uint64_t begin, bool is_later)
{
    uint64_t count = vv_field_extent(field, object, 0);
    for (uint64_t i = begin; i < count; i++) {
        varve_node *element = make_struct(
            list->graph, field->fields, element_at(field, object, i), is_later);
        if (vv_is_nil(element))
            return false;
        element->member = VV_MEMBER_OF_LIST;
        if (!vv_edge_add(list, VARVE_APPEND, element)) {
            struct_give_up(element);
            return false;
        }
    }
    return true;
}

/* Stores the address and number of the elements of a list. Returns false if out
 * of memory. */
static bool remember_list(
    varve_node *list, const varve_field *field, const void *object)
{
    struct vv_struct *about =
        struct_remember(list, field, vv_field_memory(field, object), false);
    if (about)
        about->size = (size_t)vv_field_extent(field, object, 0);
    return about;
}

static varve_node *make_list(varve_graph *graph, const varve_field *field,
    const void *object, bool is_later)
{
    varve_node *list = vv_node_new(graph, VARVE_LIST);
    if (vv_is_nil(list) || (remember_list(list, field, object) &&
                               struct_append(list, field, object, 0, is_later)))
        return list;
    return struct_give_up(list);
}

static varve_node *make_field(
    varve_graph *graph, const varve_field *field, void *object, bool is_later)
{
    switch (field->kind) {
    case VARVE_FIELD_IS_TEXT:
        if (field->is_pointer)
            return vv_owned_text_new(graph, field, object);
        return struct_make_text(
            graph, field, vv_field_memory(field, object), field->size);
    case VARVE_FIELD_IS_STRUCT:
        return make_struct(
            graph, field->fields, vv_field_memory(field, object), is_later);
    case VARVE_FIELD_IS_LIST: return make_list(graph, field, object, is_later);
    default:
        if (vv_is_reached(field))
            return vv_reached_new(graph, field, object);
        return vv_variable_new(graph->root, vv_field_name(field),
            vv_field_view(field, object), false);
    }
}

bool vv_struct_add_field(varve_node *node, const varve_field *field)
{
    const struct vv_struct about = *vv_struct_of(node);
    bool is_later = about.is_later || field->is_later;
    varve_node *child = make_field(node->graph, field, about.object, is_later);
    if (vv_is_nil(child))
        return false;
    bool has_value =
        child->kind == VARVE_VARIABLE || child->kind == VARVE_STATE;
    if (has_value && is_later)
        varve_tag(child, VARVE_TAG_LATER);
    if (has_value && field->is_fixed)
        varve_tag(child, VARVE_TAG_FIXED);
    else if (has_value && vv_field_counts(field, about.fields))
        vv_tag(child, VARVE_TAG_FIXED);
    vv_field_add_aliases(field, child);
    child->member = vv_member_of(&about, field);
    if (vv_edge_add(node, vv_field_name(field), child))
        return note_missing(node, field, false);
    struct_give_up(child);
    return false;
}

/* --- The fields of an object -------------------------------------------- */

static varve_node *struct_fill(
    varve_node *node, const varve_field *fields, void *object, bool is_later)
{
    struct vv_struct *about = struct_remember(node, fields, object, is_later);
    if (!about)
        return struct_give_up(node);
    for (const varve_field *f = fields; f->kind; f++) {
        if (f->kind == VARVE_FIELD_IS_GONE)
            varve_retire(node, vv_field_name(f));
        else if (vv_field_waits(f, object) ? !note_missing(node, f, true)
                                           : !vv_struct_add_field(node, f))
            return struct_give_up(node);
        if (f->room && !vv_on_demand_of(node))
            varve_set_on_demand(node, vv_struct_offered, about);
    }
    return node;
}

varve_node *varve_add_sized_struct(varve_node *parent, const char *name,
    const varve_field *fields, void *object, size_t size)
{
    parent = vv_or_nil(parent);
    varve_graph *graph = parent->graph;
    if (!vv_node_takes_children(parent, name) ||
        !vv_fields_check(parent, name, fields, object, size))
        return &graph->nil;
    varve_node *node = make_struct(graph, fields, object, false);
    if (vv_is_nil(node) || (list_top(node) && vv_edge_add(parent, name, node)))
        return node;
    return struct_give_up(node);
}

varve_node *varve_add_text(
    varve_node *parent, const char *name, char *text, size_t size)
{
    parent = vv_or_nil(parent);
    varve_graph *graph = parent->graph;
    char where[256];
    if (!vv_node_takes_children(parent, name))
        return &graph->nil;
    if (!text || size == 0)
        return vv_graph_error(graph, VARVE_MISUSE,
            "%s: \"%.200s\": the text is NULL or has no room",
            vv_node_text(parent, where, sizeof where),
            name ? name : "list element");
    varve_node *node = struct_make_text(graph, NULL, text, size);
    if (vv_is_nil(node) || vv_edge_add(parent, name, node))
        return node;
    return struct_give_up(node);
}

/* --- Updating ----------------------------------------------------------- */

/* The arguments of an update. `by_itself` is that of vv_struct_rebind. */
struct binding {
    varve_node *node;
    bool by_itself;
};

/* Returns true if a node was made of a struct with these fields, or of this
 * text. */
static bool is_about(
    const varve_node *node, varve_kind kind, const varve_field *fields)
{
    const struct vv_struct *about = vv_struct_of(node);
    return about && node->kind == kind && about->fields == fields;
}

bool vv_struct_made(
    const varve_node *parent, const varve_node *child, const varve_field *field)
{
    const struct vv_edge *oldest = vv_first_in(child);
    if (!oldest || oldest->parent != parent)
        return false;
    if (!field)
        return child->member == VV_MEMBER_OF_LIST;
    return child->member == vv_member_of(vv_struct_of(parent), field) &&
           strcmp(oldest->public.name, vv_field_name(field)) == 0;
}

bool vv_struct_counts(const varve_node *node)
{
    const struct vv_edge *oldest = vv_first_in(node);
    const struct vv_struct *about =
        oldest && node->member ? vv_struct_of(oldest->parent) : NULL;
    const varve_field *fields =
        about && vv_is_struct(oldest->parent) ? about->fields : NULL;
    for (const varve_field *f = fields; f && f->kind; f++)
        if (vv_struct_made(oldest->parent, node, f))
            return vv_field_counts(f, fields);
    return false;
}

static bool is_text_of(const varve_node *child, const varve_field *field)
{
    const struct vv_owned_text *owned = vv_owned_text_of(child);
    return field->is_pointer ? owned && owned->field == field
                             : is_about(child, VARVE_STATE, field);
}

/* Returns true if a node can be one that was made of a field. The program may
 * have replaced it. */
static bool is_of(const varve_node *child, const varve_field *field)
{
    switch (field->kind) {
    case VARVE_FIELD_IS_VALUE:
        return child->variable && !vv_variable_is_owned(child->variable) &&
               child->variable->tensor.dtype == field->dtype;
    case VARVE_FIELD_IS_LIST: return child->kind == VARVE_LIST;
    case VARVE_FIELD_IS_TEXT: return is_text_of(child, field);
    default: return is_about(child, VARVE_OBJECT, field->fields);
    }
}

static bool rebind_value(varve_node *child, const varve_field *field,
    const void *object, bool by_itself)
{
    bool is_over = true;
    if (by_itself && child->is_elsewhere)
        return true;
    if (vv_is_reached(field)) {
        if (!vv_reached_is_over(child, field, object))
            vv_reached_rebind(child, field, object);
        is_over = vv_reached_is_over(child, field, object);
    } else {
        varve_tensor view = vv_field_view(field, object);
        const varve_tensor *now = varve_value(child);
        if (now->data != view.data || !vv_shape_equal(now, &view))
            varve_rebind(child, view);
    }
    child->is_elsewhere = false;
    return is_over;
}

/* Removes the last element. A node that the program has added itself is only
 * untracked. */
static void drop_last(varve_node *list, const varve_field *field)
{
    char name[24];
    size_t last = varve_edge_count(list) - 1;
    varve_node *node = varve_list_at(list, last);
    if (is_about(node, VARVE_OBJECT, field->fields)) {
        varve_remove(node);
        return;
    }
    name[vv_decimal(last, name)] = '\0';
    varve_untrack(list, name);
}

static bool rebind_list(
    const struct binding *b, varve_node *list, const varve_field *field)
{
    const struct vv_struct *about = vv_struct_of(b->node);
    uint64_t count = vv_field_extent(field, about->object, 0);
    uint64_t index = 0;
    bool is_same = b->by_itself && is_about(list, VARVE_LIST, field) &&
                   vv_struct_of(list)->size == count;
    while (!is_same && varve_edge_count(list) > count)
        drop_last(list, field);
    for (const varve_edge *e = varve_edge_first(list); e && index < count;
         e = varve_edge_next(e)) {
        void *element = element_at(field, about->object, index++);
        if (is_about(e->node, VARVE_OBJECT, field->fields) &&
            (!b->by_itself || vv_struct_made(list, e->node, NULL)) &&
            !vv_struct_rebind(e->node, element, b->by_itself))
            return false;
    }
    return (is_same ||
               struct_append(list, field, about->object, varve_edge_count(list),
                   about->is_later || field->is_later)) &&
           remember_list(list, field, about->object);
}

static void rebind_text(
    varve_node *child, const varve_field *field, const void *object)
{
    if (field->is_pointer) {
        vv_owned_text_rebind(child, field, object);
        return;
    }
    vv_struct_of(child)->object = vv_field_memory(field, object);
    child->graph->has_new_views = true;
}

static bool rebind_child(const struct binding *b, varve_node *child,
    const varve_field *field, void *object)
{
    void *memory = vv_field_memory(field, object);
    switch (field->kind) {
    case VARVE_FIELD_IS_TEXT: rebind_text(child, field, object); return true;
    case VARVE_FIELD_IS_STRUCT:
        return vv_struct_rebind(child, memory, b->by_itself);
    case VARVE_FIELD_IS_LIST: return rebind_list(b, child, field);
    default: return rebind_value(child, field, object, b->by_itself);
    }
}

/* Removes the node of a field that has no memory now. A node that the program
 * has removed itself is not recorded as missing, unless the program requested
 * the update. */
static bool unbind_field(
    const struct binding *b, varve_node *child, const varve_field *field)
{
    if (child ? !is_of(child, field) : b->by_itself)
        return true;
    if (!note_missing(b->node, field, true))
        return false;
    if (child)
        varve_remove(child);
    return true;
}

static bool rebind_field(const struct binding *b, const varve_field *field)
{
    void *object = vv_struct_of(b->node)->object;
    varve_node *child = varve_find(b->node, vv_field_name(field));
    if (b->by_itself && child && !vv_struct_made(b->node, child, field))
        return true;
    if (vv_field_waits(field, object))
        return unbind_field(b, child, field);
    if (!child)
        return (b->by_itself && !struct_is_missing(b->node, field)) ||
               vv_struct_add_field(b->node, field);
    return !is_of(child, field) || rebind_child(b, child, field, object);
}

bool vv_struct_rebind(varve_node *node, void *object, bool by_itself)
{
    const struct binding binding = { node, by_itself };
    vv_struct_of(node)->object = object;
    for (const varve_field *f = vv_struct_of(node)->fields; f->kind; f++)
        if (f->kind != VARVE_FIELD_IS_GONE && !rebind_field(&binding, f))
            return false;
    return true;
}

void varve_rebind_struct(varve_node *node, void *object)
{
    node = vv_or_nil(node);
    const struct vv_struct *about = vv_struct_of(node);
    char text[256];
    if (vv_is_nil(node))
        return;
    if (!about || node->kind != VARVE_OBJECT) {
        vv_graph_error(node->graph, VARVE_MISUSE, "%s: not a struct",
            vv_node_text(node, text, sizeof text));
        return;
    }
    if (vv_fields_check(node, "", about->fields, object, 0) &&
        vv_graph_may_change(node, VV_HOLDS_NODES) &&
        !vv_struct_rebind(node, object, false))
        vv_graph_memory_error(node->graph);
}
