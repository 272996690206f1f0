/* snapshot.c - copies of all values of a graph, in memory.
 *
 * The values of ordinary types lie in one block. Strings and states, whose
 * sizes change, have memory of their own, which grows when it must.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot.h"

#include <string.h>

#include "allocator.h"
#include "columns.h"
#include "failure.h"
#include "graph.h"
#include "state.h"
#include "try.h"
#include "variable.h"
#include "walk.h"

struct item {
    varve_node *node;
    void *copy; /* of elements; NULL for a state */
    size_t size;
    struct vv_buffer bytes; /* of strings, or of a state */
    struct vv_buffer next;  /* those of a retake, until all of it is there */
    char *spare;            /* what restored strings will point into */
    size_t spare_size;
    char *next_spare; /* the same for `next` */
    size_t next_spare_size;
};

struct varve_snapshot {
    struct vv_observer observer;
    struct vv_context context;
    varve_graph *graph; /* NULL once it is freed */
    varve_node *root;
    bool is_stale; /* a node is gone */
    bool is_touched; /* edges or slots came or went since the last look */
    struct item *items;
    size_t count;
    size_t item_capacity;
    unsigned char *block;
    size_t block_size;
};

/* --- Taking ------------------------------------------------------------- */

static bool is_string(const varve_node *node)
{
    return node->variable && node->variable->tensor.dtype == VARVE_STRING;
}

static varve_status make_spare(struct item *item, varve_error *error)
{
    const varve_allocator *a = item->next.allocator;
    size_t size = item->next.size;
    if ((item->spare && item->spare_size == size) ||
        (item->next_spare && item->next_spare_size == size))
        return VARVE_OK;
    vv_release(a, item->next_spare, item->next_spare_size);
    item->next_spare = vv_allocate(a, size);
    item->next_spare_size = size;
    if (size && !item->next_spare)
        return vv_fail_memory(error, "a snapshot of strings");
    return VARVE_OK;
}

/* What was taken becomes what the snapshot holds. */
static void accept(struct item *item)
{
    struct vv_buffer older = item->bytes;
    item->bytes = item->next;
    item->next = older;
    if (item->size)
        memcpy(item->copy, varve_data(item->node), item->size);
    if (!item->next_spare || (item->spare &&
            item->spare_size == item->bytes.size))
        return;
    vv_release(item->bytes.allocator, item->spare, item->spare_size);
    item->spare = item->next_spare;
    item->spare_size = item->next_spare_size;
    item->next_spare = NULL;
    item->next_spare_size = 0;
}

static varve_status take_strings(struct item *item, varve_error *error)
{
    const varve_tensor *tensor = &item->node->variable->tensor;
    const varve_string *strings = tensor->data;
    uint64_t count = varve_tensor_count(tensor);
    item->next.size = 0;
    for (uint64_t i = 0; i < count; i++)
        vv_buffer_add(&item->next, strings[i].data, (size_t)strings[i].size);
    if (item->next.failed) {
        item->next.failed = false;
        return vv_fail_memory(error, "a snapshot of strings");
    }
    return make_spare(item, error);
}

static varve_status take_state(struct item *item, varve_error *error)
{
    char text[256];
    item->next.size = 0;
    varve_status status = vv_state_save(item->node,
        vv_node_text(item->node, text, sizeof text), &item->next, error);
    item->next.failed = false;
    return status;
}

/* First all that can fail, beside what the snapshot holds. */
static varve_status take(struct varve_snapshot *s, varve_error *error)
{
    for (size_t i = 0; i < s->count; i++) {
        struct item *item = &s->items[i];
        if (item->node->kind == VARVE_STATE)
            VV_TRY(take_state(item, error));
        else if (is_string(item->node))
            VV_TRY(take_strings(item, error));
    }
    for (size_t i = 0; i < s->count; i++)
        accept(&s->items[i]);
    return VARVE_OK;
}

/* --- Watching the graph ------------------------------------------------- */

static void node_removed(struct vv_observer *self, varve_node *node)
{
    struct varve_snapshot *s = (struct varve_snapshot *)self;
    for (size_t i = 0; i < s->count; i++)
        s->is_stale |= s->items[i].node == node;
    if (node == s->root)
        s->root = NULL;
}

static void graph_freed(struct vv_observer *self)
{
    ((struct varve_snapshot *)self)->graph = NULL;
}

static void edge_added(struct vv_observer *self, struct vv_edge *edge)
{
    (void)edge;
    ((struct varve_snapshot *)self)->is_touched = true;
}

static void edge_removed(struct vv_observer *self, varve_node *child)
{
    (void)child;
    ((struct varve_snapshot *)self)->is_touched = true;
}

static void slot_added(struct vv_observer *self, struct vv_slot *slot)
{
    (void)slot;
    ((struct varve_snapshot *)self)->is_touched = true;
}

static bool holds_value(const varve_node *node)
{
    return node->variable || node->kind == VARVE_STATE;
}

/* Whether the program still has the values that the snapshot has, and no
 * others. */
static varve_status check(struct varve_snapshot *s, varve_error *error)
{
    struct vv_walk walk;
    if (!s->graph || !s->root || s->is_stale)
        return vv_fail(error, VARVE_MISMATCH,
            "snapshot: expected the variables it was made of, found some "
            "removed");
    VV_TRY(varve_graph_check(s->graph, error));
    if (!s->is_touched)
        return VARVE_OK;
    VV_TRY(vv_walk_begin(&walk, s->root, error));
    size_t at = 0;
    bool same = true;
    for (size_t i = 0; i < walk.count && same; i++) {
        const varve_node *node = walk.steps[i].node;
        if (holds_value(node))
            same = at < s->count && s->items[at++].node == node;
    }
    same = same && at == s->count;
    vv_walk_end(&walk);
    if (!same)
        return vv_fail(error, VARVE_MISMATCH,
            "snapshot: expected the %zu variables it was made of, found others",
            s->count);
    s->is_touched = false;
    return VARVE_OK;
}

/* --- Making ------------------------------------------------------------- */

static varve_status make_items(
    struct varve_snapshot *s, const struct vv_walk *walk, varve_error *error)
{
    const varve_allocator *a = &s->context.allocator;
    size_t count = 0;
    for (size_t i = 0; i < walk->count; i++) {
        const varve_node *node = walk->steps[i].node;
        count += holds_value(node);
        if (node->variable)
            s->block_size += (size_t)vv_align_up(
                varve_tensor_size(&node->variable->tensor), 64);
    }
    s->items = vv_allocate_zeroed(a, count * sizeof *s->items);
    s->item_capacity = count;
    s->block = vv_allocate_aligned(a, s->block_size, 64);
    if ((count && !s->items) || (s->block_size && !s->block))
        return vv_fail_memory(error, "a snapshot");
    size_t at = 0;
    for (size_t i = 0; i < walk->count; i++) {
        varve_node *node = walk->steps[i].node;
        if (!holds_value(node))
            continue;
        struct item *item = &s->items[s->count++];
        item->node = node;
        vv_buffer_init(&item->bytes, a);
        vv_buffer_init(&item->next, a);
        if (!node->variable)
            continue;
        item->copy = s->block ? s->block + at : NULL;
        item->size = (size_t)varve_tensor_size(&node->variable->tensor);
        at += (size_t)vv_align_up(item->size, 64);
    }
    return VARVE_OK;
}

static varve_status make(
    struct varve_snapshot *s, varve_node *root, varve_error *error)
{
    struct vv_walk walk;
    VV_TRY(vv_walk_begin(&walk, root, error));
    varve_status status = make_items(s, &walk, error);
    vv_walk_end(&walk);
    return status ? status : take(s, error);
}

varve_snapshot *varve_snapshot_new(varve_node *root, varve_error *error)
{
    varve_graph *graph = root->graph;
    if (varve_graph_check(graph, error))
        return NULL;
    if (vv_is_nil(root)) {
        vv_fail(error, VARVE_MISUSE, "expected a node, found none");
        return NULL;
    }
    struct varve_snapshot *s =
        vv_allocate_zeroed(&graph->context.allocator, sizeof *s);
    if (!s) {
        vv_fail_memory(error, "a snapshot");
        return NULL;
    }
    s->context = graph->context;
    s->graph = graph;
    s->root = root;
    s->observer.edge_added = edge_added;
    s->observer.edge_removed = edge_removed;
    s->observer.slot_added = slot_added;
    s->observer.node_removed = node_removed;
    s->observer.graph_freed = graph_freed;
    vv_graph_observe(graph, &s->observer);
    if (make(s, root, error)) {
        varve_snapshot_free(s);
        return NULL;
    }
    return s;
}

void varve_snapshot_free(varve_snapshot *s)
{
    if (!s)
        return;
    if (s->graph)
        vv_graph_forget(s->graph, &s->observer);
    const varve_allocator a = s->context.allocator;
    for (size_t i = 0; i < s->count; i++) {
        vv_buffer_clear(&s->items[i].bytes);
        vv_buffer_clear(&s->items[i].next);
        vv_release(&a, s->items[i].spare, s->items[i].spare_size);
        vv_release(
            &a, s->items[i].next_spare, s->items[i].next_spare_size);
    }
    vv_release(&a, s->items, s->item_capacity * sizeof *s->items);
    vv_release_aligned(&a, s->block, s->block_size, 64);
    vv_release(&a, s, sizeof *s);
}

varve_status varve_snapshot_retake(varve_snapshot *s, varve_error *error)
{
    VV_TRY(check(s, error));
    return take(s, error);
}

/* --- Restoring ---------------------------------------------------------- */

/* The bytes for strings must outlive the snapshot, so they are a block of the
 * variable's own: the one an earlier restore gave it, or else the spare. */
static bool needs_spare(const struct item *item)
{
    const struct vv_variable *variable = item->node->variable;
    return variable->string_size != item->bytes.size ||
           (item->bytes.size && !variable->string_bytes);
}

static varve_status prepare_strings(struct item *item, varve_error *error)
{
    const varve_allocator *a = item->bytes.allocator;
    size_t size = item->bytes.size;
    if (size == 0 || item->spare || !needs_spare(item))
        return VARVE_OK;
    item->spare = vv_allocate(a, size);
    if (!item->spare)
        return vv_fail_memory(error, "strings of a snapshot");
    item->spare_size = size;
    return VARVE_OK;
}

static void put_strings(struct item *item)
{
    struct vv_variable *variable = item->node->variable;
    if (needs_spare(item)) {
        vv_variable_keep_strings(item->node, item->spare, item->bytes.size);
        item->spare = NULL;
        item->spare_size = 0;
    }
    char *bytes = variable->string_bytes;
    if (item->bytes.size)
        memcpy(bytes, item->bytes.data, item->bytes.size);
    varve_string *strings = variable->tensor.data;
    if (item->size)
        memcpy(strings, item->copy, item->size);
    uint64_t count = varve_tensor_count(&variable->tensor);
    for (uint64_t i = 0, at = 0; i < count; i++) {
        strings[i].data = bytes ? bytes + at : NULL;
        at += strings[i].size;
    }
}

static varve_status put_state(struct item *item, varve_error *error)
{
    char text[256];
    return vv_state_load(item->node,
        vv_node_text(item->node, text, sizeof text), item->bytes.data,
        item->bytes.size, error);
}

varve_status varve_snapshot_restore(varve_snapshot *s, varve_error *error)
{
    VV_TRY(check(s, error));
    for (size_t i = 0; i < s->count; i++) {
        if (is_string(s->items[i].node))
            VV_TRY(prepare_strings(&s->items[i], error));
    }
    for (size_t i = 0; i < s->count; i++) {
        struct item *item = &s->items[i];
        if (is_string(item->node))
            put_strings(item);
        else if (item->node->variable && item->size)
            memcpy(varve_data(item->node), item->copy, item->size);
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->items[i].node->kind == VARVE_STATE)
            VV_TRY(put_state(&s->items[i], error));
    }
    return VARVE_OK;
}
