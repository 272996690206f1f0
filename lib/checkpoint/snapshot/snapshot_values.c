/* snapshot_values.c - Returns the values of a snapshot, and finds those that
 * differ from another snapshot or from the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/snapshot.h>

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "convert.h"
#include "failure.h"
#include "item_copy.h"
#include "snapshot.h"
#include "state.h"
#include "try.h"
#include "typed_memory.h"
#include "value_bytes.h"
#include "variable.h"

/* --- Values --------------------------------------------------------------- */

/* Returns the value of a node in a snapshot as a view of its copy. */

static const struct vv_item *snapshot_find_item(
    const struct varve_snapshot *s, const varve_node *node)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].node == node)
            return &s->items[i];
    return NULL;
}

/* Finds a node by walking the graph. Used for the path of a slot, and if the
 * first lookup ran out of memory. */
static varve_status snapshot_find_by_walk(const struct varve_snapshot *s,
    const char *path, varve_node **node, varve_error *error)
{
    struct vv_walk walk;
    struct vv_buffer text;
    VV_TRY(vv_walk_begin(&walk, s->root, error));
    vv_buffer_init(&text, &s->context.allocator);
    for (size_t i = 0; i < walk.count && !*node && !text.failed; i++) {
        text.size = 0;
        vv_walk_path(&walk, i, &text);
        if (strcmp(vv_buffer_string(&text), path) == 0)
            *node = walk.steps[i].node;
    }
    bool failed = text.failed;
    vv_buffer_clear(&text);
    vv_walk_end(&walk);
    return failed ? vv_fail_memory(error, "a path") : VARVE_OK;
}

bool vv_snapshot_value_of(
    struct varve_snapshot *s, const varve_node *node, varve_tensor *value)
{
    const struct vv_item *item = snapshot_find_item(s, node);
    if (item && node->kind == VARVE_STATE) {
        *value = (varve_tensor){ .dtype = VARVE_UINT8,
            .rank = 1,
            .shape = { item->bytes.size },
            .data = item->bytes.data };
    } else if (item) {
        vv_snapshot_point(s);
        *value = vv_tensor_copy(&node->variable->tensor);
        value->memory = NULL;
        value->data = item->copy;
    }
    return item;
}

varve_status varve_snapshot_value(varve_snapshot *s, const char *path,
    varve_tensor *value, varve_error *error)
{
    if (!s || !path || !value)
        return vv_fail(
            error, VARVE_MISUSE, "snapshot: snapshot, path or value is NULL");
    VV_TRY(vv_snapshot_check(s, error));
    varve_node *node = varve_find_path(s->root, path);
    if (!node)
        VV_TRY(snapshot_find_by_walk(s, path, &node, error));
    if (!node)
        return vv_fail(error, VARVE_NOT_FOUND,
            "snapshot: %s: the program has no node at this path", path);
    if (!vv_snapshot_value_of(s, node, value))
        return vv_fail(error, VARVE_NOT_FOUND,
            "snapshot: %s: the node has no value, or the options of the "
            "snapshot leave it out",
            path);
    return VARVE_OK;
}

/* --- Differences ---------------------------------------------------------- */

/* Finds the values that differ between two snapshots, or between a snapshot and
 * the program. */

struct comparing {
    struct varve_snapshot *a;
    struct varve_snapshot *b; /* NULL: compare with the program */
    struct vv_walk walk;
    const struct vv_item **items; /* items of b, by place in the walk; or
                                     NULL */
    struct vv_buffer path;
    struct vv_buffer state; /* current bytes of a state of the program */
    varve_on_difference *visit;
    void *user;
};

/* --- One value ---------------------------------------------------------- */

static double part_distance(double one, double other)
{
    double distance = one > other ? one - other : other - one;
    return distance == distance ? distance : (double)INFINITY;
}

/* Real numbers are converted to complex numbers with an imaginary part of 0. */
static double distance_of(varve_dtype dtype, const void *one, const void *other)
{
    double a[2];
    double b[2];
    vv_convert(VARVE_COMPLEX128, a, dtype, one, 1);
    vv_convert(VARVE_COMPLEX128, b, dtype, other, 1);
    double real = part_distance(a[0], b[0]);
    double imaginary = part_distance(a[1], b[1]);
    return real > imaginary ? real : imaginary;
}

static void count_one(varve_difference *d, uint64_t index, double distance)
{
    if (d->count++ == 0)
        d->first = index;
    if (distance > d->largest)
        d->largest = distance;
}

/* Compares elements from index `first` on. */
static void compare_some(varve_difference *d, varve_dtype dtype, uint64_t first,
    const unsigned char *one, const unsigned char *other, uint64_t count)
{
    size_t size = varve_dtype_size(dtype);
    if (count == 0 || memcmp(one, other, (size_t)count * size) == 0)
        return;
    for (uint64_t i = 0; i < count; i++, one += size, other += size)
        if (memcmp(one, other, size) != 0)
            count_one(d, first + i, distance_of(dtype, one, other));
}

static void snapshot_diff_compare_numbers(varve_difference *d,
    const varve_tensor *tensor, const unsigned char *one,
    const unsigned char *other)
{
    compare_some(d, tensor->dtype, 0, one, other, varve_tensor_count(tensor));
}

/* Compares with the current value, which is copied out in pieces. */
static varve_status snapshot_diff_compare_accessed(
    varve_difference *d, const struct vv_item *item, varve_error *error)
{
    _Alignas(16) unsigned char room[16384];
    const unsigned char *copy = item->copy;
    size_t unit = varve_dtype_size(item->dtype);
    for (size_t at = 0, size; at < item->size; at += size) {
        size = item->size - at < sizeof room ? item->size - at : sizeof room;
        enum vv_hold older = vv_graph_hold(item->node->graph, VV_HOLDS_ALL);
        varve_status status = vv_value_out(item->node, at, room, size, error);
        vv_graph_let_go(item->node->graph, older);
        if (status)
            return status;
        compare_some(d, item->dtype, at / unit, copy + at, room, size / unit);
    }
    return VARVE_OK;
}

static void compare_strings(varve_difference *d, const varve_tensor *tensor,
    const varve_string *one, const varve_string *other)
{
    uint64_t count = varve_tensor_count(tensor);
    for (uint64_t i = 0; i < count; i++) {
        bool same = one[i].size == other[i].size &&
                    (!one[i].size || memcmp(one[i].data, other[i].data,
                                         (size_t)one[i].size) == 0);
        if (!same)
            count_one(d, i, 0);
    }
}

static void snapshot_diff_compare_bytes(varve_difference *d,
    const struct vv_buffer *one, const struct vv_buffer *other)
{
    size_t most = one->size > other->size ? one->size : other->size;
    for (size_t i = 0; i < most; i++)
        if (i >= one->size || i >= other->size ||
            one->data[i] != other->data[i])
            count_one(d, i, 0);
}

/* --- All of them -------------------------------------------------------- */

static varve_status compare_state(struct comparing *c,
    const struct vv_item *item, const struct vv_item *other,
    varve_difference *d, varve_error *error)
{
    const struct vv_buffer *bytes = other ? &other->bytes : &c->state;
    if (!other) {
        char text[256];
        c->state.size = 0;
        c->state.failed = false;
        VV_TRY(vv_state_save(item->node,
            vv_node_text(item->node, text, sizeof text), &c->state, error));
    }
    snapshot_diff_compare_bytes(d, &item->bytes, bytes);
    return VARVE_OK;
}

static varve_status compare_item(struct comparing *c,
    const struct vv_item *item, size_t place, varve_error *error)
{
    const struct vv_item *other = c->items ? c->items[place] : NULL;
    varve_difference d = { .node = item->node };
    /* A value that only one of the two has is not a difference. */
    if (c->b && !other)
        return VARVE_OK;
    if (item->node->kind == VARVE_STATE) {
        VV_TRY(compare_state(c, item, other, &d, error));
    } else {
        const varve_tensor *tensor = &item->node->variable->tensor;
        const void *values = other ? other->copy : tensor->data;
        if (!other && vv_item_needs_copy_in(item))
            VV_TRY(snapshot_diff_compare_accessed(&d, item, error));
        else if (tensor->dtype == VARVE_STRING)
            compare_strings(&d, tensor, item->copy, values);
        else
            snapshot_diff_compare_numbers(&d, tensor, item->copy, values);
    }
    if (d.count == 0)
        return VARVE_OK;
    c->path.size = 0;
    vv_walk_path(&c->walk, place, &c->path);
    d.path = vv_buffer_string(&c->path);
    if (c->path.failed)
        return vv_fail_memory(error, "the path of a difference");
    enum vv_hold older = vv_graph_hold(c->a->graph, VV_HOLDS_EDGES);
    varve_status status = c->visit(c->user, &d);
    vv_graph_let_go(c->a->graph, older);
    return status;
}

static varve_status find_items(struct comparing *c, varve_error *error)
{
    if (!c->b)
        return VARVE_OK;
    c->items =
        vv_allocate_zeroed(c->walk.allocator, c->walk.count * sizeof *c->items);
    if (!c->items)
        return vv_fail_memory(error, "a comparison");
    for (size_t i = 0; i < c->b->count; i++) {
        const struct vv_item *item = &c->b->items[i];
        if (vv_walk_has(&c->walk, item->node))
            c->items[vv_walk_place(&c->walk, item->node)] = item;
    }
    return VARVE_OK;
}

static varve_status snapshot_diff_compare(
    struct comparing *c, varve_error *error)
{
    VV_TRY(find_items(c, error));
    vv_snapshot_point(c->a);
    if (c->b)
        vv_snapshot_point(c->b);
    for (size_t i = 0; i < c->a->count; i++) {
        const struct vv_item *item = &c->a->items[i];
        VV_TRY(
            compare_item(c, item, vv_walk_place(&c->walk, item->node), error));
    }
    return VARVE_OK;
}

varve_status varve_snapshot_diff(varve_snapshot *a, varve_snapshot *b,
    varve_on_difference *visit, void *user, varve_error *error)
{
    if (!a || !visit || (b && b->graph != a->graph))
        return vv_fail(error, VARVE_MISUSE,
            "snapshot: NULL, or the snapshots are of two graphs");
    VV_TRY(vv_snapshot_check(a, error));
    if (b)
        VV_TRY(vv_snapshot_check(b, error));
    struct comparing c = { .a = a, .b = b, .visit = visit, .user = user };
    VV_TRY(vv_walk_begin(&c.walk, a->root, error));
    vv_buffer_init(&c.path, &a->context.allocator);
    vv_buffer_init(&c.state, &a->context.allocator);
    varve_status status = snapshot_diff_compare(&c, error);
    vv_buffer_clear(&c.state);
    vv_buffer_clear(&c.path);
    vv_release(&a->context.allocator, c.items, c.walk.count * sizeof *c.items);
    vv_walk_end(&c.walk);
    return status;
}
