/* splice.c - Sorts the names and traverses the nodes from the root, breadth
 * first; then writes each column once.
 *
 * Each part keeps its order, so one position per column of a part is enough to
 * find the next entry.
 *
 * SPDX-License-Identifier: MIT
 */
#include "splice.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "name.h"
#include "try.h"

/* The state of a part. */
struct side {
    const struct vv_index *index;
    /* numbers of its names in the result, followed by that of the edge to it */
    uint32_t *names;
    uint32_t *nodes; /* the same for nodes; VV_NONE: not seen */
    uint32_t value;  /* next entries of the columns */
    size_t extent;
    uint32_t tag;
    uint32_t global;
    uint32_t at;
    char number[24];
};

struct place {
    uint32_t side;
    uint32_t node;
};

struct name {
    const char *bytes;
    size_t size;
    uint32_t *number;
};

/* A side other than the first: its parent node, and the name of the edge. */
struct hung {
    uint32_t at;
    uint32_t name;
    uint32_t side;
};

struct slot {
    uint32_t owner; /* this and the following numbers refer to the result */
    uint32_t variable;
    uint32_t name;
    struct place node;
};

struct work {
    const varve_allocator *allocator;
    struct vv_index_columns *columns;
    struct vv_buffer *values;
    size_t count;
    uint64_t name_count; /* includes the edges between parts */
    uint64_t node_count;
    uint64_t slot_count;
    /* the following arrays are one block each */
    struct side *sides;
    uint32_t *numbers;  /* numbers of names, then of nodes */
    struct name *names; /* sorted */
    /* by number in the result, in the order in which they were seen */
    struct place *nodes;
    struct slot *slots;
    struct hung *hung; /* sorted */
    uint32_t seen;
    size_t next_hung;
};

/* --- Memory --------------------------------------------------------------- */

static void count_all(struct work *w, const struct vv_splice *splice)
{
    w->count = splice->count;
    w->name_count = splice->count;
    for (size_t i = 0; i < splice->count; i++) {
        const struct vv_index *index = &splice->parts[i].index;
        w->name_count += index->name_count;
        w->node_count += index->node_count;
        w->slot_count += index->slot_count;
    }
}

static bool take_memory(struct work *w)
{
    const varve_allocator *a = w->allocator;
    size_t numbers = (size_t)(w->name_count + w->node_count);
    w->sides = vv_allocate_array(a, w->count, sizeof *w->sides);
    w->numbers = vv_allocate_array(a, numbers, sizeof *w->numbers);
    w->names = vv_allocate_array(a, (size_t)w->name_count, sizeof *w->names);
    w->nodes = vv_allocate_array(a, (size_t)w->node_count, sizeof *w->nodes);
    w->slots =
        vv_allocate_array(a, (size_t)w->slot_count + 1, sizeof *w->slots);
    w->hung = vv_allocate_array(a, w->count, sizeof *w->hung);
    return w->sides && w->numbers && w->names && w->nodes && w->slots &&
           w->hung;
}

static void splice_give_memory(struct work *w)
{
    const varve_allocator *a = w->allocator;
    size_t numbers = (size_t)(w->name_count + w->node_count);
    vv_release(a, w->sides, w->count * sizeof *w->sides);
    vv_release(a, w->numbers, numbers * sizeof *w->numbers);
    vv_release(a, w->names, (size_t)w->name_count * sizeof *w->names);
    vv_release(a, w->nodes, (size_t)w->node_count * sizeof *w->nodes);
    vv_release(a, w->slots, ((size_t)w->slot_count + 1) * sizeof *w->slots);
    vv_release(a, w->hung, w->count * sizeof *w->hung);
}

static void set_sides(struct work *w, const struct vv_splice *splice)
{
    uint32_t *numbers = w->numbers;
    for (size_t i = 0; i < w->count; i++) {
        struct side *side = &w->sides[i];
        *side = (struct side){ .index = &splice->parts[i].index,
            .names = numbers,
            .at = splice->parts[i].at };
        numbers += side->index->name_count + 1;
        vv_decimal(splice->parts[i].number, side->number);
    }
    for (size_t i = 0; i < w->count; i++) {
        w->sides[i].nodes = numbers;
        numbers += w->sides[i].index->node_count;
    }
    memset(w->sides[0].nodes, 0xff, (size_t)w->node_count * sizeof *numbers);
}

/* --- Names ---------------------------------------------------------------- */

static int splice_compare_names(const void *left, const void *right)
{
    const struct name *a = left, *b = right;
    int order =
        memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static size_t splice_list_names(struct work *w)
{
    size_t count = 0;
    for (size_t i = 0; i < w->count; i++) {
        const struct side *side = &w->sides[i];
        for (uint32_t k = 0; k < side->index->name_count; k++) {
            struct name *name = &w->names[count++];
            name->bytes = vv_index_name(side->index, k, &name->size);
            name->number = &side->names[k];
        }
        if (i > 0)
            w->names[count++] = (struct name){ side->number,
                strlen(side->number), &side->names[side->index->name_count] };
    }
    return count;
}

static void splice_add_names(struct work *w)
{
    size_t count = splice_list_names(w);
    uint32_t number = 0;
    if (count > 1)
        qsort(w->names, count, sizeof *w->names, splice_compare_names);
    for (size_t i = 0; i < count; i++) {
        const struct name *name = &w->names[i];
        if (i == 0 || splice_compare_names(name - 1, name) != 0) {
            vv_index_add_name(w->columns, name->bytes, name->size);
            number++;
        }
        *name->number = number - 1;
    }
}

/* --- The numbers of nodes ------------------------------------------------- */

static int compare_hung(const void *left, const void *right)
{
    const struct hung *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static void sort_hung(struct work *w)
{
    for (uint32_t i = 1; i < w->count; i++) {
        const struct side *side = &w->sides[i];
        w->hung[i - 1] =
            (struct hung){ side->at, side->names[side->index->name_count], i };
    }
    if (w->count > 2)
        qsort(w->hung, w->count - 1, sizeof *w->hung, compare_hung);
}

static void splice_see(struct work *w, uint32_t side, uint32_t node)
{
    uint32_t *number = &w->sides[side].nodes[node];
    if (*number != VV_NONE)
        return;
    *number = w->seen;
    w->nodes[w->seen++] = (struct place){ side, node };
}

/* Returns the sides that are attached below a node, and advances past them. */
static const struct hung *take_hung(
    struct work *w, const struct place *place, size_t *count)
{
    const struct hung *first = w->hung + w->next_hung;
    *count = 0;
    while (place->side == 0 && w->next_hung + 1 < w->count &&
           w->hung[w->next_hung].at == place->node) {
        w->next_hung++;
        ++*count;
    }
    return first;
}

static void see_children(struct work *w, const struct place *place)
{
    const struct vv_index *index = w->sides[place->side].index;
    uint32_t begin, end;
    size_t count;
    vv_index_edges(index, place->node, &begin, &end);
    for (uint32_t e = begin; e < end; e++)
        splice_see(w, place->side, vv_at32(index->edge_children, e));
    const struct hung *hung = take_hung(w, place, &count);
    for (size_t i = 0; i < count; i++)
        splice_see(w, hung[i].side, 0);
}

static int splice_compare_slots(const void *left, const void *right)
{
    const struct slot *a = left, *b = right;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static void sort_slots(struct work *w)
{
    size_t count = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct side *side = &w->sides[i];
        const struct vv_index *index = side->index;
        for (uint32_t k = 0; k < index->slot_count; k++)
            w->slots[count++] = (struct slot){
                .owner = side->nodes[vv_at32(index->slot_owners, k)],
                .variable = side->nodes[vv_at32(index->slot_variables, k)],
                .name = side->names[vv_at32(index->slot_names, k)],
                .node = { i, vv_at32(index->slot_nodes, k) },
            };
    }
    if (count > 1)
        qsort(w->slots, count, sizeof *w->slots, splice_compare_slots);
}

static void splice_number_nodes(struct work *w)
{
    sort_hung(w);
    splice_see(w, 0, 0);
    for (uint32_t i = 0; i < w->seen; i++)
        see_children(w, &w->nodes[i]);
    sort_slots(w);
    for (size_t i = 0; i < w->slot_count; i++)
        splice_see(w, w->slots[i].node.side, w->slots[i].node.node);
    w->next_hung = 0;
}

/* --- Columns -------------------------------------------------------------- */

static void splice_add_edges(struct work *w, const struct place *place)
{
    const struct side *side = &w->sides[place->side];
    const struct vv_index *index = side->index;
    uint32_t begin, end;
    size_t count;
    vv_index_edges(index, place->node, &begin, &end);
    for (uint32_t e = begin; e < end; e++)
        vv_index_add_edge(w->columns,
            side->names[vv_at32(index->edge_names, e)],
            side->nodes[vv_at32(index->edge_children, e)]);
    const struct hung *hung = take_hung(w, place, &count);
    for (size_t i = 0; i < count; i++)
        vv_index_add_edge(
            w->columns, hung[i].name, w->sides[hung[i].side].nodes[0]);
}

static void splice_add_value(
    struct work *w, uint32_t number, const struct place *place)
{
    struct side *side = &w->sides[place->side];
    const struct vv_index *index = side->index;
    uint32_t value = side->value;
    if (value == index->value_count ||
        vv_at32(index->value_nodes, value) != place->node)
        return;
    varve_tensor type = { .dtype = (varve_dtype)index->value_dtypes[value],
        .rank = index->value_ranks[value] };
    for (uint32_t k = 0; k < type.rank; k++)
        type.shape[k] = vv_at64(index->value_extents, side->extent++);
    vv_index_add_value(w->columns, number, &type,
        vv_at64(index->value_sizes, value), vv_index_is_saved(index, value));
    struct vv_spliced spliced = { place->side, value };
    vv_buffer_add(w->values, &spliced, sizeof spliced);
    side->value++;
}

/* Adds the tags and the global name of a node. */
static void add_names_of(
    struct work *w, uint32_t number, const struct place *place)
{
    struct side *side = &w->sides[place->side];
    const struct vv_index *index = side->index;
    for (; side->tag < index->tag_count &&
           vv_at32(index->tag_nodes, side->tag) == place->node;
         side->tag++)
        vv_index_add_tag(w->columns, number,
            side->names[vv_at32(index->tag_names, side->tag)]);
    if (side->global < index->global_count &&
        vv_at32(index->global_nodes, side->global) == place->node)
        vv_index_add_global(w->columns, number,
            side->names[vv_at32(index->global_names, side->global++)]);
}

static void splice_add_nodes(struct work *w)
{
    for (uint32_t i = 0; i < w->seen; i++) {
        const struct place *place = &w->nodes[i];
        splice_add_edges(w, place);
        vv_index_add_node(
            w->columns, w->sides[place->side].index->node_kinds[place->node]);
        add_names_of(w, i, place);
        splice_add_value(w, i, place);
    }
    for (size_t i = 0; i < w->slot_count; i++) {
        const struct slot *slot = &w->slots[i];
        vv_index_add_slot(w->columns, slot->owner, slot->variable, slot->name,
            w->sides[slot->node.side].nodes[slot->node.node]);
    }
}

/* --- Public functions ----------------------------------------------------- */

static varve_status splice_all(
    struct work *w, const struct vv_splice *splice, varve_error *error)
{
    count_all(w, splice);
    if (w->node_count >= VV_NONE || w->name_count >= VV_NONE)
        return vv_fail(error, VARVE_LIMIT,
            "the graph has %u nodes or names, or more", VV_NONE);
    if (!take_memory(w))
        return vv_fail_memory(error, "the index of all ranks");
    set_sides(w, splice);
    splice_add_names(w);
    splice_number_nodes(w);
    splice_add_nodes(w);
    if (w->columns->names.size > UINT32_MAX ||
        w->columns->edge_names.size / 4 >= VV_NONE)
        return vv_fail(error, VARVE_LIMIT,
            "the graph has %u edges or bytes of names, or more", VV_NONE);
    return vv_index_columns_failed(w->columns) || w->values->failed
               ? vv_fail_memory(error, "the index of all ranks")
               : VARVE_OK;
}

varve_status vv_splice_begin(struct vv_splice *splice,
    const varve_allocator *allocator, varve_error *error)
{
    struct work w = { .allocator = allocator,
        .columns = &splice->columns,
        .values = &splice->values };
    vv_index_columns_begin(&splice->columns, allocator);
    vv_buffer_init(&splice->values, allocator);
    varve_status status = splice_all(&w, splice, error);
    splice_give_memory(&w);
    if (status)
        vv_splice_end(splice);
    return status;
}

void vv_splice_end(struct vv_splice *splice)
{
    vv_index_columns_end(&splice->columns);
    vv_buffer_clear(&splice->values);
}
