/* bundle_objects.c - objects, children, attributes and slots as protobuf.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_objects.h"

#include <string.h>

#include "allocator.h"
#include "bundle.h"
#include "failure.h"
#include "try.h"
#include "wire_out.h"
#include "wrong.h"

/* --- Which have values --------------------------------------------------- */

/* The parents of every node: those of node i are number first[i] to
 * first[i + 1] - 1. And nodes that are to be looked at. */
struct parents {
    uint32_t *first;   /* node_count + 2: one more while it is built */
    uint32_t *parents; /* edge_count */
    uint32_t *queue;   /* node_count */
};

static void clear_parents(struct parents *p, const struct vv_target *target)
{
    const varve_allocator *a = &target->context->allocator;
    size_t nodes = target->index->node_count;
    size_t edges = target->index->edge_count;
    vv_release(a, p->first, (nodes + 2) * sizeof *p->first);
    vv_release(a, p->parents, edges * sizeof *p->parents);
    vv_release(a, p->queue, nodes * sizeof *p->queue);
}

static varve_status make_parents(
    struct parents *p, const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    const struct vv_index *index = target->index;
    size_t nodes = index->node_count, edges = index->edge_count;
    p->first = vv_allocate_zeroed(a, (nodes + 2) * sizeof *p->first);
    p->parents = vv_allocate_array(a, edges, sizeof *p->parents);
    p->queue = vv_allocate_array(a, nodes, sizeof *p->queue);
    if (!p->first || (edges && !p->parents) || !p->queue)
        return vv_fail_memory(error, "the objects of a checkpoint");
    for (size_t e = 0; e < edges; e++)
        p->first[vv_at32(index->edge_children, e) + 2]++;
    for (size_t i = 2; i < nodes + 2; i++)
        p->first[i] += p->first[i - 1];
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t begin, end;
        vv_index_edges(index, node, &begin, &end);
        for (uint32_t e = begin; e < end; e++) {
            uint32_t child = vv_at32(index->edge_children, e);
            p->parents[p->first[child + 1]++] = node;
        }
    }
    return VARVE_OK;
}

static bool is_saved(const struct vv_index *index, uint32_t node)
{
    uint32_t value = vv_index_find_value(index, node);
    return value != VV_NONE && vv_index_is_saved(index, value);
}

static bool has_own(const struct vv_bundle_objects *o, uint32_t node)
{
    const struct vv_index *index = o->target->index;
    uint32_t begin, end;
    vv_index_slots(index, node, &begin, &end);
    while (begin < end && !vv_bundle_slot_is_kept(o, begin))
        begin++;
    return (is_saved(index, node) && !o->is_left_out[node]) || begin < end ||
           (node == 0 && o->counter != VV_NONE);
}

/* Tells all that lead to a node that something is below them. */
static void mark_all(struct vv_bundle_objects *o, struct parents *p)
{
    size_t count = 0;
    for (uint32_t node = 0; node < o->target->index->node_count; node++) {
        if (!has_own(o, node))
            continue;
        o->has_values[node] = true;
        p->queue[count++] = node;
    }
    for (size_t at = 0; at < count; at++) {
        uint32_t node = p->queue[at];
        for (uint32_t i = p->first[node]; i < p->first[node + 1]; i++) {
            uint32_t parent = p->parents[i];
            if (!o->has_values[parent])
                p->queue[count++] = parent;
            o->has_values[parent] = true;
        }
    }
}

bool vv_bundle_slot_is_kept(const struct vv_bundle_objects *o, uint32_t slot)
{
    const struct vv_index *index = o->target->index;
    return (is_saved(index, vv_at32(index->slot_variables, slot)) &&
               is_saved(index, vv_at32(index->slot_nodes, slot))) ||
           VV_WRONG(slots_without_values_recorded);
}

static void find_left_out(struct vv_bundle_objects *o)
{
    const struct vv_index *index = o->target->index;
    const struct vv_saved_paths *paths = o->target->paths;
    for (uint32_t node = 0; node < index->node_count; node++)
        o->is_left_out[node] =
            node != paths->root && paths->ways[node] & VV_WAY_IS_SLOT;
    for (uint32_t slot = 0; slot < index->slot_count; slot++) {
        if (vv_bundle_slot_is_kept(o, slot))
            o->is_left_out[vv_at32(index->slot_nodes, slot)] = false;
    }
}

static varve_status find_values(
    struct vv_bundle_objects *o, varve_error *error)
{
    const varve_allocator *a = &o->target->context->allocator;
    struct parents p = { 0 };
    size_t nodes = o->target->index->node_count;
    o->has_values = vv_allocate_zeroed(a, nodes);
    o->is_left_out = vv_allocate_zeroed(a, nodes);
    if (!o->has_values || !o->is_left_out)
        return vv_fail_memory(error, "the objects of a checkpoint");
    find_left_out(o);
    varve_status status = make_parents(&p, o->target, error);
    if (!status)
        mark_all(o, &p);
    clear_parents(&p, o->target);
    return status;
}

/* --- Numbers ------------------------------------------------------------- */

/* Children of the root have the first numbers; the one behind them. */
static uint32_t counter_number(const struct vv_index *index)
{
    uint32_t begin, end, last = 0;
    vv_index_edges(index, 0, &begin, &end);
    for (uint32_t e = begin; e < end; e++) {
        uint32_t child = vv_at32(index->edge_children, e);
        last = child > last ? child : last;
    }
    return last + 1;
}

static bool has_counter(const struct vv_index *index)
{
    if (index->counter == 0 || vv_index_kind(index, 0) == VARVE_VARIABLE)
        return false;
    uint32_t name = vv_index_find_name(
        index, VV_BUNDLE_COUNTER, strlen(VV_BUNDLE_COUNTER));
    return name == VV_NONE || vv_index_find_child(index, 0, name) == VV_NONE;
}

/* Of the object of a node. */
static uint32_t object_number(
    const struct vv_bundle_objects *o, uint32_t node)
{
    return o->counter != VV_NONE && node >= o->counter ? node + 1 : node;
}

varve_status vv_bundle_objects_begin(struct vv_bundle_objects *o,
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    *o = (struct vv_bundle_objects){ .target = target, .counter = VV_NONE };
    vv_buffer_init(&o->ways, a);
    vv_buffer_init(&o->name, a);
    vv_buffer_init(&o->key, a);
    if (target->index->node_count >= INT32_MAX)
        return vv_fail(error, VARVE_LIMIT,
            "%.300s: expected fewer than 2^31 nodes, found %u", target->path,
            target->index->node_count);
    if (has_counter(target->index))
        o->counter = counter_number(target->index);
    return find_values(o, error);
}

void vv_bundle_objects_end(struct vv_bundle_objects *o)
{
    const varve_allocator *a = &o->target->context->allocator;
    size_t nodes = o->target->index->node_count;
    vv_release(a, o->has_values, nodes);
    vv_release(a, o->is_left_out, nodes);
    vv_buffer_clear(&o->ways);
    vv_buffer_clear(&o->name);
    vv_buffer_clear(&o->key);
}

/* --- Names --------------------------------------------------------------- */

/* A '.' that is doubled is never taken for one that means something, and a '/'
 * in a name is not one between names. */
static void add_escaped(
    const struct vv_index *index, uint32_t name, struct vv_buffer *to)
{
    size_t size;
    const char *text = vv_index_name(index, name, &size);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '/')
            vv_buffer_add_string(to, ".S");
        else if (text[i] == '.')
            vv_buffer_add_string(to, "..");
        else
            vv_buffer_add8(to, (uint8_t)text[i]);
    }
}

/* The path of a node to which edges lead. */
static void add_path(
    struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *to)
{
    const struct vv_saved_paths *paths = o->target->paths;
    const struct vv_index *index = o->target->index;
    o->ways.size = 0;
    for (; node != paths->root; node = paths->parents[node])
        vv_buffer_add32(&o->ways, paths->ways[node]);
    to->failed |= o->ways.failed;
    if (to->failed)
        return;
    for (size_t i = o->ways.size / 4; i-- > 0;) {
        uint32_t edge = vv_load32(o->ways.data + 4 * i);
        add_escaped(index, vv_at32(index->edge_names, edge), to);
        if (i)
            vv_buffer_add8(to, '/');
    }
}

static void add_slot_path(
    struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *to)
{
    const struct vv_saved_paths *paths = o->target->paths;
    const struct vv_index *index = o->target->index;
    uint32_t slot = paths->ways[node] & ~VV_WAY_IS_SLOT;
    add_path(o, vv_at32(index->slot_variables, slot), to);
    vv_buffer_add_string(to, "/" VV_BUNDLE_SLOT "/");
    add_path(o, paths->parents[node], to);
    vv_buffer_add8(to, '/');
    add_escaped(index, vv_at32(index->slot_names, slot), to);
}

static const char *attribute_of(const struct vv_index *index, uint32_t node)
{
    return vv_index_kind(index, node) == VARVE_STATE ? VV_BUNDLE_STATE
                                                     : VV_BUNDLE_VARIABLE;
}

void vv_bundle_objects_key(struct vv_bundle_objects *o, uint32_t node,
    struct vv_buffer *key)
{
    const struct vv_saved_paths *paths = o->target->paths;
    key->size = 0;
    if (node != paths->root && paths->ways[node] & VV_WAY_IS_SLOT)
        add_slot_path(o, node, key);
    else
        add_path(o, node, key);
    vv_buffer_add_string(key, "/" VV_BUNDLE_ATTRIBUTES "/");
    vv_buffer_add_string(key, attribute_of(o->target->index, node));
}

void vv_bundle_full_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name)
{
    uint32_t global = vv_index_find_global(target->index, node);
    name->size = 0;
    if (global == VV_NONE) {
        vv_target_name(target, node, name);
        return;
    }
    size_t size;
    const char *text = vv_index_name(target->index, global, &size);
    vv_buffer_add(name, text, size);
}

/* --- Objects ------------------------------------------------------------- */

static void add_child(struct vv_buffer *b, uint32_t number, const char *name,
    size_t size)
{
    size_t child = vv_wire_begin(b, VV_OBJECT_CHILD);
    vv_wire_number(b, VV_CHILD_NODE, number);
    vv_wire_bytes(b, VV_CHILD_NAME, name, size);
    vv_wire_end(b, child);
}

static void add_children(
    const struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *b)
{
    const struct vv_index *index = o->target->index;
    uint32_t begin, end;
    vv_index_edges(index, node, &begin, &end);
    for (uint32_t e = begin; e < end; e++) {
        size_t size;
        const char *name =
            vv_index_name(index, vv_at32(index->edge_names, e), &size);
        uint32_t child = vv_at32(index->edge_children, e);
        add_child(b, object_number(o, child), name, size);
    }
    if (node == 0 && o->counter != VV_NONE)
        add_child(b, o->counter, VV_BUNDLE_COUNTER, strlen(VV_BUNDLE_COUNTER));
}

/* An attribute named `name`, called and under a key as the buffers have it. */
static void add_attribute(
    struct vv_bundle_objects *o, const char *name, struct vv_buffer *b)
{
    b->failed |= o->name.failed || o->key.failed;
    size_t attribute = vv_wire_begin(b, VV_OBJECT_ATTRIBUTE);
    vv_wire_bytes(b, VV_ATTRIBUTE_NAME, name, strlen(name));
    vv_wire_bytes(b, VV_ATTRIBUTE_FULL_NAME, o->name.data, o->name.size);
    vv_wire_bytes(b, VV_ATTRIBUTE_KEY, o->key.data, o->key.size);
    vv_wire_end(b, attribute);
}

static void add_value(
    struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *b)
{
    const struct vv_index *index = o->target->index;
    if (!is_saved(index, node) || o->is_left_out[node])
        return;
    vv_bundle_objects_key(o, node, &o->key);
    o->name.size = 0;
    if (vv_index_kind(index, node) == VARVE_VARIABLE ||
        vv_index_find_global(index, node) != VV_NONE)
        vv_bundle_full_name(o->target, node, &o->name);
    add_attribute(o, attribute_of(index, node), b);
}

static void add_slots(
    const struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *b)
{
    const struct vv_index *index = o->target->index;
    uint32_t begin, end;
    vv_index_slots(index, node, &begin, &end);
    for (uint32_t s = begin; s < end; s++) {
        size_t size;
        if (!vv_bundle_slot_is_kept(o, s))
            continue;
        const char *name =
            vv_index_name(index, vv_at32(index->slot_names, s), &size);
        size_t slot = vv_wire_begin(b, VV_OBJECT_SLOT);
        vv_wire_number(b, VV_SLOT_VARIABLE,
            object_number(o, vv_at32(index->slot_variables, s)));
        vv_wire_bytes(b, VV_SLOT_NAME, name, size);
        vv_wire_number(b, VV_SLOT_NODE,
            object_number(o, vv_at32(index->slot_nodes, s)));
        vv_wire_end(b, slot);
    }
}

static void add_has_values(struct vv_buffer *b, bool has)
{
    size_t flag = vv_wire_begin(b, VV_OBJECT_HAS_VALUES);
    vv_wire_number(b, VV_BOOL_VALUE, has);
    vv_wire_end(b, flag);
}

static void add_object(
    struct vv_bundle_objects *o, uint32_t node, struct vv_buffer *b)
{
    size_t object = vv_wire_begin(b, VV_OBJECTS_NODE);
    add_children(o, node, b);
    add_value(o, node, b);
    add_slots(o, node, b);
    add_has_values(b, o->has_values[node]);
    vv_wire_end(b, object);
}

static void add_counter(struct vv_bundle_objects *o, struct vv_buffer *b)
{
    size_t object = vv_wire_begin(b, VV_OBJECTS_NODE);
    o->name.size = 0;
    o->key.size = 0;
    vv_buffer_add_string(&o->name, VV_BUNDLE_COUNTER);
    vv_buffer_add_string(&o->key, VV_BUNDLE_COUNTER_KEY);
    add_attribute(o, VV_BUNDLE_VARIABLE, b);
    add_has_values(b, true);
    vv_wire_end(b, object);
}

varve_status vv_bundle_objects_encode(struct vv_bundle_objects *o,
    struct vv_buffer *bytes, varve_error *error)
{
    uint32_t count = o->target->index->node_count;
    size_t begin = bytes->size;
    for (uint32_t node = 0; node < count && !bytes->failed; node++) {
        if (node == o->counter)
            add_counter(o, bytes);
        add_object(o, node, bytes);
    }
    if (count == o->counter)
        add_counter(o, bytes);
    if (bytes->failed)
        return vv_fail_memory(error, "the objects of a checkpoint");
    if (bytes->size - begin > INT32_MAX)
        return vv_fail(error, VARVE_LIMIT,
            "%.300s: expected an object graph below 2 GiB, which is what "
            "protobuf can hold, found %zu bytes",
            o->target->path, bytes->size - begin);
    return VARVE_OK;
}
