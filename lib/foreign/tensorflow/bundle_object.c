/* bundle_object.c - Parses the nodes of TensorFlow's object graph, and finds
 * slots that are identified by the positions of nodes in lists.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_object.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "bundle.h"
#include "draft_parts.h"
#include "failure.h"
#include "moments.h"
#include "try.h"

/* --- Nodes ---------------------------------------------------------------- */

#define CONFIG "OBJECT_CONFIG_JSON"

enum {
    ATTRIBUTE_IS_OPTIONAL = 4
}; /* a field number that newer versions of the proto reserve */

varve_status vv_object_fail(
    const struct vv_object_graph *g, uint32_t object, const char *problem)
{
    return vv_fail(g->error, VARVE_CORRUPT,
        "%s: object graph, node %" PRIu32 ": %s", g->bundle->path, object,
        problem);
}

struct vv_wire vv_object_wire(const struct vv_object_graph *g, uint32_t object)
{
    const struct vv_object *o = &g->objects[object];
    return (struct vv_wire){
        .path = g->bundle->path,
        .what = "object graph, a node",
        .bytes = g->bytes + o->at,
        .size = o->size,
        .error = g->error,
    };
}

/* --- Records -------------------------------------------------------------- */

varve_status vv_object_text(const struct vv_wire *wire,
    const struct vv_wire_field *f, const char **text, size_t *size)
{
    VV_TRY(vv_wire_expect(wire, f, VV_WIRE_SIZED));
    *text = (const char *)f->bytes;
    *size = (size_t)f->value;
    return VARVE_OK;
}

varve_status vv_object_node(const struct vv_object_graph *g, uint32_t object,
    const struct vv_wire *wire, const struct vv_wire_field *f, uint32_t *node)
{
    VV_TRY(vv_wire_expect(wire, f, VV_WIRE_VARINT));
    if (f->value >= g->count)
        return vv_object_fail(
            g, object, "it refers to a node that does not exist");
    *node = (uint32_t)f->value;
    return VARVE_OK;
}

bool vv_attribute_is_variable(const struct vv_attribute *a)
{
    return a->name_size == sizeof VV_BUNDLE_VARIABLE - 1 &&
           memcmp(a->name, VV_BUNDLE_VARIABLE, a->name_size) == 0;
}

static varve_status bundle_object_find_entry(
    const struct vv_object_graph *g, uint32_t object, struct vv_attribute *a)
{
    const struct vv_bundle *b = g->bundle;
    size_t at = vv_bundle_find_from(b, a->key, a->key_size);
    a->entry = vv_bundle_find(b, a->key, a->key_size);
    if (a->entry || vv_bundle_is_member(b, at, a->key, a->key_size))
        return VARVE_OK;
    a->is_declared = vv_attribute_is_variable(a);
    if (a->is_declared)
        return VARVE_OK;
    return vv_fail(g->error, VARVE_CORRUPT,
        "%s: object graph, node %" PRIu32 ": the index has no entry \"%.*s\"",
        g->bundle->path, object, (int)(a->key_size < 500 ? a->key_size : 500),
        a->key);
}

varve_status vv_object_attribute(const struct vv_object_graph *g,
    uint32_t object, struct vv_wire wire, struct vv_attribute *a)
{
    struct vv_wire_field f;
    *a = (struct vv_attribute){ .name = "", .full_name = "", .key = "" };
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_ATTRIBUTE_NAME)
            VV_TRY(vv_object_text(&wire, &f, &a->name, &a->name_size));
        else if (f.number == VV_ATTRIBUTE_FULL_NAME)
            VV_TRY(
                vv_object_text(&wire, &f, &a->full_name, &a->full_name_size));
        else if (f.number == VV_ATTRIBUTE_KEY)
            VV_TRY(vv_object_text(&wire, &f, &a->key, &a->key_size));
        else if (f.number == ATTRIBUTE_IS_OPTIONAL)
            a->is_optional = f.value != 0;
    }
    a->is_optional |= a->name_size == sizeof CONFIG - 1 &&
                      memcmp(a->name, CONFIG, a->name_size) == 0;
    return bundle_object_find_entry(g, object, a);
}

bool vv_attribute_is_bytes(const struct vv_attribute *a)
{
    return a->entry && a->entry->dtype == VARVE_STRING && a->entry->rank == 0 &&
           !vv_attribute_is_variable(a);
}

varve_kind vv_attribute_kind(const struct vv_attribute *a)
{
    return a->is_declared             ? VARVE_VARIABLE
           : vv_attribute_is_bytes(a) ? VARVE_STATE
                                      : vv_bundle_kind(a->entry);
}

varve_status vv_object_count(const struct vv_object_graph *g, uint32_t object,
    uint32_t *attributes, uint32_t *others, struct vv_attribute *last)
{
    struct vv_attribute a;
    struct vv_wire wire = vv_object_wire(g, object);
    struct vv_wire_field f;
    *attributes = *others = 0;
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_OBJECT_ATTRIBUTE) {
            VV_TRY(vv_wire_expect(&wire, &f, VV_WIRE_SIZED));
            VV_TRY(vv_object_attribute(g, object,
                vv_wire_open(&wire, &f, "object graph, an attribute"), &a));
            if (a.is_optional)
                continue;
            ++*attributes;
            *last = a;
        } else if (f.number == VV_OBJECT_CHILD || f.number == VV_OBJECT_SLOT) {
            ++*others;
        }
    }
    return VARVE_OK;
}

static varve_status take_child(const struct vv_object_graph *g, uint32_t object,
    struct vv_wire wire, struct vv_child *child)
{
    struct vv_wire_field f;
    *child = (struct vv_child){ .name = "" };
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_CHILD_NODE)
            VV_TRY(vv_object_node(g, object, &wire, &f, &child->object));
        else if (f.number == VV_CHILD_NAME)
            VV_TRY(vv_object_text(&wire, &f, &child->name, &child->size));
    }
    return VARVE_OK;
}

varve_status vv_object_children(
    struct vv_object_graph *g, uint32_t object, vv_each_child *each, void *user)
{
    struct vv_wire wire = vv_object_wire(g, object);
    struct vv_wire_field f;
    struct vv_child child;
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number != VV_OBJECT_CHILD)
            continue;
        VV_TRY(vv_wire_expect(&wire, &f, VV_WIRE_SIZED));
        VV_TRY(take_child(g, object,
            vv_wire_open(&wire, &f, "object graph, a child"), &child));
        VV_TRY(each(g, object, &child, user));
    }
    return VARVE_OK;
}

/* --- Slots by position ---------------------------------------------------- */

/* Compares the lists of an optimizer position by position. */

/* --- Adding slots --------------------------------------------------------- */

/* The role of an object. A list is used for one optimizer only, so the work is
 * proportional to the number of edges. */
struct mark {
    uint32_t trained_by; /* the last optimizer that trains it, plus 1 */
    bool is_used;        /* as a list */
    bool is_moment;
};

/* An element of a list. */
struct element {
    uint32_t object;
    uint32_t position;
};

struct lists {
    struct vv_object_graph *graph;
    struct mark *marks; /* by object */
    uint32_t trained; /* `_trainable_variables` of the optimizer, or VV_NONE */
    struct vv_buffer others;    /* struct vv_child: other children */
    struct vv_buffer found;     /* struct element, in file order */
    struct vv_buffer variables; /* objects of variables, by position */
    struct vv_buffer list;      /* objects of moments, by position */
    bool is_list;
};

static bool bundle_moments_is_called(
    const struct vv_child *child, const char *name)
{
    return child->size == strlen(name) &&
           memcmp(child->name, name, child->size) == 0;
}

static varve_status find_lists(struct vv_object_graph *g, uint32_t object,
    const struct vv_child *child, void *user)
{
    struct lists *l = user;
    (void)g;
    (void)object;
    if (bundle_moments_is_called(child, VV_TRAINED_LIST))
        l->trained = child->object;
    else if (!bundle_moments_is_called(child, VV_EVERY_LIST))
        vv_buffer_add(&l->others, child, sizeof *child);
    return VARVE_OK;
}

static bool position_of(const struct vv_child *child, uint32_t *position)
{
    *position = 0;
    for (size_t i = 0; i < child->size; i++) {
        if (child->name[i] < '0' || child->name[i] > '9')
            return false;
        *position = 10 * *position + (uint32_t)(child->name[i] - '0');
    }
    return child->size == 1 ||
           (child->size > 1 && child->size < 10 && *child->name != '0');
}

static varve_status bundle_moments_add_element(struct vv_object_graph *g,
    uint32_t object, const struct vv_child *child, void *user)
{
    struct lists *l = user;
    struct element element = { .object = child->object };
    (void)g;
    (void)object;
    l->is_list &= position_of(child, &element.position);
    vv_buffer_add(&l->found, &element, sizeof element);
    return VARVE_OK;
}

/* Sorts the elements by position. Returns false if a position is missing or
 * occurs twice. */
static bool bundle_moments_sort(
    const struct lists *l, uint32_t *objects, size_t count)
{
    const struct element *found = (const void *)l->found.data;
    memset(objects, 0xff, count * sizeof *objects);
    for (size_t i = 0; i < count; i++) {
        if (found[i].position >= count || objects[found[i].position] != VV_NONE)
            return false;
        objects[found[i].position] = found[i].object;
    }
    return true;
}

/* Sets `objects` to the elements of a list. Sets *is_good if it is a list that
 * was not used before. */
static varve_status bundle_moments_read_list(
    struct lists *l, uint32_t object, struct vv_buffer *objects, bool *is_good)
{
    *is_good = false;
    l->found.size = objects->size = 0;
    if (l->marks[object].is_used)
        return VARVE_OK;
    l->marks[object].is_used = true;
    l->is_list = true;
    VV_TRY(vv_object_children(l->graph, object, bundle_moments_add_element, l));
    size_t count = l->found.size / sizeof(struct element);
    uint32_t *sorted = l->found.failed
                           ? NULL
                           : vv_buffer_extend(objects, count * sizeof *sorted);
    if (count && !sorted)
        return vv_fail_memory(l->graph->error, "an object graph");
    *is_good = count && l->is_list && bundle_moments_sort(l, sorted, count);
    return VARVE_OK;
}

static const struct vv_draft_value *bundle_moments_value_of(
    const struct lists *l, uint32_t object)
{
    const struct vv_draft *d = l->graph->draft;
    const struct vv_draft_node *node =
        vv_draft_node_at(d, l->graph->objects[object].node);
    size_t count;
    const struct vv_draft_value *values =
        VV_PARTS(d, values, struct vv_draft_value, &count);
    bool has_value = node->kind == VARVE_VARIABLE && node->value &&
                     values[node->value - 1].is_saved;
    return has_value ? &values[node->value - 1] : NULL;
}

static bool bundle_moments_fits(
    const struct lists *l, uint32_t variable, uint32_t moment)
{
    const struct vv_draft_value *a = bundle_moments_value_of(l, variable);
    const struct vv_draft_value *b = bundle_moments_value_of(l, moment);
    const unsigned char *extents = l->graph->draft->extents.data;
    return a && b && a->dtype == b->dtype && a->rank == b->rank &&
           (a->rank == 0 || memcmp(extents + 8 * a->extents,
                                extents + 8 * b->extents, 8 * a->rank) == 0);
}

/* Returns true if all elements are distinct variables. */
static bool take_variables(struct lists *l, uint32_t optimizer)
{
    const uint32_t *objects = (const void *)l->variables.data;
    for (size_t i = 0; i < l->variables.size / sizeof *objects; i++) {
        struct mark *mark = &l->marks[objects[i]];
        if (mark->is_moment || mark->trained_by == optimizer + 1 ||
            !bundle_moments_value_of(l, objects[i]))
            return false;
        mark->trained_by = optimizer + 1;
    }
    return true;
}

/* Returns true if each element is the moment of the variable at its position
 * and of no other. Otherwise none of them is marked. */
static bool take_moments(struct lists *l)
{
    const uint32_t *variables = (const void *)l->variables.data;
    const uint32_t *moments = (const void *)l->list.data;
    size_t count = l->list.size / sizeof *moments, taken = 0;
    if (l->list.size != l->variables.size)
        return false;
    for (; taken < count; taken++) {
        struct mark *mark = &l->marks[moments[taken]];
        if (mark->is_moment || mark->trained_by ||
            !bundle_moments_fits(l, variables[taken], moments[taken]))
            break;
        mark->is_moment = true;
    }
    for (size_t i = 0; i < taken && taken < count; i++)
        l->marks[moments[i]].is_moment = false;
    return taken == count;
}

static void bundle_moments_add_slots(
    const struct lists *l, uint32_t optimizer, const struct vv_child *child)
{
    const struct vv_object *objects = l->graph->objects;
    const uint32_t *variables = (const void *)l->variables.data;
    const uint32_t *moments = (const void *)l->list.data;
    for (size_t i = 0; i < l->list.size / sizeof *moments; i++)
        vv_draft_slot(l->graph->draft, objects[optimizer].node,
            objects[variables[i]].node, child->name, child->size,
            objects[moments[i]].node);
}

static varve_status bundle_moments_add_optimizer(
    struct lists *l, uint32_t optimizer)
{
    bool is_good;
    l->trained = VV_NONE;
    l->others.size = 0;
    VV_TRY(vv_object_children(l->graph, optimizer, find_lists, l));
    if (l->others.failed)
        return vv_fail_memory(l->graph->error, "an object graph");
    if (l->trained == VV_NONE || l->others.size == 0)
        return VARVE_OK;
    VV_TRY(bundle_moments_read_list(l, l->trained, &l->variables, &is_good));
    if (!is_good || !take_variables(l, optimizer))
        return VARVE_OK;
    for (size_t k = 0; k < l->others.size / sizeof(struct vv_child); k++) {
        const struct vv_child *child =
            (const struct vv_child *)(const void *)l->others.data + k;
        VV_TRY(bundle_moments_read_list(l, child->object, &l->list, &is_good));
        if (is_good && take_moments(l))
            bundle_moments_add_slots(l, optimizer, child);
    }
    return VARVE_OK;
}

varve_status vv_bundle_moments_add(struct vv_object_graph *g)
{
    const varve_allocator *a = &g->bundle->context->allocator;
    struct lists l = { .graph = g };
    varve_status status = VARVE_OK;
    /* If the file has slot records, no slots are guessed. */
    if (g->draft->failed || g->draft->slots.size)
        return VARVE_OK;
    l.marks = vv_allocate_zeroed(a, g->count * sizeof *l.marks);
    if (!l.marks)
        return vv_fail_memory(g->error, "an object graph");
    vv_buffer_init(&l.others, a);
    vv_buffer_init(&l.found, a);
    vv_buffer_init(&l.variables, a);
    vv_buffer_init(&l.list, a);
    for (uint32_t i = 0; i < g->count && !status; i++)
        status = bundle_moments_add_optimizer(&l, i);
    vv_buffer_clear(&l.others);
    vv_buffer_clear(&l.found);
    vv_buffer_clear(&l.variables);
    vv_buffer_clear(&l.list);
    vv_release(a, l.marks, g->count * sizeof *l.marks);
    return status;
}
