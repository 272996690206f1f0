/* columns.c - Fills in the columns of an index from a walk.
 *
 * A file contains only names that are used. They are numbered in the order of
 * their bytes, so that the edges of a node, which are sorted by name, are also
 * sorted by number.
 *
 * SPDX-License-Identifier: MIT
 */
#include "columns.h"

#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "failure.h"
#include "graph.h"
#include "layout.h"
#include "node_names.h"
#include "slice.h"
#include "state.h"
#include "tag.h"
#include "try.h"
#include "typed_memory.h"
#include "variable.h"

static varve_status columns_no_memory(varve_error *error)
{
    return vv_fail_memory(error, "the index of a checkpoint");
}

/* --- Names -------------------------------------------------------------- */

/* Indexed by rank: 1 for used names while they are marked, then the number of
 * the name in the file. */
struct numbering {
    uint32_t *numbers;
    size_t count;
    size_t used; /* number of used names, and their bytes */
    size_t size;
};

/* Finds the edges of the nodes of a walk, which are visited in order, among its
 * steps. */
struct steps {
    const struct vv_walk *walk;
    size_t next; /* the first step that no earlier node has added */
};

/* Returns the first of the steps that the `count` edges of a node have added,
 * which are in the order of the edges. Returns 0 if some edges lead to nodes
 * that were visited before. */
static size_t take_steps(struct steps *s, const varve_node *node, size_t count)
{
    const struct vv_step *steps = s->walk->steps;
    const size_t first = s->next, end = first + count, all = s->walk->count;
    if (end <= all && steps[end - 1].edge &&
        steps[end - 1].edge->parent == node) {
        s->next = end;
        return first;
    }
    while (s->next < all && steps[s->next].edge &&
           steps[s->next].edge->parent == node)
        s->next++;
    return 0;
}

static void columns_mark(struct numbering *n, const struct vv_name *name)
{
    const uint32_t is_new = 1 - n->numbers[name->rank];
    n->used += is_new;
    n->size += is_new * name->size;
    n->numbers[name->rank] = 1;
}

static uint32_t columns_number_of(
    const struct numbering *n, const struct vv_name *name)
{
    return n->numbers[name->rank];
}

/* Marks the names that are used. Returns the number of edges. */
static size_t mark_names(struct numbering *n, const struct vv_walk *walk)
{
    struct steps steps = { walk, 1 };
    uint64_t tags = 0;
    size_t edges = 0;
    for (size_t i = 0; i < walk->count; i++) {
        const varve_node *node = walk->steps[i].node;
        if (node->attachments) {
            const struct vv_name *global = vv_global_name(node);
            if (global)
                columns_mark(n, global);
            tags |= vv_node_tags(node);
        }
        size_t count = node->edge_count ? vv_walk_edge_count(walk, node) : 0;
        if (count == 0)
            continue;
        edges += count;
        const size_t first = take_steps(&steps, node, count);
        for (size_t k = 0; first > 0 && k < count; k++)
            columns_mark(n, vv_edge_name(walk->steps[first + k].edge));
        struct vv_edge *e = first == 0 ? vv_first_edge(node) : NULL;
        for (; e; e = vv_next_edge(e))
            columns_mark(n, vv_edge_name(e));
    }
    for (size_t i = 0; i < walk->slot_count; i++)
        columns_mark(n, walk->slots[i]->name);
    for (unsigned i = 0; i < vv_tag_count(walk->graph); i++) {
        if (tags >> i & 1)
            columns_mark(n, vv_tag_name(walk->graph, i));
    }
    return edges;
}

static void columns_add_names(struct vv_columns *c, struct numbering *n,
    const struct vv_name_table *names)
{
    vv_buffer_reserve(&c->index.names, n->size);
    vv_buffer_reserve(&c->index.name_ends, 4 * n->used);
    unsigned char *at = vv_buffer_extend(&c->index.names, n->size);
    unsigned char *ends = vv_buffer_extend(&c->index.name_ends, 4 * n->used);
    uint32_t next = 0, end = 0;
    for (size_t rank = 0; at && ends && rank < n->count; rank++) {
        if (!n->numbers[rank])
            continue;
        const struct vv_name *name = names->ranked[rank];
        memcpy(at + end, name->bytes, name->size);
        end += (uint32_t)name->size;
        vv_store32(ends + 4 * (size_t)next, end);
        n->numbers[rank] = next++;
    }
}

/* --- Nodes, slots, tags ------------------------------------------------- */

static void reserve_nodes(
    struct vv_index_columns *index, size_t nodes, size_t edges)
{
    vv_buffer_reserve(&index->node_kinds, nodes);
    vv_buffer_reserve(&index->node_edge_ends, 4 * nodes);
    vv_buffer_reserve(&index->edge_names, 4 * edges);
    vv_buffer_reserve(&index->edge_children, 4 * edges);
}

static void add_tags(struct vv_columns *c, const struct numbering *n,
    const struct vv_walk *walk, size_t place)
{
    const varve_graph *graph = walk->graph;
    uint32_t numbers[VV_MAX_TAGS];
    size_t count = 0;
    uint64_t tags = vv_node_tags(walk->steps[place].node);
    for (unsigned i = 0; i < vv_tag_count(graph); i++) {
        if (!(tags >> i & 1))
            continue;
        uint32_t number = columns_number_of(n, vv_tag_name(graph, i));
        size_t at = count++;
        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
    for (size_t i = 0; i < count; i++)
        vv_index_add_tag(&c->index, (uint32_t)place, numbers[i]);
}

static void add_edges(struct vv_columns *c, const struct numbering *n,
    struct vv_walk *walk, struct steps *steps, varve_node *node)
{
    const size_t count = vv_walk_edge_count(walk, node);
    const size_t first = count ? take_steps(steps, node, count) : 0;
    struct vv_edge *const *edges = first ? NULL : vv_walk_edges(walk, node);
    unsigned char *names = vv_buffer_extend(&c->index.edge_names, 4 * count);
    unsigned char *children =
        vv_buffer_extend(&c->index.edge_children, 4 * count);
    for (size_t i = 0; names && children && i < count; i++) {
        const struct vv_edge *edge =
            first ? walk->steps[first + i].edge : edges[i];
        vv_store32(names + 4 * i, columns_number_of(n, vv_edge_name(edge)));
        vv_store32(
            children + 4 * i, first ? (uint32_t)(first + i)
                                    : vv_walk_place(walk, edge->public.node));
    }
}

static void columns_add_node(struct vv_columns *c, const struct numbering *n,
    struct vv_walk *walk, struct steps *steps, size_t place)
{
    varve_node *node = walk->steps[place].node;
    if (node->edge_count)
        add_edges(c, n, walk, steps, node);
    c->index.node_kinds.data[place] = node->kind;
    vv_store32(c->index.node_edge_ends.data + 4 * place,
        (uint32_t)(c->index.edge_names.size / 4));
    if (!node->attachments)
        return;
    if (vv_node_tags(node))
        add_tags(c, n, walk, place);
    const struct vv_name *global = vv_global_name(node);
    if (global)
        vv_index_add_global(
            &c->index, (uint32_t)place, columns_number_of(n, global));
}

static bool columns_add_nodes(struct vv_columns *c, const struct numbering *n,
    struct vv_walk *walk, size_t edges)
{
    reserve_nodes(&c->index, walk->count, edges);
    if (!vv_buffer_extend(&c->index.node_kinds, walk->count) ||
        !vv_buffer_extend(&c->index.node_edge_ends, 4 * walk->count))
        return false;
    struct steps steps = { walk, 1 };
    for (size_t i = 0; i < walk->count; i++)
        columns_add_node(c, n, walk, &steps, i);
    return true;
}

static void columns_add_slots(
    struct vv_columns *c, const struct numbering *n, const struct vv_walk *walk)
{
    for (size_t i = 0; i < walk->slot_count; i++) {
        const struct vv_slot *slot = walk->slots[i];
        vv_index_add_slot(&c->index, vv_walk_place(walk, slot->owner),
            vv_walk_place(walk, slot->public.variable),
            columns_number_of(n, slot->name),
            vv_walk_place(walk, slot->public.node));
    }
}

/* --- Values ------------------------------------------------------------- */

uint64_t vv_strings_size(const varve_tensor *tensor)
{
    uint64_t count = varve_tensor_count(tensor);
    const varve_string *strings = tensor->data;
    uint64_t size = 8 * count;
    for (uint64_t i = 0; i < count; i++)
        size += strings[i].size;
    return size;
}

static varve_status columns_add_state(struct vv_columns *c,
    const struct vv_walk *walk, uint32_t place, uint64_t *size,
    varve_error *error)
{
    struct vv_buffer path;
    vv_buffer_init(&path, c->allocator);
    vv_walk_path(walk, place, &path);
    size_t before = c->states.size;
    varve_status status = vv_state_save(
        walk->steps[place].node, vv_buffer_string(&path), &c->states, error);
    *size = c->states.size - before;
    vv_buffer_clear(&path);
    return status;
}

static bool columns_has_value(const varve_node *node)
{
    return node->value_state == VARVE_INITIALIZED ||
           node->value_state == VARVE_RESTORED;
}

/* Adds a row for each value. The columns are emptied at the end if no value is
 * a part. */
static void columns_add_part(
    struct vv_columns *c, const varve_node *node, varve_tensor *tensor)
{
    varve_box box = { { 0 }, { 0 } };
    varve_tensor whole = *tensor;
    if (node && node->variable && vv_part_of(node)) {
        box = vv_box_of(node);
        memcpy(tensor->shape, box.extents, whole.rank * sizeof *tensor->shape);
        c->has_parts = true;
    }
    vv_index_add_part(&c->index, &whole, &box);
}

/* Returns the size of a variable in the file. */
static uint64_t saved_size(const varve_tensor *tensor)
{
    return tensor->dtype == VARVE_STRING ? vv_strings_size(tensor)
                                         : vv_tensor_size(tensor);
}

static varve_status columns_add_value(struct vv_columns *c,
    const struct vv_walk *walk, uint32_t place, size_t value, uint64_t local,
    varve_error *error)
{
    varve_node *node = walk->steps[place].node;
    bool is_saved = columns_has_value(node) && !vv_is_local(node, local);
    varve_tensor tensor = { .dtype = VARVE_UINT8, .rank = 1 };
    uint64_t size = 0;
    if (node->kind == VARVE_STATE) {
        if (is_saved)
            VV_TRY(columns_add_state(c, walk, place, &size, error));
        tensor.shape[0] = size;
    } else {
        tensor = vv_whole_of(node); /* `size` of a slice is that of this
                                       process */
        if (is_saved)
            size = saved_size(&node->variable->tensor);
    }
    if (c->takes_parts)
        columns_add_part(c, is_saved ? node : NULL, &tensor);
    vv_index_set_value(&c->index, value, place, &tensor, size, is_saved);
    return VARVE_OK;
}

/* Adds a variable without attachments, which is neither local nor a slice. */
static inline void add_plain_value(
    struct vv_columns *c, const varve_node *node, uint32_t place, size_t value)
{
    const varve_tensor *tensor = &node->variable->tensor;
    const bool is_saved = columns_has_value(node);
    vv_index_set_value(&c->index, value, place, tensor,
        is_saved ? saved_size(tensor) : 0, is_saved);
}

static void reserve_values(struct vv_index_columns *index, size_t count)
{
    vv_buffer_reserve(&index->value_nodes, 4 * count);
    vv_buffer_reserve(&index->value_dtypes, count);
    vv_buffer_reserve(&index->value_ranks, count);
    vv_buffer_reserve(&index->value_offsets, 8 * count);
    vv_buffer_reserve(&index->value_sizes, 8 * count);
}

static bool may_have_value(uint8_t kind)
{
    return kind == VARVE_STATE || kind == VARVE_VARIABLE;
}

static varve_status columns_add_values(
    struct vv_columns *c, const struct vv_walk *walk, varve_error *error)
{
    uint64_t local = vv_tag_bit(walk->graph, VARVE_TAG_LOCAL);
    const uint8_t *kinds = c->index.node_kinds.data;
    size_t count = 0, value = 0;
    for (size_t i = 0; i < walk->count; i++)
        count += may_have_value(kinds[i]);
    reserve_values(&c->index, count);
    if (!vv_index_extend_values(&c->index, count))
        return columns_no_memory(error);
    for (size_t i = 0; i < walk->count; i++) {
        const varve_node *node = walk->steps[i].node;
        if (!may_have_value(kinds[i]))
            continue;
        if (node->kind != VARVE_VARIABLE || node->attachments || c->takes_parts)
            VV_TRY(
                columns_add_value(c, walk, (uint32_t)i, value, local, error));
        else
            add_plain_value(c, node, (uint32_t)i, value);
        value++;
    }
    if (!c->has_parts) {
        vv_emptied(&c->index.whole_extents);
        vv_emptied(&c->index.part_starts);
    }
    return VARVE_OK;
}

/* --- All ---------------------------------------------------------------- */

static varve_status columns_fill(
    struct vv_columns *c, struct vv_walk *walk, varve_error *error)
{
    const struct vv_name_table *names = &walk->graph->names;
    struct numbering n = { .count = names->set.count };
    if (walk->count >= VV_NONE)
        return vv_fail(
            error, VARVE_LIMIT, "the graph has %u nodes or more", VV_NONE);
    if (n.count) {
        n.numbers =
            vv_allocate_zeroed(c->allocator, n.count * sizeof *n.numbers);
        if (!n.numbers)
            return columns_no_memory(error);
    }
    const size_t edges = mark_names(&n, walk);
    columns_add_names(c, &n, names);
    const bool has_nodes = columns_add_nodes(c, &n, walk, edges);
    columns_add_slots(c, &n, walk);
    vv_release(c->allocator, n.numbers, n.count * sizeof *n.numbers);
    return has_nodes ? columns_add_values(c, walk, error)
                     : columns_no_memory(error);
}

static varve_status columns_begin(
    struct vv_columns *c, struct vv_walk *walk, varve_error *error)
{
    c->has_parts = false;
    c->allocator = walk->allocator;
    vv_index_columns_begin(&c->index, walk->allocator);
    vv_buffer_init(&c->states, walk->allocator);
    varve_status status = columns_fill(c, walk, error);
    if (!status && (c->states.failed || vv_index_columns_failed(&c->index)))
        status = columns_no_memory(error);
    if (status)
        vv_columns_end(c);
    return status;
}

varve_status vv_columns_begin(
    struct vv_columns *c, struct vv_walk *walk, varve_error *error)
{
    c->takes_parts = false;
    return columns_begin(c, walk, error);
}

varve_status vv_columns_begin_parts(
    struct vv_columns *c, struct vv_walk *walk, varve_error *error)
{
    c->takes_parts = true;
    return columns_begin(c, walk, error);
}

void vv_columns_end(struct vv_columns *c)
{
    vv_index_columns_end(&c->index);
    vv_buffer_clear(&c->states);
}

varve_status vv_columns_index(
    const struct vv_columns *c, struct vv_index *index, varve_error *error)
{
    if (c->index.names.size > UINT32_MAX ||
        c->index.edge_names.size / 4 >= VV_NONE)
        return vv_fail(error, VARVE_LIMIT,
            "the graph has %u edges or bytes of names, or more", VV_NONE);
    *index = vv_index_of_columns(&c->index);
    return VARVE_OK;
}
