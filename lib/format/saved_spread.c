/* saved_spread.c - Follows the edges of an index, and from owners and variables
 * to slots. Slots are sorted by owner; a table finds them by variable.
 *
 * A node has two entries in the spread: one with its existing paths, and one,
 * after all of these, with the paths after renames.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saved_spread.h"

#include <string.h>

#include "allocator.h"
#include "try.h"

/* Slots by variable, and the last step along an edge. */
struct tables {
    uint32_t *firsts; /* by node: its first slot, plus 1 */
    uint32_t *nexts;  /* by slot: the next one of the same variable, plus 1 */
    const struct vv_state *from;
    const struct vv_state *to; /* NULL: there was no step yet */
    uint32_t name;
};

static bool saved_spread_make_table(const varve_allocator *a,
    const struct vv_index *index, struct tables *table)
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
    struct tables *table)
{
    vv_release(a, table->firsts, index->node_count * sizeof *table->firsts);
    vv_release(a, table->nexts, index->slot_count * sizeof *table->nexts);
}

/* Returns 0, or the offset of the entries for paths after renames. */
static uint32_t half_of(const struct vv_index *index, uint32_t node)
{
    return node < index->node_count ? 0 : index->node_count;
}

/* Returns the state after a step. The last step is cached, because patterns
 * examine each byte of a name, and a long name can occur on every edge. */
static const struct vv_state *step_by(struct vv_spread *s,
    const struct vv_index *index, struct tables *table,
    const struct vv_state *from, uint32_t id)
{
    size_t size;
    const char *name = vv_index_name(index, id, &size);
    if (!table->to || table->from != from || table->name != id) {
        table->to = vv_automaton_step(&s->automaton, from, name, size);
        table->from = from;
        table->name = id;
    }
    return table->to;
}

static void saved_spread_follow_edge(struct vv_spread *s,
    const struct vv_index *index, struct tables *table, uint32_t pair,
    uint32_t edge)
{
    uint32_t node = s->pairs[pair].node;
    uint32_t child = vv_at32(index->edge_children, edge) + half_of(index, node);
    if (vv_spread_leads_back(s, node, child))
        return;
    vv_spread_add(s, child,
        step_by(s, index, table, s->pairs[pair].state,
            vv_at32(index->edge_names, edge)),
        NULL, (struct vv_spread_step){ .from = pair + 1, .number = edge });
}

static void saved_spread_follow_slot(struct vv_spread *s,
    const struct vv_index *index, uint32_t owner, uint32_t variable,
    uint32_t slot)
{
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->slot_names, slot), &size);
    uint32_t half = half_of(index, s->pairs[owner].node) |
                    half_of(index, s->pairs[variable].node);
    vv_spread_add(s, vv_at32(index->slot_nodes, slot) + half,
        vv_automaton_slot(&s->automaton, s->pairs[owner].state,
            s->pairs[variable].state, name, size),
        NULL,
        (struct vv_spread_step){
            .from = owner + 1, .variable = variable + 1, .number = slot });
}

/* Follows the slots of a node, as owner and as variable, within one half. */
static void follow_slots(struct vv_spread *s, const struct vv_index *index,
    const struct tables *table, uint32_t pair, uint32_t half)
{
    uint32_t node = s->pairs[pair].node, begin, end;
    node -= half_of(index, node);
    vv_index_slots(index, node, &begin, &end);
    for (uint32_t slot = begin; slot < end; slot++) {
        uint32_t i =
            vv_spread_first(s, vv_at32(index->slot_variables, slot) + half);
        for (; i; i = s->pairs[i - 1].next)
            saved_spread_follow_slot(s, index, pair, i - 1, slot);
    }
    for (uint32_t k = table->firsts[node]; k; k = table->nexts[k - 1]) {
        uint32_t i =
            vv_spread_first(s, vv_at32(index->slot_owners, k - 1) + half);
        for (; i; i = s->pairs[i - 1].next)
            saved_spread_follow_slot(s, index, i - 1, pair, k - 1);
    }
}

static void saved_spread_go_on(
    struct vv_spread *s, const struct vv_index *index, struct tables *table)
{
    uint32_t pair, begin, end;
    while (vv_spread_next(s, &pair)) {
        uint32_t node = s->pairs[pair].node;
        vv_index_edges(index, node - half_of(index, node), &begin, &end);
        for (uint32_t e = begin; e < end; e++)
            saved_spread_follow_edge(s, index, table, pair, e);
        for (uint32_t half = 0; index->slot_count && half < 2; half++)
            follow_slots(s, index, table, pair, half * index->node_count);
    }
}

varve_status vv_saved_spread_follow(
    struct vv_spread *s, const struct vv_saved_paths *paths, varve_error *error)
{
    struct tables table = { 0 };
    if (saved_spread_make_table(paths->allocator, paths->index, &table))
        saved_spread_go_on(s, paths->index, &table);
    else if (s->automaton.status == VARVE_OK)
        s->automaton.status = VARVE_NO_MEMORY;
    free_table(paths->allocator, paths->index, &table);
    return vv_automaton_fail(&s->automaton, error);
}

/* Parents are placed first: climbs from a node to the first one that has a
 * place, then descends. */
static bool place_half(struct vv_spread *s, const struct vv_saved_paths *paths,
    uint32_t *stack, uint32_t half)
{
    uint32_t count = 0;
    vv_spread_place(s, half + paths->root, half + paths->root);
    for (uint32_t n = 0; n < paths->index->node_count; n++) {
        uint32_t node = n;
        for (; paths->parents[node] != VV_NONE &&
               !vv_spread_has_place(s, half + node);
             node = paths->parents[node])
            stack[count++] = node;
        for (; count; count--)
            vv_spread_place(s, half + stack[count - 1],
                half + paths->parents[stack[count - 1]]);
    }
    return s->automaton.status == VARVE_OK;
}

static bool saved_spread_place_all(
    struct vv_spread *s, const struct vv_saved_paths *paths, uint32_t half)
{
    size_t count = paths->index->node_count;
    uint32_t *stack = vv_allocate_array(paths->allocator, count, sizeof *stack);
    bool done = stack && place_half(s, paths, stack, half);
    vv_release(paths->allocator, stack, count * sizeof *stack);
    if (!done && s->automaton.status == VARVE_OK)
        s->automaton.status = VARVE_NO_MEMORY;
    return done;
}

varve_status vv_saved_spread_begin(struct vv_spread *s,
    const struct vv_saved_paths *paths, const char *patterns,
    varve_error *error)
{
    VV_TRY(vv_spread_begin(s, paths->allocator, patterns, error));
    if (saved_spread_place_all(s, paths, 0))
        vv_spread_add(s, paths->root, s->automaton.start, NULL,
            (struct vv_spread_step){ .from = 0 });
    varve_status status = vv_saved_spread_follow(s, paths, error);
    if (status)
        vv_spread_end(s);
    return status;
}

/* --- Paths after renames ------------------------------------------------ */

static const struct vv_state *saved_spread_state_of(
    struct vv_automaton *a, struct vv_text path, unsigned depth)
{
    const struct vv_state *state = a->start;
    struct vv_text name, base, inside;
    while (vv_text_next_name(&path, &name)) {
        const struct vv_state *variable = NULL;
        bool is_slot = depth < VV_PATTERN_MAX_DEPTH &&
                       vv_name_split(name, &base, &inside) == VV_NAME_OF_SLOT;
        /* before the base, because both unescape names into the same buffer */
        if (is_slot)
            variable = saved_spread_state_of(a, inside, depth + 1);
        a->name.size = 0;
        vv_name_pattern_unescape(is_slot ? base : name, &a->name);
        const char *bytes = vv_buffer_string(&a->name);
        if (a->name.failed && a->status == VARVE_OK)
            a->status = VARVE_NO_MEMORY;
        if (a->status)
            return NULL;
        state = is_slot
                    ? vv_automaton_slot(a, state, variable, bytes, a->name.size)
                    : vv_automaton_step(a, state, bytes, a->name.size);
    }
    return state;
}

void vv_saved_spread_add(struct vv_spread *s,
    const struct vv_saved_paths *paths, uint32_t node, const char *path)
{
    uint32_t half = paths->index->node_count;
    struct vv_text text = { path, strlen(path) };
    if (!vv_spread_has_place(s, half + paths->root) &&
        !saved_spread_place_all(s, paths, half))
        return;
    vv_spread_add(s, half + node, saved_spread_state_of(&s->automaton, text, 0),
        NULL, (struct vv_spread_step){ .from = 0 });
}

/* --- Paths of pairs ----------------------------------------------------- */

static struct vv_text saved_spread_name_of(
    const void *graph, const struct vv_spread_step *way)
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
    struct vv_spread_text text = { spread, saved_spread_name_of, index, longest,
        path };
    vv_spread_path(&text, pair);
}
