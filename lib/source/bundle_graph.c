/* bundle_graph.c - two passes over the nodes: what each will be, then what it
 * holds. Between the passes a node takes 16 bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_graph.h"

#include <inttypes.h>

#include "allocator.h"
#include "bundle.h"
#include "bundle_dtype.h"
#include "bundle_value.h"
#include "bytes.h"
#include "draft_parts.h"
#include "failure.h"
#include "try.h"
#include "wire_in.h"

#define CONFIG "OBJECT_CONFIG_JSON"
#define OPTIONAL_TAG "optional"

enum {
    ATTRIBUTE_IS_OPTIONAL = 4, /* a field that later files reserve */
    FEW_ATTRIBUTES = 64,       /* so many are compared with all children */
};

/* One node of the saved graph. */
struct object {
    uint64_t at;   /* where its message begins */
    uint32_t size; /* of the message */
    uint32_t node; /* in the draft */
};

struct graph {
    const struct vv_foreign *foreign;
    struct vv_bundle *bundle;
    struct vv_draft *draft;
    const unsigned char *bytes;
    size_t size;
    struct object *objects;
    uint32_t count;
    size_t capacity;
    uint32_t counter; /* the object that is the save counter, or VV_NONE */
    uint32_t attributes; /* of the object that is being told */
    bool has_families;   /* attributes that are several tensors */
    varve_error *error;
};

struct attribute {
    const char *name;
    size_t name_size;
    const char *full_name;
    size_t full_name_size;
    const char *key;
    size_t key_size;
    struct vv_bundle_entry *entry; /* NULL: it is a family */
    bool is_optional;
};

static varve_status fail(
    const struct graph *g, uint32_t object, const char *expected)
{
    return vv_fail(g->error, VARVE_CORRUPT,
        "%s: object graph, node %" PRIu32 ": expected %s, found another",
        g->bundle->path, object, expected);
}

static struct vv_wire wire_of(const struct graph *g, uint32_t object)
{
    const struct object *o = &g->objects[object];
    return (struct vv_wire){
        .path = g->bundle->path,
        .what = "object graph, a node",
        .bytes = g->bytes + o->at,
        .size = o->size,
        .error = g->error,
    };
}

/* --- Records -------------------------------------------------------------- */

static varve_status take_text(const struct vv_wire *wire,
    const struct vv_wire_field *f, const char **text, size_t *size)
{
    VV_TRY(vv_wire_expect(wire, f, VV_WIRE_SIZED));
    *text = (const char *)f->bytes;
    *size = (size_t)f->value;
    return VARVE_OK;
}

static varve_status take_node(const struct graph *g, uint32_t object,
    const struct vv_wire *wire, const struct vv_wire_field *f, uint32_t *node)
{
    VV_TRY(vv_wire_expect(wire, f, VV_WIRE_VARINT));
    if (f->value >= g->count)
        return fail(g, object, "the number of a node that there is");
    *node = (uint32_t)f->value;
    return VARVE_OK;
}

static varve_status find_entry(
    const struct graph *g, uint32_t object, struct attribute *a)
{
    const struct vv_bundle *b = g->bundle;
    size_t at = vv_bundle_find_from(b, a->key, a->key_size);
    a->entry = vv_bundle_find(b, a->key, a->key_size);
    if (a->entry || vv_bundle_is_member(b, at, a->key, a->key_size))
        return VARVE_OK;
    return vv_fail(g->error, VARVE_CORRUPT,
        "%s: object graph, node %" PRIu32 ": expected an entry \"%.*s\" in the "
        "index, found none",
        g->bundle->path, object,
        (int)(a->key_size < 500 ? a->key_size : 500), a->key);
}

static varve_status take_attribute(const struct graph *g, uint32_t object,
    struct vv_wire wire, struct attribute *a)
{
    struct vv_wire_field f;
    *a = (struct attribute){ .name = "", .full_name = "", .key = "" };
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_ATTRIBUTE_NAME)
            VV_TRY(take_text(&wire, &f, &a->name, &a->name_size));
        else if (f.number == VV_ATTRIBUTE_FULL_NAME)
            VV_TRY(take_text(&wire, &f, &a->full_name, &a->full_name_size));
        else if (f.number == VV_ATTRIBUTE_KEY)
            VV_TRY(take_text(&wire, &f, &a->key, &a->key_size));
        else if (f.number == ATTRIBUTE_IS_OPTIONAL)
            a->is_optional = f.value != 0;
    }
    a->is_optional |= a->name_size == sizeof CONFIG - 1 &&
                      memcmp(a->name, CONFIG, a->name_size) == 0;
    return find_entry(g, object, a);
}

static bool is_variable_value(const struct attribute *a)
{
    return a->name_size == sizeof VV_BUNDLE_VARIABLE - 1 &&
           memcmp(a->name, VV_BUNDLE_VARIABLE, a->name_size) == 0;
}

/* --- What each node will be ----------------------------------------------- */

static varve_status count_records(const struct graph *g, uint32_t object,
    uint32_t *attributes, uint32_t *others, struct attribute *last)
{
    struct vv_wire wire = wire_of(g, object);
    struct vv_wire_field f;
    *attributes = *others = 0;
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_OBJECT_ATTRIBUTE) {
            ++*attributes;
            VV_TRY(vv_wire_expect(&wire, &f, VV_WIRE_SIZED));
            VV_TRY(take_attribute(g, object,
                vv_wire_open(&wire, &f, "object graph, an attribute"), last));
        } else if (f.number == VV_OBJECT_CHILD || f.number == VV_OBJECT_SLOT) {
            ++*others;
        }
    }
    return VARVE_OK;
}

/* A value of its own, or an object that may hold some. */
static varve_status find_kind(
    const struct graph *g, uint32_t object, varve_kind *kind)
{
    uint32_t attributes, others;
    struct attribute a;
    *kind = VARVE_OBJECT;
    VV_TRY(count_records(g, object, &attributes, &others, &a));
    if (attributes != 1 || others > 0 || object == 0 || !a.entry)
        return VARVE_OK;
    if (is_variable_value(&a))
        *kind = vv_bundle_kind(a.entry);
    else if (a.entry->dtype == VARVE_STRING && a.entry->rank == 0)
        *kind = VARVE_STATE;
    return VARVE_OK;
}

static varve_status add_object(
    struct graph *g, const struct vv_wire *wire, const struct vv_wire_field *f)
{
    VV_TRY(vv_wire_expect(wire, f, VV_WIRE_SIZED));
    if (g->count >= VV_NONE || f->value > UINT32_MAX)
        return vv_fail(g->error, VARVE_LIMIT,
            "%s: expected an object graph of fewer than %u nodes, found more",
            g->bundle->path, VV_NONE);
    if (!vv_grow_array(&g->bundle->context->allocator, &g->objects,
            &g->capacity, g->count, sizeof *g->objects))
        return vv_fail_memory(g->error, "an object graph");
    g->objects[g->count++] = (struct object){
        .at = (uint64_t)(f->bytes - g->bytes),
        .size = (uint32_t)f->value,
    };
    return VARVE_OK;
}

static varve_status find_objects(struct graph *g)
{
    struct vv_wire wire = {
        .path = g->bundle->path,
        .what = "object graph",
        .bytes = g->bytes,
        .size = g->size,
        .error = g->error,
    };
    struct vv_wire_field f;
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_OBJECTS_NODE)
            VV_TRY(add_object(g, &wire, &f));
    }
    for (uint32_t i = 1; i < g->count && !g->draft->failed; i++) {
        varve_kind kind;
        VV_TRY(find_kind(g, i, &kind));
        g->objects[i].node = vv_draft_node(g->draft, kind);
    }
    return VARVE_OK;
}

/* --- The save counter ----------------------------------------------------- */

struct child {
    uint32_t object;
    const char *name;
    size_t size;
};

static varve_status take_child(const struct graph *g, uint32_t object,
    struct vv_wire wire, struct child *child)
{
    struct vv_wire_field f;
    *child = (struct child){ .name = "" };
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_CHILD_NODE)
            VV_TRY(take_node(g, object, &wire, &f, &child->object));
        else if (f.number == VV_CHILD_NAME)
            VV_TRY(take_text(&wire, &f, &child->name, &child->size));
    }
    return VARVE_OK;
}

/* Calls for every child of an object. */
typedef varve_status each_child(
    struct graph *g, uint32_t object, const struct child *child, void *user);

static varve_status go_through_children(
    struct graph *g, uint32_t object, each_child *each, void *user)
{
    struct vv_wire wire = wire_of(g, object);
    struct vv_wire_field f;
    struct child child;
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

static bool is_counter_edge(uint32_t object, const struct child *child)
{
    return object == 0 && child->size == sizeof VV_BUNDLE_COUNTER - 1 &&
           memcmp(child->name, VV_BUNDLE_COUNTER, child->size) == 0;
}

static varve_status note_counter(
    struct graph *g, uint32_t object, const struct child *child, void *user)
{
    (void)user;
    if (is_counter_edge(object, child))
        g->counter = child->object;
    return VARVE_OK;
}

static varve_status count_edge(
    struct graph *g, uint32_t object, const struct child *child, void *user)
{
    (void)object;
    *(uint32_t *)user += child->object == g->counter;
    return VARVE_OK;
}

/* The number of saves, if the object is such: the only attribute of a node to
 * which one edge leads. */
static varve_status find_counter(struct graph *g)
{
    uint32_t attributes, others, edges = 0;
    struct attribute a;
    unsigned char bytes[8];
    g->counter = VV_NONE;
    VV_TRY(go_through_children(g, 0, note_counter, NULL));
    if (g->counter == VV_NONE)
        return VARVE_OK;
    for (uint32_t i = 0; i < g->count; i++)
        VV_TRY(go_through_children(g, i, count_edge, &edges));
    VV_TRY(count_records(g, g->counter, &attributes, &others, &a));
    if (g->counter == 0 || edges != 1 || attributes != 1 || others > 0 ||
        !is_variable_value(&a) || !a.entry || a.entry->dtype != VARVE_INT64 ||
        a.entry->rank != 0 || a.entry->slice_count > 0) {
        g->counter = VV_NONE;
        return VARVE_OK;
    }
    VV_TRY(vv_bundle_cook(
        g->foreign, g->bundle, a.entry, bytes, sizeof bytes, g->error));
    uint64_t counter = vv_load64(bytes);
    if (counter > INT64_MAX) {
        g->counter = VV_NONE; /* a number below 0 is not one of saves */
        return VARVE_OK;
    }
    g->draft->counter = counter;
    a.entry->is_told = true;
    return VARVE_OK;
}

/* --- What each node holds ------------------------------------------------- */

static varve_status tell_child(
    struct graph *g, uint32_t object, const struct child *child, void *user)
{
    (void)user;
    if (is_counter_edge(object, child) && child->object == g->counter)
        return VARVE_OK;
    vv_draft_edge(g->draft, g->objects[object].node, child->name, child->size,
        g->objects[child->object].node);
    return VARVE_OK;
}

static varve_status tell_slot(
    struct graph *g, uint32_t object, struct vv_wire wire)
{
    struct vv_wire_field f;
    uint32_t variable = 0, node = 0;
    const char *name = "";
    size_t size = 0;
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_SLOT_VARIABLE)
            VV_TRY(take_node(g, object, &wire, &f, &variable));
        else if (f.number == VV_SLOT_NODE)
            VV_TRY(take_node(g, object, &wire, &f, &node));
        else if (f.number == VV_SLOT_NAME)
            VV_TRY(take_text(&wire, &f, &name, &size));
    }
    vv_draft_slot(g->draft, g->objects[object].node,
        g->objects[variable].node, name, size, g->objects[node].node);
    return VARVE_OK;
}

static varve_status same_name(
    struct graph *g, uint32_t object, const struct child *child, void *user)
{
    struct child *wanted = user;
    (void)g;
    (void)object;
    if (child->size == wanted->size &&
        memcmp(child->name, wanted->name, child->size) == 0)
        wanted->object = 1;
    return VARVE_OK;
}

/* The edge of an attribute below its object. */
static varve_status hang_attribute(struct graph *g, uint32_t object,
    const struct child *named, uint32_t node)
{
    struct child taken = { .name = named->name, .size = named->size };
    if (g->attributes > FEW_ATTRIBUTES)
        taken.object = 1;
    else
        VV_TRY(go_through_children(g, object, same_name, &taken));
    if (!taken.object) {
        vv_draft_edge(g->draft, g->objects[object].node, named->name,
            named->size, node);
        return VARVE_OK;
    }
    struct vv_buffer name;
    vv_buffer_init(&name, &g->bundle->context->allocator);
    vv_buffer_add_string(&name, VV_BUNDLE_ATTRIBUTES "/");
    vv_buffer_add(&name, named->name, named->size);
    bool failed = name.failed;
    if (!failed)
        vv_draft_edge(g->draft, g->objects[object].node,
            (const char *)name.data, name.size, node);
    vv_buffer_clear(&name);
    return failed ? vv_fail_memory(g->error, "a name") : VARVE_OK;
}

/* Whether an attribute is Python state: the bytes of a scalar string. */
static bool is_bytes(const struct attribute *a)
{
    return a->entry->dtype == VARVE_STRING && a->entry->rank == 0 &&
           !is_variable_value(a);
}

static void tell_value(
    struct graph *g, uint32_t node, const struct attribute *a)
{
    if (a->entry->is_told) {
        vv_draft_fail(g->draft, VARVE_CORRUPT,
            "%s: object graph: expected an entry \"%.500s\" of one node, found "
            "it in two",
            g->bundle->path, a->entry->key);
        return;
    }
    if (is_bytes(a))
        vv_bundle_tell_bytes(g->bundle, g->draft, node, a->entry);
    else
        vv_bundle_tell(g->bundle, g->draft, node, a->entry);
    if (a->full_name_size > 0)
        vv_draft_global(g->draft, node, a->full_name, a->full_name_size);
    if (a->is_optional)
        vv_draft_tag(g->draft, node, OPTIONAL_TAG);
}

static varve_status tell_attribute(
    struct graph *g, uint32_t object, struct vv_wire wire)
{
    struct attribute a;
    uint32_t node = g->objects[object].node;
    VV_TRY(take_attribute(g, object, wire, &a));
    g->has_families |= !a.entry;
    if (g->draft->failed || object == g->counter || !a.entry)
        return VARVE_OK;
    if (vv_draft_node_at(g->draft, node)->kind == VARVE_OBJECT) {
        struct child named = { .name = a.name, .size = a.name_size };
        node = vv_draft_node(
            g->draft, is_bytes(&a) ? VARVE_STATE : vv_bundle_kind(a.entry));
        VV_TRY(hang_attribute(g, object, &named, node));
    }
    tell_value(g, node, &a);
    return VARVE_OK;
}

/* Its name: that of the attribute, and what its key has behind that of it. */
static varve_status tell_member(struct graph *g, uint32_t object,
    const struct attribute *a, struct vv_bundle_entry *e)
{
    struct vv_buffer name;
    vv_buffer_init(&name, &g->bundle->context->allocator);
    vv_buffer_add(&name, a->name, a->name_size);
    vv_buffer_add(&name, e->key + a->key_size, e->key_size - a->key_size);
    struct child named = { .name = (char *)name.data, .size = name.size };
    uint32_t node = vv_draft_node(g->draft, vv_bundle_kind(e));
    varve_status status = name.failed
                              ? vv_fail_memory(g->error, "a name")
                              : hang_attribute(g, object, &named, node);
    if (!status)
        vv_bundle_tell(g->bundle, g->draft, node, e);
    vv_buffer_clear(&name);
    return status;
}

/* Each entry has one node, so what was told already ends a family. */
static varve_status tell_family(
    struct graph *g, uint32_t object, struct vv_wire wire)
{
    struct vv_bundle *b = g->bundle;
    struct attribute a;
    VV_TRY(take_attribute(g, object, wire, &a));
    if (a.entry)
        return VARVE_OK;
    size_t at = vv_bundle_find_from(b, a.key, a.key_size);
    for (; vv_bundle_is_member(b, at, a.key, a.key_size) &&
         !b->entries[at].is_told && !g->draft->failed; at++)
        VV_TRY(tell_member(g, object, &a, &b->entries[at]));
    return VARVE_OK;
}

static varve_status tell_saver(
    struct graph *g, uint32_t object, struct vv_wire wire)
{
    struct vv_wire_field f;
    while (vv_wire_has_more(&wire)) {
        char tag[256];
        const char *name;
        size_t size;
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number != VV_SAVER_NAME)
            continue;
        VV_TRY(take_text(&wire, &f, &name, &size));
        if (size > 200)
            return fail(g, object, "the short name of a saver");
        memcpy(tag, "registered:", 11);
        memcpy(tag + 11, name, size);
        tag[11 + size] = '\0';
        vv_draft_tag(g->draft, g->objects[object].node, tag);
    }
    return VARVE_OK;
}

/* All that an object holds; or, with `families`, only those: they come behind
 * everything else, whose keys may begin like theirs. */
static varve_status tell_object(
    struct graph *g, uint32_t object, bool families)
{
    struct vv_wire wire = wire_of(g, object);
    struct vv_wire_field f;
    struct attribute any;
    uint32_t others;
    VV_TRY(count_records(g, object, &g->attributes, &others, &any));
    if (!families)
        VV_TRY(go_through_children(g, object, tell_child, NULL));
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number != VV_OBJECT_ATTRIBUTE &&
            (families || (f.number != VV_OBJECT_SLOT &&
                             f.number != VV_OBJECT_SAVER)))
            continue;
        VV_TRY(vv_wire_expect(&wire, &f, VV_WIRE_SIZED));
        struct vv_wire inner =
            vv_wire_open(&wire, &f, "object graph, a record");
        if (families)
            VV_TRY(tell_family(g, object, inner));
        else if (f.number == VV_OBJECT_ATTRIBUTE)
            VV_TRY(tell_attribute(g, object, inner));
        else if (f.number == VV_OBJECT_SLOT)
            VV_TRY(tell_slot(g, object, inner));
        else
            VV_TRY(tell_saver(g, object, inner));
    }
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

static varve_status read_graph(struct graph *g)
{
    VV_TRY(find_objects(g));
    if (g->count == 0)
        return vv_fail(g->error, VARVE_CORRUPT,
            "%s: expected an object graph with a root, found an empty one",
            g->bundle->path);
    VV_TRY(find_counter(g));
    for (uint32_t i = 0; i < g->count && !g->draft->failed; i++)
        VV_TRY(tell_object(g, i, false));
    for (uint32_t i = 0; g->has_families && i < g->count; i++)
        VV_TRY(tell_object(g, i, true));
    return VARVE_OK;
}

varve_status vv_bundle_read_graph(const struct vv_foreign *foreign,
    struct vv_bundle *b, struct vv_bundle_entry *entry, struct vv_draft *draft,
    varve_error *error)
{
    const varve_allocator *a = &b->context->allocator;
    varve_error unwanted;
    if (entry->dtype != VARVE_STRING || entry->rank != 0)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: " VV_BUNDLE_GRAPH_KEY ": expected a string, found another "
            "type",
            b->path);
    size_t size = (size_t)entry->strings_size;
    unsigned char *bytes = vv_allocate(a, size);
    if (!bytes)
        return vv_fail_memory(error, "an object graph");
    struct graph g = {
        .foreign = foreign,
        .bundle = b,
        .draft = draft,
        .bytes = bytes + 8,
        .size = size - 8,
        .error = error ? error : &unwanted,
    };
    varve_status status =
        vv_bundle_cook(foreign, b, entry, bytes, size, g.error);
    entry->is_told = true;
    if (!status)
        status = read_graph(&g);
    vv_release(a, g.objects, g.capacity * sizeof *g.objects);
    vv_release(a, bytes, size);
    return status;
}
