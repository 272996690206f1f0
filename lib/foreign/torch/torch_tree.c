/* torch_tree.c - a walk along edges; nothing recurses.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_tree.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "failure.h"
#include "name.h"
#include "torch_order.h"
#include "torch_value_out.h"
#include "try.h"

/* A node whose edges are being followed. */
struct frame {
    uint32_t node;
    uint32_t next, count; /* of its edges */
    enum vv_torch_form_of form;
    uint32_t dict;  /* the state dict that it is in */
    size_t prefix;  /* bytes of the name that stand before it there */
    uint32_t group; /* of one: how many there are, */
    uint32_t of;    /* and the optimizer */
};

static struct frame *top_of(struct vv_torch_tree *t)
{
    return (struct frame *)(void *)(t->frames.data + t->frames.size) - 1;
}

static varve_status fail_memory(varve_error *error)
{
    return vv_fail_memory(error, "a pickle");
}

/* --- Values --------------------------------------------------------------- */

static uint32_t key_of(struct vv_torch_tree *t, uint32_t value)
{
    if (!t->keys[value]) {
        vv_buffer_add(&t->storages, &value, sizeof value);
        t->keys[value] = (uint32_t)(t->storages.size / sizeof value);
    }
    return t->keys[value] - 1;
}

/* Whether a value of a group is a list of numbers. */
static bool is_list_of_numbers(
    const struct vv_torch_tree *t, const struct frame *f, uint32_t value)
{
    const struct vv_index *index = t->target->index;
    varve_dtype dtype = (varve_dtype)index->value_dtypes[value];
    return f->form == VV_TORCH_GROUP && index->value_ranks[value] == 1 &&
           (dtype == VARVE_INT64 || dtype == VARVE_FLOAT64);
}

static varve_status put_value(struct vv_torch_tree *t, const struct frame *f,
    uint32_t value, varve_error *error)
{
    const struct vv_target *target = t->target;
    switch (vv_torch_sort_of(target, value)) {
    case VV_TORCH_WORD:
    case VV_TORCH_WORDS:
        return vv_torch_put_texts(&t->pickle, target, value, error);
    case VV_TORCH_NUMBER:
        return vv_torch_put_numbers(&t->pickle, target, value, error);
    default:
        if (is_list_of_numbers(t, f, value))
            return vv_torch_put_numbers(&t->pickle, target, value, error);
    }
    varve_tensor type = vv_index_tensor(target->index, target->table, value);
    vv_torch_put_tensor(&t->pickle, &type, key_of(t, value));
    return VARVE_OK;
}

/* --- Keys ----------------------------------------------------------------- */

/* What a state dict has: it is ordered at its end. */
struct item {
    const char *name;
    size_t size;
    uint32_t dict;
    uint32_t position;
    uint32_t number; /* in the order in which they were found */
    uint32_t value;
};

static bool is_same(const void *item, const void *key)
{
    const struct item *a = item, *b = key;
    return a->dict == b->dict && a->size == b->size &&
           memcmp(a->name, b->name, a->size) == 0;
}

/* In a state dict two paths may spell the same name. */
static varve_status add_item(struct vv_torch_tree *t, uint32_t dict,
    uint32_t node, uint32_t value, varve_error *error)
{
    struct item key = { (const char *)t->name.data, t->name.size, dict,
        t->positions[node] - 1, (uint32_t)t->taken.count, value };
    uint64_t hash = vv_map_mix(vv_hash_of(key.name, key.size) + dict);
    if (t->name.failed)
        return fail_memory(error);
    if (vv_map_find(&t->taken, hash, is_same, &key))
        return vv_fail(error, VARVE_DUPLICATE,
            "%s: expected values of different names, found two \"%.*s\"",
            t->target->path, (int)(key.size < 255 ? key.size : 255), key.name);
    struct item *item = vv_arena_take(&t->arena, sizeof *item);
    key.name = vv_arena_text(&t->arena, key.name, key.size);
    if (!item || !key.name)
        return fail_memory(error);
    *item = key;
    vv_buffer_add(&t->items, &item, sizeof item);
    return vv_map_add(&t->taken, hash, item) && !t->items.failed
               ? VARVE_OK
               : fail_memory(error);
}

/* An object that is elsewhere too may have texts. */
static varve_status add_tensor(struct vv_torch_tree *t, uint32_t dict,
    uint32_t node, uint32_t value, varve_error *error)
{
    if (t->target->index->value_dtypes[value] != VARVE_STRING)
        return add_item(t, dict, node, value, error);
    vv_target_lose(t->target, node, "a path to a text through tensors");
    return VARVE_OK;
}

/* What no optimizer knows stands behind the others. */
static int compare(const void *left, const void *right)
{
    const struct item *a = *(const struct item *const *)left;
    const struct item *b = *(const struct item *const *)right;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void put_items(struct vv_torch_tree *t)
{
    const struct item **items = (const struct item **)(void *)t->items.data;
    size_t count = t->items.size / sizeof *items;
    const struct vv_target *target = t->target;
    if (count > 0)
        qsort(items, count, sizeof *items, compare);
    for (size_t i = 0; i < count; i++) {
        varve_tensor type =
            vv_index_tensor(target->index, target->table, items[i]->value);
        vv_pickle_put_text(&t->pickle, items[i]->name, items[i]->size);
        vv_torch_put_tensor(&t->pickle, &type, key_of(t, items[i]->value));
    }
    t->items.size = 0;
}

static bool is_joined(const struct frame *f)
{
    return f->form == VV_TORCH_STATE_DICT || f->form == VV_TORCH_JOINED;
}

static bool has_keys(const struct frame *f)
{
    return f->form != VV_TORCH_LIST && f->form != VV_TORCH_GROUPS;
}

/* Behind the names of the frame's own path. */
static void set_name(struct vv_torch_tree *t, const struct frame *f,
    const char *name, size_t size)
{
    t->name.size = f->prefix;
    vv_buffer_add(&t->name, name, size);
}

static varve_status put_key(
    struct vv_torch_tree *t, const struct frame *f, varve_error *error)
{
    const char *name = (const char *)t->name.data;
    size_t size = t->name.size;
    uint64_t position;
    if (!has_keys(f))
        return VARVE_OK;
    if (t->name.failed)
        return fail_memory(error);
    if (f->form == VV_TORCH_ENTRIES && vv_parse_decimal(name, size, &position))
        vv_pickle_put_unsigned(&t->pickle, position);
    else
        vv_pickle_put_text(&t->pickle, name, size);
    return VARVE_OK;
}

/* --- Frames --------------------------------------------------------------- */

static varve_status push(
    struct vv_torch_tree *t, struct frame frame, varve_error *error)
{
    uint32_t begin, end;
    vv_index_edges(t->target->index, frame.node, &begin, &end);
    frame.count = end - begin;
    vv_buffer_add(&t->frames, &frame, sizeof frame);
    if (frame.form != VV_TORCH_JOINED) {
        vv_pickle_put(
            &t->pickle, has_keys(&frame) ? VV_OP_EMPTY_DICT : VV_OP_EMPTY_LIST);
        t->made[frame.node] = vv_pickle_remember(&t->pickle) + 1;
        vv_pickle_put(&t->pickle, VV_OP_MARK);
    }
    return t->frames.failed ? fail_memory(error) : VARVE_OK;
}

static enum vv_torch_form_of form_in(
    const struct vv_torch_tree *t, const struct frame *f, uint32_t child)
{
    switch (f->form) {
    case VV_TORCH_STATE_DICT:
    case VV_TORCH_JOINED: return VV_TORCH_JOINED;
    case VV_TORCH_OPTIMIZER:
        if (child == vv_torch_child(&t->forms, f->node, "state"))
            return VV_TORCH_ENTRIES;
        if (child == vv_torch_child(&t->forms, f->node, "param_groups") &&
            vv_torch_is_list(&t->forms, child))
            return VV_TORCH_GROUPS;
        break;
    case VV_TORCH_GROUPS: return VV_TORCH_GROUP;
    case VV_TORCH_ENTRIES:
    case VV_TORCH_GROUP:
        return vv_torch_is_list(&t->forms, child) ? VV_TORCH_LIST
                                                  : VV_TORCH_DICT;
    default: break;
    }
    return vv_torch_form_of(&t->forms, child);
}

/* A state may have children too. */
static bool is_container(const struct vv_index *index, uint32_t node)
{
    varve_kind kind = vv_index_kind(index, node);
    uint32_t begin, end;
    vv_index_edges(index, node, &begin, &end);
    return kind != VARVE_VARIABLE && (kind != VARVE_STATE || begin < end);
}

/* Whether all that an object has are values. */
static bool has_values_only(const struct vv_index *index, uint32_t node)
{
    uint32_t begin, end;
    vv_index_edges(index, node, &begin, &end);
    for (; begin < end; begin++)
        if (is_container(index, vv_at32(index->edge_children, begin)))
            return false;
    return true;
}

/* An object in a state dict is spelled where its shortest path leads; one of
 * values alone by every path, as torch spells a module that several share. */
static bool is_spelled(const struct vv_torch_tree *t, const struct frame *f,
    uint32_t edge, uint32_t child)
{
    const struct vv_saved_paths *paths = t->target->paths;
    return (child != paths->root && paths->parents[child] == f->node &&
               paths->ways[child] == edge) ||
           has_values_only(t->target->index, child);
}

static varve_status enter(struct vv_torch_tree *t, const struct frame *f,
    uint32_t edge, uint32_t child, varve_error *error)
{
    struct frame next = { .node = child,
        .form = form_in(t, f, child),
        .dict = f->dict,
        .group = f->count,
        .of = f->form == VV_TORCH_GROUPS ? f->of : f->node };
    if (next.form == VV_TORCH_JOINED) {
        if (!is_spelled(t, f, edge, child)) {
            vv_target_lose(t->target, child, "another path to it");
            return VARVE_OK;
        }
        vv_buffer_add8(&t->name, '.');
        next.prefix = t->name.size;
        return push(t, next, error);
    }
    VV_TRY(put_key(t, f, error));
    if (t->made[child]) {
        vv_pickle_put_again(&t->pickle, t->made[child] - 1);
        return VARVE_OK;
    }
    next.dict = ++t->dicts;
    return push(t, next, error);
}

/* --- Optimizers ----------------------------------------------------------- */

/* How many variables an optimizer trains. */
static uint32_t trained_by(const struct vv_torch_tree *t, uint32_t node)
{
    const struct vv_index *index = t->target->index;
    uint32_t state = vv_torch_child(&t->forms, node, "state");
    uint32_t begin, end, count = 0, last = VV_NONE;
    if (state != VV_NONE) {
        vv_index_edges(index, state, &begin, &end);
        return end - begin;
    }
    vv_index_slots(index, node, &begin, &end);
    for (; begin < end; begin++) {
        uint32_t variable = vv_at32(index->slot_variables, begin);
        count += variable != last;
        last = variable;
    }
    return count;
}

static void put_params(struct vv_torch_tree *t, uint32_t optimizer)
{
    uint32_t count = trained_by(t, optimizer);
    vv_pickle_put_text(&t->pickle, "params", strlen("params"));
    vv_pickle_put(&t->pickle, VV_OP_EMPTY_LIST);
    vv_pickle_put(&t->pickle, VV_OP_MARK);
    for (uint32_t i = 0; i < count; i++)
        vv_pickle_put_integer(&t->pickle, i);
    vv_pickle_put(&t->pickle, VV_OP_APPENDS);
}

static varve_status put_slot(
    struct vv_torch_tree *t, uint32_t slot, varve_error *error)
{
    const struct vv_index *index = t->target->index;
    const struct frame entry = { .form = VV_TORCH_DICT };
    uint32_t value =
        vv_index_find_value(index, vv_at32(index->slot_nodes, slot));
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->slot_names, slot), &size);
    if (vv_torch_sort_of(t->target, value) == VV_TORCH_NOTHING)
        return VARVE_OK; /* which was told */
    vv_pickle_put_text(&t->pickle, name, size);
    return put_value(t, &entry, value, error);
}

/* The slots as a state: {0: {"exp_avg": ...}, ...}. */
static varve_status put_state(
    struct vv_torch_tree *t, uint32_t node, varve_error *error)
{
    const struct vv_index *index = t->target->index;
    uint32_t begin, end, count = 0, last = VV_NONE;
    vv_index_slots(index, node, &begin, &end);
    if (begin < end)
        vv_target_lose(t->target, node,
            "the order of its variables, by which torch knows them: its state "
            "has them in that of their paths");
    vv_pickle_put_text(&t->pickle, "state", strlen("state"));
    vv_pickle_put(&t->pickle, VV_OP_EMPTY_DICT);
    vv_pickle_put(&t->pickle, VV_OP_MARK);
    for (; begin < end; begin++) {
        uint32_t variable = vv_at32(index->slot_variables, begin);
        if (variable != last) {
            if (count > 0)
                vv_pickle_put(&t->pickle, VV_OP_SETITEMS);
            vv_pickle_put_integer(&t->pickle, count++);
            vv_pickle_put(&t->pickle, VV_OP_EMPTY_DICT);
            vv_pickle_put(&t->pickle, VV_OP_MARK);
        }
        last = variable;
        VV_TRY(put_slot(t, begin, error));
    }
    if (count > 0)
        vv_pickle_put(&t->pickle, VV_OP_SETITEMS);
    vv_pickle_put(&t->pickle, VV_OP_SETITEMS);
    return VARVE_OK;
}

static void put_group(struct vv_torch_tree *t, uint32_t node)
{
    vv_pickle_put_text(&t->pickle, "param_groups", strlen("param_groups"));
    vv_pickle_put(&t->pickle, VV_OP_EMPTY_LIST);
    vv_pickle_put(&t->pickle, VV_OP_MARK);
    vv_pickle_put(&t->pickle, VV_OP_EMPTY_DICT);
    vv_pickle_put(&t->pickle, VV_OP_MARK);
    put_params(t, node);
    vv_pickle_put(&t->pickle, VV_OP_SETITEMS);
    vv_pickle_put(&t->pickle, VV_OP_APPENDS);
}

/* Slots that the state of an optimizer does not have. */
static void lose_slots(struct vv_torch_tree *t, uint32_t node)
{
    const struct vv_index *index = t->target->index;
    const struct vv_saved_paths *paths = t->target->paths;
    uint32_t begin, end;
    vv_index_slots(index, node, &begin, &end);
    for (; begin < end; begin++) {
        uint32_t slot = vv_at32(index->slot_nodes, begin);
        if (slot != paths->root && paths->ways[slot] & VV_WAY_IS_SLOT)
            vv_target_lose(t->target, slot, "a slot beside `state`");
    }
}

/* What torch wants beside what there is. */
static varve_status complete(
    struct vv_torch_tree *t, const struct frame *f, varve_error *error)
{
    if (f->form == VV_TORCH_GROUP &&
        vv_torch_child(&t->forms, f->node, "params") == VV_NONE) {
        if (f->group == 1)
            put_params(t, f->of);
        else
            vv_target_lose(t->target, f->node,
                "which variables are in it: it is one of several groups");
    }
    if (f->form != VV_TORCH_OPTIMIZER)
        return VARVE_OK;
    if (vv_torch_child(&t->forms, f->node, "state") == VV_NONE)
        VV_TRY(put_state(t, f->node, error));
    else
        lose_slots(t, f->node);
    if (vv_torch_child(&t->forms, f->node, "param_groups") == VV_NONE)
        put_group(t, f->node);
    return VARVE_OK;
}

/* --- The walk ------------------------------------------------------------- */

static varve_status leave(struct vv_torch_tree *t, varve_error *error)
{
    const struct frame f = *top_of(t);
    VV_TRY(complete(t, &f, error));
    if (f.form == VV_TORCH_STATE_DICT)
        put_items(t);
    t->frames.size -= sizeof f;
    t->name.size = 0;
    if (f.form != VV_TORCH_JOINED)
        vv_pickle_put(
            &t->pickle, has_keys(&f) ? VV_OP_SETITEMS : VV_OP_APPENDS);
    return VARVE_OK;
}

/* The i-th edge: of what is a list the one with that position. */
static uint32_t edge_at(
    const struct vv_torch_tree *t, const struct frame *f, uint32_t i)
{
    const struct vv_index *index = t->target->index;
    uint32_t begin, end;
    char position[24];
    vv_index_edges(index, f->node, &begin, &end);
    if (has_keys(f) || vv_index_kind(index, f->node) == VARVE_LIST)
        return begin + i;
    return vv_index_find_edge(index, f->node,
        vv_index_find_name(index, position, vv_decimal(i, position)));
}

static varve_status visit(
    struct vv_torch_tree *t, uint32_t i, varve_error *error)
{
    const struct vv_index *index = t->target->index;
    const struct frame f = *top_of(t);
    uint32_t edge = edge_at(t, &f, i);
    uint32_t child = vv_at32(index->edge_children, edge), value;
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    /* (What stands before it is still there, or this is the first.) */
    set_name(t, &f, name, size);
    if (is_container(index, child))
        return enter(t, &f, edge, child, error);
    value = vv_index_find_value(index, child);
    if (vv_index_kind(index, child) == VARVE_VARIABLE &&
        vv_torch_sort_of(t->target, value) != VV_TORCH_NOTHING) {
        if (is_joined(&f))
            return add_tensor(t, f.dict, child, value, error);
        VV_TRY(put_key(t, &f, error));
        return put_value(t, &f, value, error);
    }
    if (!has_keys(&f))
        vv_pickle_put(&t->pickle, VV_OP_NONE); /* which was told */
    return VARVE_OK;
}

static varve_status walk(struct vv_torch_tree *t, varve_error *error)
{
    while (t->frames.size > 0) {
        struct frame *f = top_of(t);
        if (f->next < f->count)
            VV_TRY(visit(t, f->next++, error));
        else
            VV_TRY(leave(t, error));
        if (t->pickle.bytes.failed || t->storages.failed)
            return fail_memory(error);
    }
    return VARVE_OK;
}

static varve_status begin(struct vv_torch_tree *t, varve_error *error)
{
    uint32_t root = t->target->paths->root;
    const struct frame none = { .form = VV_TORCH_DICT };
    uint32_t value = vv_index_find_value(t->target->index, root);
    if (vv_index_kind(t->target->index, root) == VARVE_VARIABLE) {
        if (vv_torch_sort_of(t->target, value) != VV_TORCH_NOTHING)
            return put_value(t, &none, value, error);
        vv_pickle_put(&t->pickle, VV_OP_NONE);
        return VARVE_OK;
    }
    return push(t,
        (struct frame){ .node = root,
            .form = vv_torch_form_of(&t->forms, root),
            .of = root },
        error);
}

varve_status vv_torch_tree_make(
    struct vv_torch_tree *t, const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    const struct vv_index *index = target->index;
    *t = (struct vv_torch_tree){ .target = target };
    vv_pickle_out_begin(&t->pickle, a);
    vv_buffer_init(&t->storages, a);
    vv_buffer_init(&t->frames, a);
    vv_buffer_init(&t->name, a);
    vv_buffer_init(&t->items, a);
    vv_arena_init(&t->arena, a);
    vv_map_init(&t->taken, a);
    t->keys = vv_allocate_zeroed(a, (index->value_count + 1) * sizeof *t->keys);
    t->made = vv_allocate_zeroed(a, (index->node_count + 1) * sizeof *t->made);
    t->positions =
        vv_allocate_zeroed(a, (index->node_count + 1) * sizeof *t->positions);
    if (!t->keys || !t->made || !t->positions)
        return fail_memory(error);
    VV_TRY(vv_torch_forms_begin(&t->forms, target, error));
    vv_torch_order(&t->forms, t->positions, t->made);
    memset(t->made, 0, index->node_count * sizeof *t->made);
    VV_TRY(begin(t, error));
    VV_TRY(walk(t, error));
    vv_pickle_out_end(&t->pickle);
    return t->pickle.bytes.failed ? fail_memory(error) : VARVE_OK;
}

void vv_torch_tree_clear(struct vv_torch_tree *t)
{
    const varve_allocator *a = &t->target->context->allocator;
    const struct vv_index *index = t->target->index;
    vv_pickle_out_clear(&t->pickle);
    vv_buffer_clear(&t->storages);
    vv_buffer_clear(&t->frames);
    vv_buffer_clear(&t->name);
    vv_buffer_clear(&t->items);
    vv_arena_clear(&t->arena);
    vv_map_clear(&t->taken);
    vv_torch_forms_end(&t->forms);
    vv_release(a, t->keys, (index->value_count + 1) * sizeof *t->keys);
    vv_release(a, t->made, (index->node_count + 1) * sizeof *t->made);
    vv_release(a, t->positions, (index->node_count + 1) * sizeof *t->positions);
}
