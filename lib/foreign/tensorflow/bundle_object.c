/* bundle_object.c - Parses the fields of a node in TensorFlow's object graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_object.h"

#include <inttypes.h>

#include "bundle.h"
#include "failure.h"
#include "try.h"

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
