/* saved_spread.c - along the edges of an index, and from owners and variables
 * to slots. Slots are sorted by owner; where there are any, a table finds them
 * by variable as well.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saved_spread.h"

#include "allocator.h"
#include "failure.h"
#include "try.h"

/* Slots by variable. */
struct slot_table {
    uint32_t *firsts; /* by node: a slot for it, plus 1 */
    uint32_t *nexts;  /* by slot: the next one, plus 1 */
};

static bool make_table(const varve_allocator *a, const struct vv_index *index,
    struct slot_table *table)
{
    if (index->slot_count == 0)
        return true;
    table->firsts =
        vv_allocate_zeroed(a, index->node_count * sizeof *table->firsts);
    table->nexts =
        vv_allocate_zeroed(a, index->slot_count * sizeof *table->nexts);
    if (!table->firsts || !table->nexts)
        return false;
    for (uint32_t s = 0; s < index->slot_count; s++) {
        uint32_t variable = vv_at32(index->slot_variables, s);
        table->nexts[s] = table->firsts[variable];
        table->firsts[variable] = s + 1;
    }
    return true;
}

static void free_table(const varve_allocator *a, const struct vv_index *index,
    struct slot_table *table)
{
    vv_release(a, table->firsts, index->node_count * sizeof *table->firsts);
    vv_release(a, table->nexts, index->slot_count * sizeof *table->nexts);
}

static void follow_edge(struct vv_spread *s, const struct vv_index *index,
    uint32_t pair, uint32_t edge)
{
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    uint32_t child = vv_at32(index->edge_children, edge);
    if (vv_spread_leads_back(s, s->pairs[pair].node, child))
        return;
    vv_spread_add(s, child,
        vv_automaton_step(&s->automaton, s->pairs[pair].state, name, size),
        NULL, (struct vv_way){ .from = pair + 1, .number = edge });
}

static void follow_slot(struct vv_spread *s, const struct vv_index *index,
    uint32_t owner, uint32_t variable, uint32_t slot)
{
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->slot_names, slot), &size);
    vv_spread_add(s, vv_at32(index->slot_nodes, slot),
        vv_automaton_slot(&s->automaton, s->pairs[owner].state,
            s->pairs[variable].state, name, size),
        NULL,
        (struct vv_way){
            .from = owner + 1, .variable = variable + 1, .number = slot });
}

static void follow_slots(struct vv_spread *s, const struct vv_index *index,
    const struct slot_table *table, uint32_t pair)
{
    uint32_t node = s->pairs[pair].node, begin, end;
    vv_index_slots(index, node, &begin, &end);
    for (uint32_t slot = begin; slot < end; slot++) {
        uint32_t i = vv_spread_first(s, vv_at32(index->slot_variables, slot));
        for (; i; i = s->pairs[i - 1].next)
            follow_slot(s, index, pair, i - 1, slot);
    }
    for (uint32_t k = table->firsts[node]; k; k = table->nexts[k - 1]) {
        uint32_t i = vv_spread_first(s, vv_at32(index->slot_owners, k - 1));
        for (; i; i = s->pairs[i - 1].next)
            follow_slot(s, index, i - 1, pair, k - 1);
    }
}

static void go_on(struct vv_spread *s, const struct vv_index *index,
    const struct slot_table *table)
{
    uint32_t pair, begin, end;
    while (vv_spread_next(s, &pair)) {
        vv_index_edges(index, s->pairs[pair].node, &begin, &end);
        for (uint32_t e = begin; e < end; e++)
            follow_edge(s, index, pair, e);
        if (index->slot_count)
            follow_slots(s, index, table, pair);
    }
}

/* Those above come first: up from a node until one has a place, then down
 * again. */
static bool place_all(
    struct vv_spread *s, const struct vv_saved_paths *paths, uint32_t *stack)
{
    uint32_t count = 0;
    vv_spread_place(s, paths->root, paths->root);
    for (uint32_t n = 0; n < paths->index->node_count; n++) {
        uint32_t node = n;
        for (; paths->parents[node] != VV_NONE && !vv_spread_has_place(s, node);
             node = paths->parents[node])
            stack[count++] = node;
        for (; count; count--)
            vv_spread_place(
                s, stack[count - 1], paths->parents[stack[count - 1]]);
    }
    return s->automaton.status == VARVE_OK;
}

varve_status vv_saved_spread_begin(struct vv_spread *s,
    const struct vv_saved_paths *paths, const char *patterns,
    varve_error *error)
{
    const varve_allocator *allocator = paths->allocator;
    const struct vv_index *index = paths->index;
    struct slot_table table = { 0 };
    VV_TRY(vv_spread_begin(s, allocator, patterns, error));
    varve_status status = VARVE_OK;
    uint32_t *stack =
        vv_allocate_array(allocator, index->node_count, sizeof *stack);
    if (stack && make_table(allocator, index, &table) &&
        place_all(s, paths, stack)) {
        vv_spread_add(s, paths->root, s->automaton.start, NULL,
            (struct vv_way){ .from = 0 });
        go_on(s, index, &table);
        status = vv_automaton_fail(&s->automaton, error);
    } else {
        status = vv_fail_memory(error, "patterns");
    }
    vv_release(allocator, stack, index->node_count * sizeof *stack);
    free_table(allocator, index, &table);
    if (status)
        vv_spread_end(s);
    return status;
}

/* --- Back --------------------------------------------------------------- */

static struct vv_text name_of(const void *graph, const struct vv_way *way)
{
    const struct vv_index *index = graph;
    const uint8_t *names =
        way->variable ? index->slot_names : index->edge_names;
    struct vv_text name;
    name.bytes = vv_index_name(index, vv_at32(names, way->number), &name.size);
    return name;
}

void vv_saved_spread_path(const struct vv_spread *spread,
    const struct vv_index *index, uint32_t pair, size_t longest,
    struct vv_buffer *path)
{
    struct vv_spread_text text = { spread, name_of, index, longest, path };
    vv_spread_path(&text, pair);
}
