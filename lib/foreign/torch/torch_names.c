/* torch_names.c - Traverses the dicts that will be written, then compares each
 * parameter group with them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_names.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "checksum.h"
#include "failure.h"
#include "name.h"
#include "torch_again.h"
#include "torch_kept.h"
#include "try.h"

/* A position in an optimizer's state, and the variable that its slots belong
 * to. */
struct entry {
    uint64_t position;
    uint32_t variable;
};

/* A group that is being compared. */
struct group {
    uint32_t names, params;
    size_t count;
    bool is_true;   /* all names so far are correct */
    bool has_slots; /* all parameters so far have slots */
};

static varve_status torch_names_fail_memory(varve_error *error)
{
    return vv_fail_memory(error, "parameter names");
}

static const struct vv_index *torch_names_index_of(
    const struct vv_torch_names *n)
{
    return n->tree->target->index;
}

static bool torch_names_is_object(const struct vv_torch_names *n, uint32_t node)
{
    varve_kind kind = vv_index_kind(torch_names_index_of(n), node);
    return kind != VARVE_VARIABLE && kind != VARVE_STATE;
}

/* --- Names that are written ----------------------------------------------- */

static void take_member(
    struct vv_torch_names *n, const struct vv_torch_member *m)
{
    if (m->node == VV_NONE)
        return;
    if (torch_names_is_object(n, m->node)) {
        if (!n->numbered[m->node] && !vv_torch_is_optimizer(n->tree, m->node))
            vv_buffer_add(&n->nodes, &m->node, sizeof m->node);
        return;
    }
    struct vv_torch_written_slot w = {
        .node = m->node, .size = (uint32_t)m->size, .name = n->bytes.size
    };
    const unsigned char *name = n->tree->names.data + m->name;
    uint64_t hash = vv_hash_of(name, m->size);
    vv_buffer_add(&n->bytes, name, m->size);
    vv_buffer_add(&n->written, &w, sizeof w);
    vv_buffer_add(&n->hashes, &hash, sizeof hash);
}

/* Lists the members of a dict. Values in the state dict of an optimizer are not
 * parameters and are skipped. */
static varve_status torch_names_visit(
    struct vv_torch_names *n, uint32_t node, varve_error *error)
{
    struct vv_torch_tree *t = n->tree;
    size_t names = t->names.size, members = t->members.size;
    if (n->numbered[node] || vv_torch_has_parts(torch_names_index_of(n), node))
        return VARVE_OK;
    n->numbered[node] = 1;
    VV_TRY(vv_torch_add_members(t, node, error));
    for (size_t at = members; at < t->members.size;
         at += sizeof(struct vv_torch_member))
        take_member(
            n, (const struct vv_torch_member *)(void *)(t->members.data + at));
    t->names.size = names;
    t->members.size = members;
    return VARVE_OK;
}

static int compare_nodes(const void *left, const void *right)
{
    const struct vv_torch_written_slot *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static int torch_names_compare_hashes(const void *left, const void *right)
{
    uint64_t a = vv_load64(left), b = vv_load64(right);
    return (a > b) - (a < b);
}

static varve_status list_written(struct vv_torch_names *n, varve_error *error)
{
    uint32_t node = n->tree->target->paths->root;
    vv_buffer_add(&n->nodes, &node, sizeof node);
    while (n->nodes.size > 0 && !n->nodes.failed) {
        n->nodes.size -= sizeof node;
        memcpy(&node, n->nodes.data + n->nodes.size, sizeof node);
        VV_TRY(torch_names_visit(n, node, error));
    }
    if (n->nodes.failed || n->written.failed || n->bytes.failed ||
        n->hashes.failed)
        return torch_names_fail_memory(error);
    size_t count = n->written.size / sizeof(struct vv_torch_written_slot);
    if (count > 0) {
        qsort(n->written.data, count, sizeof(struct vv_torch_written_slot),
            compare_nodes);
        qsort(n->hashes.data, count, sizeof(uint64_t),
            torch_names_compare_hashes);
    }
    return VARVE_OK;
}

/* --- An optimizer --------------------------------------------------------- */

static int compare_positions(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

static void torch_names_add_entry(
    struct vv_torch_names *n, uint64_t position, uint32_t node)
{
    uint32_t at, last;
    vv_index_edges(torch_names_index_of(n), node, &at, &last);
    for (; at < last; at++) {
        uint32_t slot = vv_at32(torch_names_index_of(n)->edge_children, at);
        struct entry e = { position, n->variables[slot] - 1 };
        if (!n->variables[slot])
            continue;
        vv_buffer_add(&n->entries, &e, sizeof e);
        return;
    }
}

static varve_status list_entries(
    struct vv_torch_names *n, uint32_t optimizer, varve_error *error)
{
    const struct vv_index *index = torch_names_index_of(n);
    uint32_t state = vv_torch_child(index, optimizer, "state"), at, last;
    n->entries.size = 0;
    if (state == VV_NONE)
        return VARVE_OK;
    vv_index_edges(index, state, &at, &last);
    for (; at < last; at++) {
        uint64_t position;
        size_t size;
        const char *name =
            vv_index_name(index, vv_at32(index->edge_names, at), &size);
        if (vv_parse_decimal(name, size, &position))
            torch_names_add_entry(
                n, position, vv_at32(index->edge_children, at));
    }
    if (n->entries.failed)
        return torch_names_fail_memory(error);
    if (n->entries.size > 0)
        qsort(n->entries.data, n->entries.size / sizeof(struct entry),
            sizeof(struct entry), compare_positions);
    return VARVE_OK;
}

static uint32_t variable_at(const struct vv_torch_names *n, uint64_t position)
{
    struct entry key = { .position = position };
    size_t count = n->entries.size / sizeof key;
    const struct entry *found = count ? bsearch(&key, n->entries.data, count,
                                            sizeof key, compare_positions)
                                      : NULL;
    return found ? found->variable : VV_NONE;
}

/* --- A group -------------------------------------------------------------- */

/* Reads `params`. Leaves `numbers` empty if it is not a vector of integers. */
static varve_status read_params(
    struct vv_torch_names *n, uint32_t node, varve_error *error)
{
    const struct vv_target *t = n->tree->target;
    uint32_t value = vv_index_find_value(t->index, node);
    struct vv_source source;
    size_t part;
    n->numbers.size = 0;
    if (value == VV_NONE || !vv_index_is_saved(t->index, value))
        return VARVE_OK;
    varve_tensor type = vv_index_tensor(t->index, t->table, value);
    if (type.dtype != VARVE_INT64 || type.rank != 1)
        return VARVE_OK;
    VV_TRY(t->value(t->user, value, &source, error));
    uint64_t size = vv_at64(t->index->value_sizes, value);
    for (uint64_t at = 0; at < size; at += part) {
        const unsigned char *bytes;
        part = vv_source_part(&source, size - at);
        VV_TRY(vv_source_piece(&source, at, part, &bytes, error));
        for (size_t i = 0; i + 8 <= part; i += 8) {
            uint64_t number = vv_load64(bytes + i);
            vv_buffer_add(&n->numbers, &number, sizeof number);
        }
    }
    return n->numbers.failed ? torch_names_fail_memory(error) : VARVE_OK;
}

/* Sets `text` to name `i` of a list, or to nothing if there is none. */
static varve_status read_name(
    struct vv_torch_names *n, uint32_t list, uint64_t i, varve_error *error)
{
    const struct vv_target *t = n->tree->target;
    char digits[24];
    struct vv_source source;
    vv_decimal(i, digits);
    n->text.size = 0;
    uint32_t node = vv_torch_child(t->index, list, digits);
    uint32_t value =
        node == VV_NONE ? VV_NONE : vv_index_find_value(t->index, node);
    if (value == VV_NONE || !vv_index_is_saved(t->index, value))
        return VARVE_OK;
    varve_tensor type = vv_index_tensor(t->index, t->table, value);
    uint64_t size = vv_at64(t->index->value_sizes, value);
    if (type.dtype != VARVE_STRING || type.rank != 0 || size < 8)
        return VARVE_OK;
    VV_TRY(t->value(t->user, value, &source, error));
    vv_buffer_add(&n->text, source.bytes + 8, (size_t)size - 8);
    return n->text.failed ? torch_names_fail_memory(error) : VARVE_OK;
}

static bool torch_names_is_text(
    const struct vv_torch_names *n, const struct vv_torch_written_slot *w)
{
    return w->size == n->text.size &&
           memcmp(n->bytes.data + w->name, n->text.data, w->size) == 0;
}

static const struct vv_torch_written_slot *written_at(
    const struct vv_torch_names *n, size_t i)
{
    return (const struct vv_torch_written_slot *)(const void *)n->written.data +
           i;
}

/* Returns the first name of a variable, or NULL. Sets *is_called if one of its
 * names equals `text`. */
static const struct vv_torch_written_slot *torch_names_of(
    const struct vv_torch_names *n, uint32_t variable, bool *is_called)
{
    size_t begin = 0,
           end = n->written.size / sizeof(struct vv_torch_written_slot);
    size_t count = end;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (written_at(n, middle)->node < variable)
            begin = middle + 1;
        else
            end = middle;
    }
    *is_called = false;
    for (size_t i = begin; i < count && written_at(n, i)->node == variable; i++)
        *is_called |= torch_names_is_text(n, written_at(n, i));
    return begin < count && written_at(n, begin)->node == variable
               ? written_at(n, begin)
               : NULL;
}

/* Returns true if a variable has the name in `text`. If no variables are
 * written, for example if the optimizer is the whole graph, any name is
 * accepted. */
static bool is_written(const struct vv_torch_names *n)
{
    uint64_t hash = vv_hash_of(n->text.data, n->text.size);
    size_t count = n->hashes.size / sizeof hash;
    return count == 0 || bsearch(&hash, n->hashes.data, count, sizeof hash,
                             torch_names_compare_hashes);
}

static varve_status compare_name(
    struct vv_torch_names *n, struct group *g, size_t i, varve_error *error)
{
    uint64_t position = ((const uint64_t *)(const void *)n->numbers.data)[i];
    uint32_t variable = variable_at(n, position);
    bool is_called;
    VV_TRY(read_name(n, g->names, i, error));
    if (variable == VV_NONE) {
        g->has_slots = false;
        g->is_true &= n->text.size > 0 && is_written(n);
        return VARVE_OK;
    }
    const struct vv_torch_written_slot *w =
        torch_names_of(n, variable, &is_called);
    g->is_true &= is_called;
    g->has_slots &= w != NULL;
    if (w)
        vv_buffer_add(&n->named, w, sizeof *w);
    return n->named.failed ? torch_names_fail_memory(error) : VARVE_OK;
}

static size_t name_count(const struct vv_torch_names *n, uint32_t list)
{
    uint32_t at, last;
    vv_index_edges(torch_names_index_of(n), list, &at, &last);
    return last - at;
}

static varve_status compare_group(
    struct vv_torch_names *n, uint32_t node, varve_error *error)
{
    struct group g = { .names = vv_torch_child(
                           torch_names_index_of(n), node, "param_names"),
        .params = vv_torch_child(torch_names_index_of(n), node, "params") };
    if (g.names == VV_NONE || !torch_names_is_object(n, g.names))
        return VARVE_OK;
    VV_TRY(read_params(n, g.params, error));
    g.count = n->numbers.size / sizeof(uint64_t);
    g.is_true = g.has_slots = g.count == name_count(n, g.names);
    struct vv_torch_list list = { .node = g.names,
        .first = n->named.size / sizeof(struct vv_torch_written_slot) };
    for (size_t i = 0; i < g.count && (g.is_true || g.has_slots); i++)
        VV_TRY(compare_name(n, &g, i, error));
    list.is_true = g.is_true;
    list.count = g.has_slots ? g.count : 0;
    if (!list.is_true && list.count == 0)
        vv_target_report_lost(n->tree->target, g.names,
            "the parameter names: no variables are written under them");
    n->numbered[list.node] = (uint32_t)(n->lists.size / sizeof list) + 2;
    vv_buffer_add(&n->lists, &list, sizeof list);
    return n->lists.failed ? torch_names_fail_memory(error) : VARVE_OK;
}

static varve_status compare_optimizer(
    struct vv_torch_names *n, uint32_t node, varve_error *error)
{
    const struct vv_index *index = torch_names_index_of(n);
    uint32_t groups = vv_torch_child(index, node, "param_groups"), at, last;
    VV_TRY(list_entries(n, node, error));
    vv_index_edges(index, groups, &at, &last);
    for (; at < last; at++)
        VV_TRY(compare_group(n, vv_at32(index->edge_children, at), error));
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

static bool has_names(const struct vv_index *index)
{
    static const char name[] = "param_names";
    return vv_index_find_name(index, name, sizeof name - 1) != VV_NONE;
}

/* Lists names without reporting losses: they are reported when the dicts are
 * written. */
static varve_status list_quietly(struct vv_torch_names *n, varve_error *error)
{
    const struct vv_target *loud = n->tree->target;
    struct vv_target quiet = *loud;
    quiet.loss = NULL;
    n->tree->target = &quiet;
    varve_status status = list_written(n, error);
    n->tree->target = loud;
    return status;
}

static varve_status torch_names_compare_all(
    struct vv_torch_names *n, varve_error *error)
{
    const struct vv_index *index = torch_names_index_of(n);
    for (uint32_t i = index->slot_count; i-- > 0;)
        n->variables[vv_at32(index->slot_nodes, i)] =
            vv_at32(index->slot_variables, i) + 1;
    VV_TRY(list_quietly(n, error));
    for (uint32_t i = 0; i < index->node_count; i++) {
        if (vv_torch_has_parts(index, i) && !vv_torch_is_optimizer(n->tree, i))
            VV_TRY(compare_optimizer(n, i, error));
    }
    return VARVE_OK;
}

varve_status vv_torch_names_init(
    struct vv_torch_names *n, struct vv_torch_tree *tree, varve_error *error)
{
    const varve_allocator *a = &tree->target->context->allocator;
    size_t count = tree->target->index->node_count;
    struct vv_buffer *all[] = { &n->lists, &n->named, &n->bytes, &n->written,
        &n->hashes, &n->nodes, &n->entries, &n->numbers, &n->text };
    *n = (struct vv_torch_names){ .tree = tree };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vv_buffer_init(all[i], a);
    if (!has_names(tree->target->index))
        return VARVE_OK;
    n->variables = vv_allocate_zeroed(a, count * sizeof *n->variables);
    n->numbered = vv_allocate_zeroed(a, count * sizeof *n->numbered);
    return n->variables && n->numbered ? torch_names_compare_all(n, error)
                                       : torch_names_fail_memory(error);
}

void vv_torch_names_clear(struct vv_torch_names *n)
{
    const varve_allocator *a = &n->tree->target->context->allocator;
    size_t count = n->tree->target->index->node_count;
    struct vv_buffer *all[] = { &n->lists, &n->named, &n->bytes, &n->written,
        &n->hashes, &n->nodes, &n->entries, &n->numbers, &n->text };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vv_buffer_clear(all[i]);
    vv_release(a, n->variables, count * sizeof *n->variables);
    vv_release(a, n->numbered, count * sizeof *n->numbered);
}

const struct vv_torch_list *vv_torch_names_of(
    const struct vv_torch_names *n, uint32_t node)
{
    if (!n->numbered || n->numbered[node] < 2)
        return NULL;
    const struct vv_torch_list *list =
        (const struct vv_torch_list *)(const void *)n->lists.data +
        n->numbered[node] - 2;
    return list->is_true ? NULL : list;
}
