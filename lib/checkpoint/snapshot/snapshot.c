/* snapshot.c - Copies all values of a graph in memory.
 *
 * Values of numeric types lie in one block. Strings and states vary in size, so
 * each has a buffer that grows when needed. Everything that can fail is done
 * before the first byte is replaced, both when taking and when restoring. The
 * only exception is a state whose callback refuses its bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot.h"

#include <string.h>

#include "allocator.h"
#include "at_risk.h"
#include "bytes.h"
#include "checksum.h"
#include "columns.h"
#include "edge.h"
#include "failure.h"
#include "fixed_value.h"
#include "graph.h"
#include "graph_spread.h"
#include "item_copy.h"
#include "state.h"
#include "struct_look.h"
#include "tag.h"
#include "touch.h"
#include "try.h"
#include "typed_memory.h"
#include "variable.h"
#include "walk.h"

/* --- Taking ------------------------------------------------------------- */

static bool is_string(const varve_node *node)
{
    return node->variable && node->variable->tensor.dtype == VARVE_STRING;
}

static uint64_t string_bytes(const struct vv_item *item)
{
    const varve_tensor *tensor = &item->node->variable->tensor;
    return vv_strings_size(tensor) - 8 * varve_tensor_count(tensor);
}

/* Reserves `wanted` bytes and keeps the contents. */
static bool snapshot_reserve(struct vv_buffer *b, uint64_t wanted)
{
    size_t size = b->size;
    if (wanted > SIZE_MAX)
        return false;
    if (wanted > b->capacity)
        vv_buffer_extend(b, (size_t)wanted - size);
    bool done = !b->failed;
    b->failed = false;
    b->size = size;
    return done;
}

/* Reserves memory that the variable will own, unless it already has enough. */
static bool reserve_spare(struct vv_item *item, uint64_t wanted)
{
    return item->node->variable->extra->string_size >= wanted ||
           snapshot_reserve(&item->spare, wanted);
}

static varve_status snapshot_check_fixed(
    const struct vv_item *item, varve_error *error)
{
    if (!item->node->attachments)
        return VARVE_OK;
    return vv_fixed_value_check(
        item->node, item->spare.data, item->spare.size, error);
}

static varve_status prepare_state(struct vv_item *item, varve_error *error)
{
    char text[256];
    item->spare.size = 0;
    varve_status status = vv_state_save(item->node,
        vv_node_text(item->node, text, sizeof text), &item->spare, error);
    item->spare.failed = false;
    if (!status && !snapshot_reserve(&item->bytes, item->spare.size))
        status = vv_fail_memory(error, "a snapshot of a state");
    return status ? status : snapshot_check_fixed(item, error);
}

static varve_status snapshot_prepare(
    struct vv_item *item, bool is_again, varve_error *error)
{
    VV_TRY(vv_check_whole(item->node, error));
    if (item->node->kind == VARVE_STATE)
        return prepare_state(item, error);
    VV_TRY(vv_variable_check_there(item->node, error));
    if (is_string(item->node) &&
        (!snapshot_reserve(&item->bytes, string_bytes(item)) ||
            !reserve_spare(item, string_bytes(item))))
        return vv_fail_memory(error, "a snapshot of strings");
    VV_TRY(snapshot_check_fixed(item, error));
    return vv_item_fetch(item, is_again, error);
}

/* Copies strings, states, strided values and device memory. vv_bulk_copy copies
 * the rest. */
static void take_one(struct vv_item *item)
{
    if (item->node->kind == VARVE_STATE) {
        vv_buffer_swap(&item->spare, &item->bytes);
        return;
    }
    if (vv_item_needs_copy_in(item))
        vv_item_take(item);
    if (!is_string(item->node))
        return;
    const varve_tensor *tensor = &item->node->variable->tensor;
    if (item->size)
        memcpy(item->copy, tensor->data, item->size);
    const varve_string *strings = tensor->data;
    uint64_t count = varve_tensor_count(tensor);
    item->bytes.size = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (strings[i].size)
            vv_buffer_add(
                &item->bytes, strings[i].data, (size_t)strings[i].size);
    }
}

static varve_status snapshot_take(
    struct varve_snapshot *s, bool is_again, varve_error *error)
{
    varve_status status = VARVE_OK;
    if (!vv_reserve_at_risk(s->graph))
        return vv_fail_memory(error, "a snapshot");
    enum vv_hold older = vv_graph_hold(s->graph, VV_HOLDS_ALL);
    for (size_t i = 0; i < s->count && !status; i++)
        status = snapshot_prepare(&s->items[i], is_again, error);
    vv_graph_let_go(s->graph, older);
    if (status)
        return status;
    for (size_t i = 0; i < s->count; i++)
        take_one(&s->items[i]);
    s->counter = varve_save_counter(s->root);
    vv_put_at_risk(s->graph, 0);
    vv_bulk_copy(&(struct vv_bulk){ .snapshot = s });
    return VARVE_OK;
}

/* --- Watching the graph ------------------------------------------------- */

/* Returns true if a node is an item, by a table by the numbers of the items. It
 * is made by the first call, or not at all without memory. */
static bool holds_item(struct varve_snapshot *s, const varve_node *node)
{
    const varve_allocator *a = &s->context.allocator;
    bool found = false;
    if (!s->item_at && s->count) {
        s->item_limit = s->graph->number_limit;
        s->item_at = vv_allocate_zeroed(a, s->item_limit * sizeof *s->item_at);
        for (size_t i = 0; i < s->count && s->item_at; i++)
            s->item_at[s->items[i].node->number] = true;
    }
    if (s->item_at)
        return node->number < s->item_limit && s->item_at[node->number];
    for (size_t i = 0; i < s->count; i++)
        found |= s->items[i].node == node;
    return found;
}

static void snapshot_node_removed(struct vv_observer *self, varve_node *node)
{
    struct varve_snapshot *s = (struct varve_snapshot *)self;
    if (!s->is_stale)
        s->is_stale = holds_item(s, node);
    if (node == s->root)
        s->root = NULL;
}

static void snapshot_graph_freed(struct vv_observer *self)
{
    ((struct varve_snapshot *)self)->graph = NULL;
}

static void snapshot_edge_added(struct vv_observer *self, struct vv_edge *edge)
{
    (void)edge;
    ((struct varve_snapshot *)self)->is_changed = true;
}

static void snapshot_edge_removed(struct vv_observer *self, varve_node *child)
{
    (void)child;
    ((struct varve_snapshot *)self)->is_changed = true;
}

/* Patterns may match other nodes now. */
static void snapshot_children_moved(struct vv_observer *self, varve_node *list)
{
    (void)list;
    ((struct varve_snapshot *)self)->is_changed = true;
}

static void snapshot_slot_added(struct vv_observer *self, struct vv_slot *slot)
{
    (void)slot;
    ((struct varve_snapshot *)self)->is_changed = true;
}

static bool holds_value(const varve_node *node)
{
    return node->variable || node->kind == VARVE_STATE;
}

bool vv_is_tagged(const varve_node *node, uint64_t bit)
{
    bool found = (vv_node_tags(node) & bit) != 0;
    const struct vv_edge *e = vv_first_in(node);
    for (; e && !found && bit; e = vv_next_in(e))
        found = (vv_node_tags(e->parent) & bit) != 0;
    return found;
}

/* Returns true if the snapshot includes the value of a reachable node. */
static bool snapshot_takes(const struct varve_snapshot *s,
    const varve_node *node, const struct vv_spread *except)
{
    uint64_t random = vv_tag_bit(s->graph, VARVE_TAG_RANDOM);
    return holds_value(node) && !(s->no_random && vv_is_tagged(node, random)) &&
           (!s->tag || vv_is_tagged(node, vv_tag_bit(s->graph, s->tag))) &&
           !vv_spread_has_all(except, node->number);
}

/* Finds the nodes that the `except` patterns exclude. */
static varve_status follow_except(const struct varve_snapshot *s,
    struct vv_spread *except, varve_error *error)
{
    *except = (struct vv_spread){ .count = 0 };
    return s->except ? vv_graph_spread_begin(except, &s->context.allocator,
                           s->root, s->except, error)
                     : VARVE_OK;
}

static uint64_t shape_of(const varve_tensor *tensor)
{
    return vv_hash_of(tensor->shape, tensor->rank * sizeof *tensor->shape);
}

static varve_status check_types(
    const struct varve_snapshot *s, varve_error *error)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct vv_item *item = &s->items[i];
        char where[256];
        char text[2][VARVE_TENSOR_TEXT_SIZE];
        if (!item->node->variable)
            continue;
        VV_TRY(vv_variable_check_there(item->node, error));
        const varve_tensor *now = &item->node->variable->tensor;
        bool is_shape = now->dtype == item->dtype;
        if (is_shape && shape_of(now) == item->shape)
            continue;
        varve_tensor taken = vv_tensor_copy(now);
        taken.dtype = item->dtype;
        return vv_fail(error, VARVE_MISMATCH,
            "snapshot: %s: was %s when it was taken, is now %s",
            vv_node_text(item->node, where, sizeof where),
            is_shape ? "the shape" : varve_tensor_text(&taken, text[0]),
            varve_tensor_text(now, text[1]));
    }
    return VARVE_OK;
}

varve_status vv_snapshot_check(struct varve_snapshot *s, varve_error *error)
{
    struct vv_walk walk;
    struct vv_spread except;
    if (!s->graph || !s->root || s->is_stale)
        return vv_fail(error, VARVE_MISMATCH,
            "snapshot: variables were removed since it was taken");
    VV_TRY(varve_graph_check(s->graph, error));
    VV_TRY(vv_structs_look(s->root, error));
    VV_TRY(check_types(s, error));
    if (!s->is_changed)
        return VARVE_OK;
    /* Edges or slots have changed. The variables may still be the same. */
    VV_TRY(follow_except(s, &except, error));
    varve_status status = vv_walk_begin(&walk, s->root, error);
    if (status) {
        vv_spread_end(&except);
        return status;
    }
    size_t found = 0;
    for (size_t i = 0; i < walk.count; i++)
        found += snapshot_takes(s, walk.steps[i].node, &except);
    bool same = found == s->count;
    for (size_t i = 0; i < s->count && same; i++)
        same = vv_walk_has(&walk, s->items[i].node) &&
               snapshot_takes(s, s->items[i].node, &except);
    vv_walk_end(&walk);
    vv_spread_end(&except);
    if (!same)
        return vv_fail(error, VARVE_MISMATCH,
            "snapshot: the %zu variable%s it was taken of %s been replaced by "
            "others",
            s->count, vv_plural_s(s->count), s->count == 1 ? "has" : "have");
    s->is_changed = false;
    return VARVE_OK;
}

/* --- Making ------------------------------------------------------------- */

static void add_item(
    struct varve_snapshot *s, varve_node *node, uint64_t random, size_t *at)
{
    struct vv_item *item = &s->items[s->count++];
    item->node = node;
    item->is_random = vv_is_tagged(node, random);
    vv_buffer_init(&item->bytes, &s->context.allocator);
    vv_buffer_init(&item->spare, &s->context.allocator);
    if (!node->variable)
        return;
    item->copy = s->block ? s->block + *at : NULL;
    item->size = (size_t)varve_tensor_size(&node->variable->tensor);
    item->dtype = node->variable->tensor.dtype;
    item->shape = shape_of(&node->variable->tensor);
    *at += (size_t)vv_align_up(item->size, VV_MEMORY_ALIGNMENT);
}

/* Adds the places of the included values to `places`, and their sizes to the
 * block. */
static varve_status snapshot_choose(struct varve_snapshot *s,
    const struct vv_walk *walk, struct vv_buffer *places, varve_error *error)
{
    struct vv_spread except;
    VV_TRY(follow_except(s, &except, error));
    for (size_t i = 0; i < walk->count; i++) {
        varve_node *node = walk->steps[i].node;
        if (!snapshot_takes(s, node, &except))
            continue;
        if (node->variable && vv_variable_is_owned(node->variable) &&
            !vv_variable_allocate(node)) {
            vv_spread_end(&except);
            return vv_fail_memory(error, "a variable without a value");
        }
        vv_buffer_add32(places, (uint32_t)i);
        if (node->variable)
            s->block_size +=
                (size_t)vv_align_up(varve_tensor_size(&node->variable->tensor),
                    VV_MEMORY_ALIGNMENT);
    }
    vv_spread_end(&except);
    return places->failed ? vv_fail_memory(error, "a snapshot") : VARVE_OK;
}

static varve_status make_items(struct varve_snapshot *s,
    const struct vv_walk *walk, const struct vv_buffer *places,
    varve_error *error)
{
    const varve_allocator *a = &s->context.allocator;
    uint64_t random = vv_tag_bit(s->graph, VARVE_TAG_RANDOM);
    size_t count = places->size / sizeof(uint32_t);
    s->items = vv_allocate_zeroed(a, count * sizeof *s->items);
    s->item_capacity = count;
    s->block = vv_allocate_value(a, s->block_size);
    if ((count && !s->items) || (s->block_size && !s->block))
        return vv_fail_memory(error, "a snapshot");
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        add_item(
            s, walk->steps[vv_load32(places->data + 4 * i)].node, random, &at);
    return VARVE_OK;
}

static varve_status snapshot_make(struct varve_snapshot *s, varve_error *error)
{
    struct vv_walk walk;
    struct vv_buffer places;
    VV_TRY(vv_structs_look(s->root, error));
    VV_TRY(vv_walk_begin(&walk, s->root, error));
    vv_buffer_init(&places, &s->context.allocator);
    varve_status status = snapshot_choose(s, &walk, &places, error);
    if (!status)
        status = make_items(s, &walk, &places, error);
    vv_buffer_clear(&places);
    vv_walk_end(&walk);
    return status ? status : snapshot_take(s, false, error);
}

static void snapshot_watch(struct varve_snapshot *s)
{
    s->observer.edge_added = snapshot_edge_added;
    s->observer.edge_removed = snapshot_edge_removed;
    s->observer.children_moved = snapshot_children_moved;
    s->observer.slot_added = snapshot_slot_added;
    s->observer.node_removed = snapshot_node_removed;
    s->observer.graph_freed = snapshot_graph_freed;
    vv_graph_observe(s->graph, &s->observer);
}

static varve_status snapshot_begin(struct varve_snapshot *s,
    const varve_snapshot_options *options, varve_error *error)
{
    const varve_allocator *a = &s->context.allocator;
    if (options && options->except) {
        s->except = vv_copy_string(a, options->except);
        if (!s->except)
            return vv_fail_memory(error, "a snapshot");
    }
    if (options && options->tag) {
        s->tag = vv_copy_string(a, options->tag);
        if (!s->tag)
            return vv_fail_memory(error, "a snapshot");
    }
    s->no_random = options && options->no_random;
    if (options && options->track)
        vv_tracking_begin(s);
    return snapshot_make(s, error);
}

varve_snapshot *varve_snapshot_new_with(
    varve_node *root, const varve_snapshot_options *options, varve_error *error)
{
    if (root && varve_graph_check(root->graph, error))
        return NULL;
    if (!root || vv_is_nil(root)) {
        vv_fail(error, VARVE_MISUSE, "node is NULL");
        return NULL;
    }
    if (VV_CHECK_OPTIONS(options, error))
        return NULL;
    varve_graph *graph = root->graph;
    struct varve_snapshot *s =
        vv_allocate_zeroed(&graph->context.allocator, sizeof *s);
    if (!s) {
        vv_fail_memory(error, "a snapshot");
        return NULL;
    }
    s->context = graph->context;
    s->graph = graph;
    s->root = root;
    snapshot_watch(s);
    if (snapshot_begin(s, options, error)) {
        varve_snapshot_free(s);
        return NULL;
    }
    return s;
}

varve_snapshot *varve_snapshot_new(varve_node *root, varve_error *error)
{
    return varve_snapshot_new_with(root, NULL, error);
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
        vv_buffer_clear(&s->items[i].spare);
    }
    vv_tracking_end(s);
    vv_release_string(&a, s->except);
    vv_release_string(&a, s->tag);
    vv_release(&a, s->items, s->item_capacity * sizeof *s->items);
    vv_release(&a, s->item_at, s->item_limit * sizeof *s->item_at);
    vv_release_value(&a, s->block, s->block_size);
    vv_release(&a, s, sizeof *s);
}

varve_status varve_snapshot_retake(varve_snapshot *s, varve_error *error)
{
    if (!s)
        return vv_fail_none(error, "snapshot", "a call");
    VV_TRY(vv_snapshot_check(s, error));
    return snapshot_take(s, true, error);
}

/* --- Restoring ---------------------------------------------------------- */

/* Copies strings into memory of the variable, because the memory of the
 * snapshot changes when it is retaken and is released with it. */
static void put_strings(struct vv_item *item)
{
    struct vv_variable *variable = item->node->variable;
    if (variable->extra->string_size < item->bytes.size) {
        vv_variable_keep_strings(
            item->node, item->spare.data, item->spare.capacity);
        vv_buffer_init(&item->spare, item->spare.allocator);
    }
    char *bytes = variable->extra->string_bytes;
    varve_string *strings = variable->tensor.data;
    uint64_t count = varve_tensor_count(&variable->tensor);
    if (item->bytes.size)
        memcpy(bytes, item->bytes.data, item->bytes.size);
    if (item->size)
        memcpy(strings, item->copy, item->size);
    for (uint64_t i = 0; i < count; i++) {
        strings[i].data = bytes;
        if (strings[i].size)
            bytes += strings[i].size;
    }
}

static bool snapshot_is_put(
    const struct vv_item *item, const varve_snapshot_restore_options *options)
{
    return !options || !options->keep_random || !item->is_random;
}

static varve_status snapshot_put_accessed(struct varve_snapshot *s,
    const varve_snapshot_restore_options *options, varve_error *error)
{
    enum vv_hold older = vv_graph_hold(s->graph, VV_HOLDS_ALL);
    varve_status status =
        vv_items_put(s, options && options->keep_random, error);
    vv_graph_let_go(s->graph, older);
    return status;
}

/* Records the values of fixed variables. The program may have changed a fixed
 * variable and tagged it again since the snapshot was taken. */
static void record_fixed(const struct varve_snapshot *s,
    const varve_snapshot_restore_options *options)
{
    for (size_t i = 0; i < s->count; i++) {
        varve_node *node = s->items[i].node;
        if (node->attachments && node->variable &&
            snapshot_is_put(&s->items[i], options))
            vv_fixed_value_record(node);
    }
}

varve_status varve_snapshot_restore_with(varve_snapshot *s,
    const varve_snapshot_restore_options *options, varve_error *error)
{
    if (!s)
        return vv_fail_none(error, "snapshot", "a call");
    VV_TRY(vv_snapshot_check(s, error));
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    /* First reserves all memory, then does everything else that can fail. After
     * that only a state can refuse its bytes, so states come last. */
    for (size_t i = 0; i < s->count; i++) {
        struct vv_item *item = &s->items[i];
        if (is_string(item->node) && !reserve_spare(item, item->bytes.size))
            return vv_fail_memory(error, "strings of a snapshot");
    }
    bool keeps_random = options && options->keep_random;
    VV_TRY(vv_items_check_states(s, keeps_random, error));
    vv_graph_values_change(s->graph);
    VV_TRY(snapshot_put_accessed(s, options, error));
    for (size_t i = 0; i < s->count; i++) {
        struct vv_item *item = &s->items[i];
        if (!snapshot_is_put(item, options))
            continue;
        vv_touch(item->node);
        if (is_string(item->node))
            put_strings(item);
    }
    vv_bulk_copy(&(struct vv_bulk){
        .snapshot = s, .is_restore = true, .keeps_random = keeps_random });
    record_fixed(s, options);
    return vv_items_put_states(s, keeps_random, error);
}

varve_status varve_snapshot_restore(varve_snapshot *s, varve_error *error)
{
    if (!s)
        return vv_fail_none(error, "snapshot", "a call");
    return varve_snapshot_restore_with(s, NULL, error);
}

void vv_snapshot_point(struct varve_snapshot *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct vv_item *item = &s->items[i];
        if (!is_string(item->node))
            continue;
        const char *bytes = (const char *)item->bytes.data;
        varve_string *strings = item->copy;
        uint64_t count = varve_tensor_count(&item->node->variable->tensor);
        for (uint64_t k = 0; k < count; k++) {
            strings[k].data = strings[k].size ? bytes : NULL;
            if (strings[k].size)
                bytes += strings[k].size;
        }
    }
}
