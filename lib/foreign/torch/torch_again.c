/* torch_again.c - Chooses dicts for objects with names, lists for objects with
 * positions, and Python numbers for variables with one element.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_again.h"

#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "name.h"
#include "torch_kept.h"
#include "try.h"

struct vv_torch_range {
    size_t begin, size;
};

enum {
    MOST_GAPS = 16, /* maximum number of positions of a list that are None */
    MOST_HISTORY = 1 << 16, /* maximum `history_size` of LBFGS */
};

/* --- Callbacks of the target ---------------------------------------------- */

static varve_status torch_again_give_value(
    void *user, uint32_t value, struct vv_source *source, varve_error *error)
{
    const struct vv_torch_again *a = user;
    return a->real->value(a->real->user, value, source, error);
}

static varve_status torch_again_finish(void *user, varve_error *error)
{
    const struct vv_torch_again *a = user;
    return a->real->finish ? a->real->finish(a->real->user, error) : VARVE_OK;
}

static const unsigned char *torch_again_give_kept(
    const void *user, uint32_t node, size_t *size)
{
    const struct vv_torch_again *a = user;
    *size = a->ranges[node].size;
    if (*size > 0)
        return a->bytes.data + a->ranges[node].begin;
    return a->real->kept ? a->real->kept(a->real->user, node, size) : NULL;
}

/* --- Parts ---------------------------------------------------------------- */

static bool torch_again_is_object(const struct vv_index *index, uint32_t node)
{
    varve_kind kind = vv_index_kind(index, node);
    return kind != VARVE_VARIABLE && kind != VARVE_STATE;
}

static uint32_t object_called(
    const struct vv_index *index, uint32_t node, const char *name)
{
    uint32_t child = vv_torch_child(index, node, name);
    return child != VV_NONE && torch_again_is_object(index, child) ? child
                                                                   : VV_NONE;
}

static bool torch_again_is_group(const struct vv_index *index, uint32_t node)
{
    uint32_t params = torch_again_is_object(index, node)
                          ? vv_torch_child(index, node, "params")
                          : VV_NONE;
    return params != VV_NONE && vv_index_find_value(index, params) != VV_NONE;
}

/* Formats that store only names have no empty dict. There, an optimizer without
 * slots has only its groups. */
bool vv_torch_has_parts(const struct vv_index *index, uint32_t node)
{
    uint32_t begin, end;
    if (!torch_again_is_object(index, node))
        return false;
    uint32_t groups = object_called(index, node, "param_groups");
    uint32_t state = vv_torch_child(index, node, "state");
    vv_index_slots(index, node, &begin, &end);
    if (groups == VV_NONE || (state == VV_NONE && begin < end) ||
        (state != VV_NONE && !torch_again_is_object(index, state)))
        return false;
    vv_index_edges(index, groups, &begin, &end);
    bool are_groups = begin < end;
    for (; begin < end && are_groups; begin++)
        are_groups =
            torch_again_is_group(index, vv_at32(index->edge_children, begin));
    return are_groups;
}

/* --- Containers ----------------------------------------------------------- */

static struct vv_torch_name torch_again_name_of(
    const struct vv_index *index, uint32_t edge)
{
    size_t size;
    const char *bytes =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    return (struct vv_torch_name){ bytes, (uint32_t)size };
}

/* Begins the description of a node. Returns false if it has one already. */
static bool torch_again_begin(
    struct vv_torch_again *a, uint32_t node, enum vv_torch_was was)
{
    if (a->ranges[node].size > 0)
        return false;
    a->ranges[node].begin = a->bytes.size;
    a->ranges[node].size = 1;
    vv_buffer_add8(&a->bytes, (uint8_t)was);
    return true;
}

static void torch_again_end(struct vv_torch_again *a, uint32_t node)
{
    a->ranges[node].size = a->bytes.size - a->ranges[node].begin;
}

/* vv_torch_kept_add appends to the buffer without clearing it. */
static void torch_again_add_dict(
    struct vv_torch_again *a, uint32_t node, enum vv_pickle_kind decimals)
{
    const struct vv_index *index = a->real->index;
    uint32_t at, last;
    uint64_t number;
    if (!torch_again_begin(a, node, VV_TORCH_WAS_DICT))
        return;
    vv_index_edges(index, node, &at, &last);
    for (; at < last; at++) {
        struct vv_torch_name name = torch_again_name_of(index, at);
        bool is_decimal = vv_parse_decimal(name.bytes, name.size, &number);
        vv_torch_kept_add(
            &a->bytes, is_decimal ? decimals : VV_PICKLE_TEXT, &name, false);
    }
    torch_again_end(a, node);
}

/* Settings and values that an optimizer needs to continue and that may be None
 * or empty. Formats without None and empty lists do not contain them. Each is
 * added to objects that contain `beside`. */
static const struct {
    const char *beside, *name;
    enum vv_pickle_kind kind;
} expected[] = {
    { "tolerance_change", "line_search_fn", VV_PICKLE_TEXT }, /* LBFGS */
    { "prev_flat_grad", "old_dirs", VV_PICKLE_LIST },
    { "prev_flat_grad", "old_stps", VV_PICKLE_LIST },
    { "prev_flat_grad", "ro", VV_PICKLE_LIST },
    { "ns_steps", "adjust_lr_fn", VV_PICKLE_TEXT }, /* Muon */
    { "param_groups", "state", VV_PICKLE_DICT },    /* SGD without momentum */
};

static void add_expected(struct vv_torch_again *a, uint32_t node)
{
    const struct vv_index *index = a->real->index;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct vv_torch_name name = { expected[i].name,
            (uint32_t)strlen(expected[i].name) };
        if (vv_torch_child(index, node, expected[i].beside) != VV_NONE &&
            vv_torch_child(index, node, expected[i].name) == VV_NONE)
            vv_torch_kept_add(&a->bytes, expected[i].kind, &name, true);
    }
    torch_again_end(a, node);
}

/* Returns the length of the list that an object was, or 0 if it was not a list.
 */
static uint64_t list_size(const struct vv_index *index, uint32_t node)
{
    uint32_t at, last;
    uint64_t number, size = 0;
    vv_index_edges(index, node, &at, &last);
    uint64_t most = (uint64_t)(last - at) + MOST_GAPS;
    for (; at < last; at++) {
        struct vv_torch_name name = torch_again_name_of(index, at);
        if (!vv_parse_decimal(name.bytes, name.size, &number) || number >= most)
            return 0;
        size = number >= size ? number + 1 : size;
    }
    return size;
}

/* Describes a node as a list. A position without an edge was None. */
static void torch_again_add_list(struct vv_torch_again *a, uint32_t node,
    uint64_t size, enum vv_torch_was was)
{
    const struct vv_index *index = a->real->index;
    if (!torch_again_begin(a, node, was))
        return;
    for (uint64_t i = 0; i < size; i++) {
        char digits[24];
        struct vv_torch_name name = { digits, 0 };
        name.size = (uint32_t)vv_decimal(i, digits);
        vv_torch_kept_add(&a->bytes, VV_PICKLE_NONE, &name,
            vv_torch_child(index, node, digits) == VV_NONE);
    }
    torch_again_end(a, node);
}

/* Describes a variable as Python numbers if it can be; other tensors stay
 * tensors. */
static void torch_again_add_number(
    struct vv_torch_again *a, uint32_t node, enum vv_torch_was was)
{
    const struct vv_index *index = a->real->index;
    uint32_t value = vv_index_find_value(index, node);
    if (value == VV_NONE || vv_index_kind(index, node) != VARVE_VARIABLE)
        return;
    varve_tensor type = vv_index_tensor(index, a->real->table, value);
    bool is_python = type.dtype == VARVE_INT64 || type.dtype == VARVE_FLOAT64 ||
                     type.dtype == VARVE_BOOL;
    bool is_scalar = type.rank == 0;
    if (!is_python || type.rank > 1 || (!is_scalar && !was))
        return;
    if (torch_again_begin(a, node, is_scalar ? VV_TORCH_WAS_NUMBER : was))
        torch_again_end(a, node);
}

static bool torch_again_is_named(
    const struct vv_torch_name *name, const char *text)
{
    return name->size == strlen(text) &&
           memcmp(name->bytes, text, name->size) == 0;
}

/* Returns the minimum length of a list in the state. LBFGS has one with as many
 * positions as its history; the last positions may be None. */
static uint64_t least_size(
    const struct vv_torch_name *name, uint64_t history, bool *is_list)
{
    bool is_history = torch_again_is_named(name, "al");
    *is_list = is_history || torch_again_is_named(name, "old_dirs") ||
               torch_again_is_named(name, "old_stps") ||
               torch_again_is_named(name, "ro");
    return is_history ? history : 0;
}

/* Describes the members of a container. Members that are objects are lists or
 * dicts. */
static void torch_again_add_members(struct vv_torch_again *a, uint32_t node,
    enum vv_torch_was vector, uint64_t history)
{
    const struct vv_index *index = a->real->index;
    uint32_t at, last;
    vv_index_edges(index, node, &at, &last);
    for (; at < last; at++) {
        uint32_t child = vv_at32(index->edge_children, at), first, end_of;
        struct vv_torch_name name = torch_again_name_of(index, at);
        bool is_list = name.size >= 5 && memcmp(name.bytes, "param", 5) == 0;
        enum vv_torch_was was = is_list ? VV_TORCH_WAS_LIST : vector;
        if (!torch_again_is_object(index, child)) {
            torch_again_add_number(a, child, was);
            continue;
        }
        uint64_t size = list_size(index, child);
        uint64_t least = least_size(&name, history, &is_list);
        size = size < least ? least : size;
        if (size == 0 && !is_list)
            torch_again_add_dict(a, child, VV_PICKLE_INTEGER);
        else
            torch_again_add_list(a, child, size, was ? was : VV_TORCH_WAS_LIST);
        vv_index_edges(index, child, &first, &end_of);
        for (; first < end_of; first++)
            torch_again_add_number(
                a, vv_at32(index->edge_children, first), vector);
    }
}

/* Sets *history to the `history_size` of a group, or to 0 if there is none. */
static varve_status read_history(const struct vv_torch_again *a, uint32_t group,
    uint64_t *history, varve_error *error)
{
    const struct vv_target *t = a->real;
    uint32_t node = vv_torch_child(t->index, group, "history_size");
    uint32_t value =
        node == VV_NONE ? VV_NONE : vv_index_find_value(t->index, node);
    struct vv_source source;
    const unsigned char *bytes;
    *history = 0;
    if (value == VV_NONE || !vv_index_is_saved(t->index, value))
        return VARVE_OK;
    varve_tensor type = vv_index_tensor(t->index, t->table, value);
    if (type.dtype != VARVE_INT64 || type.rank != 0)
        return VARVE_OK;
    VV_TRY(t->value(t->user, value, &source, error));
    VV_TRY(vv_source_piece(&source, 0, 8, &bytes, error));
    uint64_t number = vv_load64(bytes);
    *history = number <= MOST_HISTORY ? number : 0;
    return VARVE_OK;
}

static varve_status torch_again_add_optimizer(
    struct vv_torch_again *a, uint32_t node, varve_error *error)
{
    uint64_t history = 0;
    const struct vv_index *index = a->real->index;
    uint32_t state = object_called(index, node, "state");
    uint32_t groups = object_called(index, node, "param_groups"), at, last;
    torch_again_add_dict(a, node, VV_PICKLE_INTEGER);
    add_expected(a, node);
    vv_index_edges(index, groups, &at, &last);
    if (at < last)
        VV_TRY(read_history(
            a, vv_at32(index->edge_children, at), &history, error));
    at = last = 0;
    if (state != VV_NONE) {
        torch_again_add_dict(a, state, VV_PICKLE_INTEGER);
        vv_index_edges(index, state, &at, &last);
    }
    for (; at < last; at++) {
        uint32_t entry = vv_at32(index->edge_children, at);
        if (!torch_again_is_object(index, entry))
            continue;
        torch_again_add_dict(a, entry, VV_PICKLE_INTEGER);
        add_expected(a, entry);
        torch_again_add_members(a, entry, VV_TORCH_WAS_NOTHING, history);
    }
    torch_again_add_list(
        a, groups, list_size(index, groups), VV_TORCH_WAS_LIST);
    vv_index_edges(index, groups, &at, &last);
    for (; at < last; at++) {
        uint32_t group = vv_at32(index->edge_children, at);
        torch_again_add_dict(a, group, VV_PICKLE_INTEGER);
        add_expected(a, group);
        torch_again_add_members(a, group, VV_TORCH_WAS_TUPLE, 0);
    }
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

static bool torch_again_is_kept(const struct vv_target *target, uint32_t node)
{
    size_t size = 0;
    return target->kept && target->kept(target->user, node, &size) && size > 0;
}

/* Returns true if an object has the tag of dicts with integer keys. */
static bool has_integers(const struct vv_index *index, uint32_t node)
{
    uint32_t at, last;
    if (!torch_again_is_object(index, node))
        return false;
    vv_index_tags(index, node, &at, &last);
    for (; at < last; at++) {
        size_t size;
        const char *tag =
            vv_index_name(index, vv_at32(index->tag_names, at), &size);
        if (size == sizeof VV_TORCH_INTEGERS - 1 &&
            memcmp(tag, VV_TORCH_INTEGERS, size) == 0)
            return true;
    }
    return false;
}

varve_status vv_torch_again_init(struct vv_torch_again *a,
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *allocator = &target->context->allocator;
    size_t count = target->index->node_count;
    *a = (struct vv_torch_again){ .target = *target, .real = target };
    a->target.user = a;
    a->target.value = torch_again_give_value;
    a->target.finish = torch_again_finish;
    a->target.kept = torch_again_give_kept;
    vv_buffer_init(&a->bytes, allocator);
    a->ranges = vv_allocate_zeroed(allocator, count * sizeof *a->ranges);
    if (!a->ranges)
        return vv_fail_memory(error, "optimizer state");
    for (uint32_t i = 0; i < count; i++) {
        if (vv_torch_has_parts(target->index, i) &&
            !torch_again_is_kept(target, i) &&
            list_size(target->index,
                object_called(target->index, i, "param_groups")) > 0)
            VV_TRY(torch_again_add_optimizer(a, i, error));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!torch_again_is_kept(target, i) && has_integers(target->index, i))
            torch_again_add_dict(a, i, VV_PICKLE_INTEGER);
    }
    return a->bytes.failed ? vv_fail_memory(error, "optimizer state")
                           : VARVE_OK;
}

void vv_torch_again_clear(struct vv_torch_again *a)
{
    vv_release(&a->real->context->allocator, a->ranges,
        a->real->index->node_count * sizeof *a->ranges);
    vv_buffer_clear(&a->bytes);
}
