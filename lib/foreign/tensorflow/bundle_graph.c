/* bundle_graph.c - Reads the nodes in two passes: the kind of each node, then
 * its contents. Between the passes a node takes 16 bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_graph.h"

#include <inttypes.h>

#include "allocator.h"
#include "bundle.h"
#include "bundle_kept.h"
#include "bundle_object.h"
#include "bundle_value.h"
#include "bytes.h"
#include "draft_parts.h"
#include "failure.h"
#include "try.h"

#define OPTIONAL_TAG "optional"

enum {
    FEW_ATTRIBUTES = 64
}; /* up to this many attributes are compared with all children */

/* --- Kinds of nodes ------------------------------------------------------- */

/* Sets *kind to that of a value, or to VARVE_OBJECT. */
static varve_status bundle_graph_find_kind(
    const struct vv_object_graph *g, uint32_t object, varve_kind *kind)
{
    uint32_t attributes, others;
    struct vv_attribute a = { .name = "" };
    *kind = VARVE_OBJECT;
    VV_TRY(vv_object_count(g, object, &attributes, &others, &a));
    if (attributes != 1 || others > 0 || object == 0)
        return VARVE_OK;
    if (vv_attribute_is_bytes(&a) || a.is_declared ||
        (a.entry && vv_attribute_is_variable(&a)))
        *kind = vv_attribute_kind(&a);
    return VARVE_OK;
}

static varve_status bundle_graph_add_object(struct vv_object_graph *g,
    const struct vv_wire *wire, const struct vv_wire_field *f)
{
    VV_TRY(vv_wire_expect(wire, f, VV_WIRE_SIZED));
    if (g->count >= VV_NONE || f->value > UINT32_MAX)
        return vv_fail(g->error, VARVE_LIMIT,
            "%s: the object graph exceeds the limit of %u nodes",
            g->bundle->path, VV_NONE);
    if (!vv_grow_array(&g->bundle->context->allocator, &g->objects,
            &g->capacity, g->count, sizeof *g->objects))
        return vv_fail_memory(g->error, "an object graph");
    g->objects[g->count++] = (struct vv_object){
        .at = (uint64_t)(f->bytes - g->bytes),
        .size = (uint32_t)f->value,
    };
    return VARVE_OK;
}

static varve_status find_objects(struct vv_object_graph *g)
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
            VV_TRY(bundle_graph_add_object(g, &wire, &f));
    }
    /* Object 0 is the root, which every draft has. */
    for (uint32_t i = 1; i < g->count && !g->draft->failed; i++) {
        varve_kind kind;
        VV_TRY(bundle_graph_find_kind(g, i, &kind));
        g->objects[i].node = vv_draft_node(g->draft, kind);
    }
    return VARVE_OK;
}

/* --- The save counter ----------------------------------------------------- */

static bool is_counter_edge(uint32_t object, const struct vv_child *child)
{
    return object == 0 && child->size == sizeof VV_BUNDLE_COUNTER - 1 &&
           memcmp(child->name, VV_BUNDLE_COUNTER, child->size) == 0;
}

static varve_status note_counter(struct vv_object_graph *g, uint32_t object,
    const struct vv_child *child, void *user)
{
    (void)user;
    if (is_counter_edge(object, child))
        g->counter = child->object;
    return VARVE_OK;
}

static varve_status count_edge(struct vv_object_graph *g, uint32_t object,
    const struct vv_child *child, void *user)
{
    (void)object;
    *(uint32_t *)user += child->object == g->counter;
    return VARVE_OK;
}

/* Finds the save counter. It must be the only attribute of a node to which a
 * single edge leads. */
static varve_status find_counter(struct vv_object_graph *g)
{
    uint32_t attributes, others, edges = 0;
    struct vv_attribute a = { .name = "" };
    unsigned char bytes[8];
    g->counter = VV_NONE;
    VV_TRY(vv_object_children(g, 0, note_counter, NULL));
    if (g->counter == VV_NONE)
        return VARVE_OK;
    for (uint32_t i = 0; i < g->count; i++)
        VV_TRY(vv_object_children(g, i, count_edge, &edges));
    VV_TRY(vv_object_count(g, g->counter, &attributes, &others, &a));
    if (g->counter == 0 || edges != 1 || attributes != 1 || others > 0 ||
        !vv_attribute_is_variable(&a) || !a.entry ||
        a.entry->dtype != VARVE_INT64 || a.entry->rank != 0 ||
        a.entry->slice_count > 0) {
        g->counter = VV_NONE;
        return VARVE_OK;
    }
    VV_TRY(vv_bundle_decode(
        g->foreign, g->bundle, a.entry, bytes, sizeof bytes, g->error));
    uint64_t counter = vv_load64(bytes);
    if (counter > INT64_MAX) {
        g->counter = VV_NONE; /* a negative number is no count of saves */
        return VARVE_OK;
    }
    g->draft->counter = counter;
    a.entry->is_added = true;
    return VARVE_OK;
}

/* --- Contents of nodes ---------------------------------------------------- */

static varve_status bundle_graph_add_child(struct vv_object_graph *g,
    uint32_t object, const struct vv_child *child, void *user)
{
    (void)user;
    if (is_counter_edge(object, child) && child->object == g->counter)
        return VARVE_OK;
    vv_draft_edge(g->draft, g->objects[object].node, child->name, child->size,
        g->objects[child->object].node);
    return VARVE_OK;
}

static varve_status bundle_graph_add_slot(
    struct vv_object_graph *g, uint32_t object, struct vv_wire wire)
{
    struct vv_wire_field f;
    uint32_t variable = 0, node = 0;
    const char *name = "";
    size_t size = 0;
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_SLOT_VARIABLE)
            VV_TRY(vv_object_node(g, object, &wire, &f, &variable));
        else if (f.number == VV_SLOT_NODE)
            VV_TRY(vv_object_node(g, object, &wire, &f, &node));
        else if (f.number == VV_SLOT_NAME)
            VV_TRY(vv_object_text(&wire, &f, &name, &size));
    }
    vv_draft_slot(g->draft, g->objects[object].node, g->objects[variable].node,
        name, size, g->objects[node].node);
    return VARVE_OK;
}

static varve_status same_name(struct vv_object_graph *g, uint32_t object,
    const struct vv_child *child, void *user)
{
    struct vv_child *wanted = user;
    (void)g;
    (void)object;
    if (child->size == wanted->size &&
        memcmp(child->name, wanted->name, child->size) == 0)
        wanted->object = 1;
    return VARVE_OK;
}

/* Adds the edge from an object to an attribute. */
static varve_status attach_attribute(struct vv_object_graph *g, uint32_t object,
    const struct vv_child *named, uint32_t node)
{
    struct vv_child taken = { .name = named->name, .size = named->size };
    if (g->attributes > FEW_ATTRIBUTES)
        taken.object = 1;
    else
        VV_TRY(vv_object_children(g, object, same_name, &taken));
    if (!taken.object) {
        vv_draft_edge(
            g->draft, g->objects[object].node, named->name, named->size, node);
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

/* Declares a variable whose type and value are not in the file. */
static void declare(struct vv_object_graph *g, uint32_t node)
{
    varve_tensor nothing = { .dtype = VARVE_UINT8, .rank = 1, .shape = { 0 } };
    vv_draft_value(g->draft, node, &nothing, 0, NULL);
    vv_draft_tag(g->draft, node, VV_BUNDLE_UNTYPED_TAG);
}

static void bundle_graph_add_value(
    struct vv_object_graph *g, uint32_t node, const struct vv_attribute *a)
{
    if (a->is_declared) {
        declare(g, node);
    } else if (a->entry->is_added) {
        vv_draft_fail(g->draft, VARVE_CORRUPT,
            "%s: object graph: two nodes have the entry \"%.500s\"",
            g->bundle->path, a->entry->key);
        return;
    } else if (vv_attribute_is_bytes(a))
        vv_bundle_add_bytes(g->bundle, g->draft, node, a->entry);
    else
        vv_bundle_add(g->bundle, g->draft, node, a->entry);
    if (a->full_name_size > 0)
        vv_draft_global(g->draft, node, a->full_name, a->full_name_size);
    if (a->is_optional)
        vv_draft_tag(g->draft, node, OPTIONAL_TAG);
}

/* Keeps the information needed to write the node again. `wire` contains the
 * attribute; `entry` is NULL if it has none. */
static void bundle_graph_keep(struct vv_object_graph *g, uint32_t node,
    enum vv_bundle_role role, const struct vv_wire *wire,
    const struct vv_bundle_entry *entry, uint32_t members)
{
    bool is_own = role == VV_ROLE_OBJECT;
    struct vv_bundle_kept kept = {
        .role = role,
        .record = wire->bytes,
        .record_size = wire->size,
        .members = members,
        .rest = g->rest.data,
        .rest_size = is_own ? g->rest.size : 0,
    };
    if (entry)
        vv_bundle_keep_type(g->bundle, entry, &kept);
    if (role == VV_ROLE_MEMBER) {
        kept.entry = entry->key;
        kept.entry_size = entry->key_size;
    }
    vv_bundle_keep(g->draft, node, &kept);
}

static varve_status bundle_graph_add_attribute(
    struct vv_object_graph *g, uint32_t object, struct vv_wire wire)
{
    struct vv_attribute a;
    uint32_t node = g->objects[object].node;
    VV_TRY(vv_object_attribute(g, object, wire, &a));
    bool is_family = !a.entry && !a.is_declared;
    bool is_object = vv_draft_node_at(g->draft, node)->kind == VARVE_OBJECT;
    g->has_families |= is_family;
    if (g->draft->failed || object == g->counter || is_family ||
        (a.is_optional && !is_object))
        return VARVE_OK; /* no node of its own */
    if (is_object) {
        struct vv_child named = { .name = a.name, .size = a.name_size };
        node = vv_draft_node(g->draft, vv_attribute_kind(&a));
        VV_TRY(attach_attribute(g, object, &named, node));
    }
    bundle_graph_add_value(g, node, &a);
    bundle_graph_keep(g, node, is_object ? VV_ROLE_ATTRIBUTE : VV_ROLE_OBJECT,
        &wire, a.entry, 0);
    return VARVE_OK;
}

/* Adds one tensor of an attribute. Its name is that of the attribute followed
 * by the end of the tensor's key. */
static varve_status bundle_graph_add_member(struct vv_object_graph *g,
    uint32_t object, const struct vv_attribute *a, struct vv_bundle_entry *e,
    uint32_t *node)
{
    struct vv_buffer name;
    vv_buffer_init(&name, &g->bundle->context->allocator);
    vv_buffer_add(&name, a->name, a->name_size);
    vv_buffer_add(&name, e->key + a->key_size, e->key_size - a->key_size);
    struct vv_child named = { .name = (char *)name.data, .size = name.size };
    *node = vv_draft_node(g->draft, vv_bundle_kind(e));
    varve_status status = name.failed
                              ? vv_fail_memory(g->error, "a name")
                              : attach_attribute(g, object, &named, *node);
    if (!status)
        vv_bundle_add(g->bundle, g->draft, *node, e);
    vv_buffer_clear(&name);
    return status;
}

/* Adds all tensors of an attribute. Each entry has one node, so an entry that
 * was added already ends the sequence. */
static varve_status add_family(
    struct vv_object_graph *g, uint32_t object, struct vv_wire wire)
{
    struct vv_bundle *b = g->bundle;
    struct vv_attribute a;
    VV_TRY(vv_object_attribute(g, object, wire, &a));
    if (a.entry)
        return VARVE_OK;
    size_t begin = vv_bundle_find_from(b, a.key, a.key_size);
    size_t end = begin;
    while (vv_bundle_is_member(b, end, a.key, a.key_size) &&
           !b->entries[end].is_added)
        end++;
    for (size_t at = begin; at < end && !g->draft->failed; at++) {
        uint32_t node;
        VV_TRY(bundle_graph_add_member(g, object, &a, &b->entries[at], &node));
        bundle_graph_keep(g, node, VV_ROLE_MEMBER, &wire, &b->entries[at],
            (uint32_t)(end - begin));
    }
    return VARVE_OK;
}

static varve_status add_saver(
    struct vv_object_graph *g, uint32_t object, struct vv_wire wire)
{
    struct vv_wire_field f;
    while (vv_wire_has_more(&wire)) {
        char tag[256];
        const char *name;
        size_t size;
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number != VV_SAVER_NAME)
            continue;
        VV_TRY(vv_object_text(&wire, &f, &name, &size));
        if (size > 200)
            return vv_object_fail(
                g, object, "the name of its saver is too long");
        memcpy(tag, "registered:", 11);
        memcpy(tag + 11, name, size);
        tag[11 + size] = '\0';
        vv_draft_tag(g->draft, g->objects[object].node, tag);
    }
    return VARVE_OK;
}

/* Collects the fields that are not parsed. */
static varve_status gather_rest(struct vv_object_graph *g, uint32_t object)
{
    struct vv_wire wire = vv_object_wire(g, object);
    struct vv_wire_field f;
    g->rest.size = 0;
    for (size_t at = 0; vv_wire_has_more(&wire); at = wire.at) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number != VV_OBJECT_CHILD && f.number != VV_OBJECT_ATTRIBUTE &&
            f.number != VV_OBJECT_SLOT && f.number != VV_OBJECT_HAS_VALUES)
            vv_buffer_add(&g->rest, wire.bytes + at, wire.at - at);
    }
    if (g->rest.failed)
        return vv_fail_memory(g->error, "an object graph");
    uint32_t node = g->objects[object].node;
    if (vv_draft_node_at(g->draft, node)->kind == VARVE_OBJECT)
        vv_bundle_keep(g->draft, node,
            &(struct vv_bundle_kept){
                .rest = g->rest.data, .rest_size = g->rest.size });
    return VARVE_OK;
}

/* Adds the contents of an object. If `families` is true, adds only attributes
 * of several tensors, which come last because other keys may begin like theirs.
 */
static varve_status add_to_draft(
    struct vv_object_graph *g, uint32_t object, bool families)
{
    struct vv_wire wire = vv_object_wire(g, object);
    struct vv_wire_field f;
    struct vv_attribute any;
    uint32_t others;
    VV_TRY(vv_object_count(g, object, &g->attributes, &others, &any));
    if (!families) {
        VV_TRY(gather_rest(g, object));
        VV_TRY(vv_object_children(g, object, bundle_graph_add_child, NULL));
    }
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number != VV_OBJECT_ATTRIBUTE &&
            (families ||
                (f.number != VV_OBJECT_SLOT && f.number != VV_OBJECT_SAVER)))
            continue;
        VV_TRY(vv_wire_expect(&wire, &f, VV_WIRE_SIZED));
        struct vv_wire inner =
            vv_wire_open(&wire, &f, "object graph, a record");
        if (families)
            VV_TRY(add_family(g, object, inner));
        else if (f.number == VV_OBJECT_ATTRIBUTE)
            VV_TRY(bundle_graph_add_attribute(g, object, inner));
        else if (f.number == VV_OBJECT_SLOT)
            VV_TRY(bundle_graph_add_slot(g, object, inner));
        else
            VV_TRY(add_saver(g, object, inner));
    }
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

static varve_status read_graph(struct vv_object_graph *g)
{
    VV_TRY(find_objects(g));
    if (g->count == 0)
        return vv_fail(g->error, VARVE_CORRUPT, "%s: the object graph is empty",
            g->bundle->path);
    VV_TRY(find_counter(g));
    for (uint32_t i = 0; i < g->count && !g->draft->failed; i++)
        VV_TRY(add_to_draft(g, i, false));
    for (uint32_t i = 0; g->has_families && i < g->count; i++)
        VV_TRY(add_to_draft(g, i, true));
    return vv_bundle_moments_add(g);
}

varve_status vv_bundle_read_graph(const struct vv_foreign *foreign,
    struct vv_bundle *b, struct vv_bundle_entry *entry, struct vv_draft *draft,
    varve_error *error)
{
    const varve_allocator *a = &b->context->allocator;
    varve_error unwanted;
    draft->has_labels = true;
    if (entry->dtype != VARVE_STRING || entry->rank != 0)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: " VV_BUNDLE_GRAPH_KEY " is not a string", b->path);
    size_t size = (size_t)entry->strings_size;
    unsigned char *bytes = vv_allocate(a, size);
    if (!bytes)
        return vv_fail_memory(error, "an object graph");
    /* A string value begins with the lengths of its strings: 8 bytes for one.
     */
    struct vv_object_graph g = {
        .foreign = foreign,
        .bundle = b,
        .draft = draft,
        .bytes = bytes + 8,
        .size = size - 8,
        .error = error ? error : &unwanted,
    };
    vv_buffer_init(&g.rest, a);
    varve_status status =
        vv_bundle_decode(foreign, b, entry, bytes, size, g.error);
    entry->is_added = true;
    if (!status)
        status = read_graph(&g);
    vv_buffer_clear(&g.rest);
    vv_release(a, g.objects, g.capacity * sizeof *g.objects);
    vv_release(a, bytes, size);
    return status;
}
