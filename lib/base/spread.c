/* spread.c - Stores pairs in a list, with a hash table and links by node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "spread.h"

#include <string.h>

#include "allocator.h"
#include "path_end.h"

/* Some patterns bring every node of a large graph into thousands of states.
 * This limits the number of pairs per node. */
enum { FEW_PAIRS = 1 << 20, MOST_PAIRS_EACH = 64 };

varve_status vv_spread_begin(struct vv_spread *s,
    const varve_allocator *allocator, const char *patterns, varve_error *error)
{
    *s = (struct vv_spread){ .count = 0 };
    return vv_automaton_begin(&s->automaton, allocator, patterns, error);
}

void vv_spread_end(struct vv_spread *s)
{
    const varve_allocator *a = s->automaton.allocator;
    if (!a)
        return;
    vv_release(a, s->pairs, s->capacity * sizeof *s->pairs);
    vv_release(a, s->nodes, s->node_capacity * sizeof *s->nodes);
    vv_release(a, s->table, s->table_size * sizeof *s->table);
    vv_automaton_end(&s->automaton);
    *s = (struct vv_spread){ .count = 0 };
}

static size_t spread_bucket_of(
    const struct vv_spread *s, uint32_t node, const struct vv_state *state)
{
    return (size_t)vv_map_mix((uint64_t)node << 32 | state->number) &
           (s->table_size - 1);
}

static void spread_enter(struct vv_spread *s, uint32_t pair)
{
    size_t at = spread_bucket_of(s, s->pairs[pair].node, s->pairs[pair].state);
    while (s->table[at])
        at = (at + 1) & (s->table_size - 1);
    s->table[at] = pair + 1;
}

static bool has_pair(
    const struct vv_spread *s, uint32_t node, const struct vv_state *state)
{
    size_t at = s->table_size ? spread_bucket_of(s, node, state) : 0;
    for (; s->table_size && s->table[at]; at = (at + 1) & (s->table_size - 1)) {
        const struct vv_reached *pair = &s->pairs[s->table[at] - 1];
        if (pair->node == node && pair->state == state)
            return true;
    }
    return false;
}

static bool grow_table(struct vv_spread *s)
{
    const varve_allocator *a = s->automaton.allocator;
    if (2 * (s->count + 1) <= s->table_size)
        return true;
    size_t size = s->table_size ? 2 * s->table_size : 64;
    uint32_t *table = vv_allocate_zeroed(a, size * sizeof *table);
    if (!table)
        return false;
    vv_release(a, s->table, s->table_size * sizeof *s->table);
    s->table = table;
    s->table_size = size;
    for (size_t i = 0; i < s->count; i++) {
        if (s->pairs[i].node != UINT32_MAX)
            spread_enter(s, (uint32_t)i);
    }
    return true;
}

static bool grow_nodes(struct vv_spread *s, size_t wanted)
{
    size_t old = s->node_capacity;
    if (wanted <= old)
        return true;
    wanted += wanted / 2 + 16;
    struct vv_spread_node *nodes = vv_reallocate(s->automaton.allocator,
        s->nodes, old * sizeof *nodes, wanted * sizeof *nodes);
    if (!nodes)
        return false;
    memset(nodes + old, 0, (wanted - old) * sizeof *nodes);
    s->nodes = nodes;
    s->node_capacity = wanted;
    return true;
}

static void spread_fail(struct vv_spread *s, varve_status status)
{
    if (s->automaton.status == VARVE_OK)
        s->automaton.status = status;
}

/* Returns the jump of a node below `above`. Two jumps of equal length are
 * combined into one, so an ancestor is found in a logarithmic number of
 * steps. */
static uint32_t jump_from(const struct vv_spread_node *nodes, uint32_t above)
{
    const struct vv_spread_node *near = &nodes[above];
    const struct vv_spread_node *far = &nodes[near->jump];
    return near->depth - far->depth == far->depth - nodes[far->jump].depth
               ? far->jump
               : above;
}

void vv_spread_place(struct vv_spread *s, uint32_t node, uint32_t above)
{
    if (!grow_nodes(s, (size_t)node + 1)) {
        spread_fail(s, VARVE_NO_MEMORY);
        return;
    }
    struct vv_spread_node *at = &s->nodes[node];
    if (at->has_place)
        return;
    at->has_place = true;
    at->above = above;
    at->depth = node == above ? 0 : s->nodes[above].depth + 1;
    at->jump = node == above ? node : jump_from(s->nodes, above);
}

bool vv_spread_leads_back(const struct vv_spread *s, uint32_t from, uint32_t to)
{
    const struct vv_spread_node *nodes = s->nodes;
    if (!vv_spread_has_place(s, to) || !vv_spread_has_place(s, from))
        return false;
    while (nodes[from].depth > nodes[to].depth) {
        uint32_t next = nodes[nodes[from].jump].depth >= nodes[to].depth
                            ? nodes[from].jump
                            : nodes[from].above;
        if (nodes[next].depth >= nodes[from].depth)
            return false; /* an ancestor was removed */
        from = next;
    }
    return from == to;
}

void vv_spread_add(struct vv_spread *s, uint32_t node,
    const struct vv_state *state, void *object, struct vv_spread_step way)
{
    if (!state || s->automaton.status || has_pair(s, node, state))
        return;
    if (s->count > FEW_PAIRS && s->count / MOST_PAIRS_EACH > s->node_capacity) {
        spread_fail(s, VARVE_LIMIT);
        return;
    }
    if (!grow_table(s) || !grow_nodes(s, (size_t)node + 1) ||
        !vv_grow_array(s->automaton.allocator, &s->pairs, &s->capacity,
            s->count, sizeof *s->pairs)) {
        spread_fail(s, VARVE_NO_MEMORY);
        return;
    }
    /* Nothing can fail from here on, so all tables stay consistent. */
    vv_spread_place(s, node, way.from ? s->pairs[way.from - 1].node : node);
    s->pairs[s->count] = (struct vv_reached){ .state = state,
        .node = node,
        .object = object,
        .way = way,
        .next = s->nodes[node].first };
    spread_enter(s, (uint32_t)s->count);
    s->nodes[node].first = (uint32_t)++s->count;
    s->nodes[node].known |= state->accepts ? VV_ACCEPTED : VV_NOT_ACCEPTED;
}

bool vv_spread_next(struct vv_spread *s, uint32_t *pair)
{
    while (s->done < s->count && s->pairs[s->done].node == UINT32_MAX)
        s->done++;
    if (s->done == s->count || s->automaton.status)
        return false;
    *pair = (uint32_t)s->done++;
    return true;
}

uint32_t vv_spread_first(const struct vv_spread *s, uint32_t node)
{
    return node < s->node_capacity ? s->nodes[node].first : 0;
}

void vv_spread_forget(struct vv_spread *s, uint32_t node)
{
    if (node >= s->node_capacity)
        return;
    for (uint32_t i = s->nodes[node].first; i; i = s->pairs[i - 1].next) {
        s->pairs[i - 1].node = UINT32_MAX;
        s->gone++;
    }
    s->nodes[node] = (struct vv_spread_node){ .first = 0 };
}

uint32_t vv_spread_find(const struct vv_spread *s, uint32_t node, bool accepts)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t i = vv_spread_first(s, node); i; i = s->pairs[i - 1].next) {
        if (s->pairs[i - 1].state->accepts == accepts)
            found = i - 1;
    }
    return found;
}

/* --- Paths -------------------------------------------------------------- */

static size_t spread_size(
    const struct vv_spread_text *t, uint32_t pair, unsigned depth);

/* The bytes that a pair adds to the path of the one before it. */
static size_t size_of_step(const struct vv_spread_text *t,
    const struct vv_spread_step *way, unsigned depth)
{
    struct vv_text name = t->name_of(t->graph, way);
    size_t size = vv_path_name_size(name.bytes, name.size);
    if (t->spread->pairs[way->from - 1].way.from)
        size++;
    if (!way->variable)
        return size;
    return size + strlen("()") +
           (depth < VV_PATTERN_MAX_DEPTH
                   ? spread_size(t, way->variable - 1, depth + 1)
                   : strlen("..."));
}

/* Returns the size of the path of a pair, and stores it. The size of a path in
 * parentheses is not stored, because it can be cut. */
static size_t spread_size(
    const struct vv_spread_text *t, uint32_t pair, unsigned depth)
{
    struct vv_reached *pairs = t->spread->pairs;
    size_t sum = 0, above = 0;
    uint32_t at = pair;
    for (; pairs[at].way.from; at = pairs[at].way.from - 1) {
        above = depth ? 0 : vv_path_size_at(&pairs[at].way.size, 0);
        if (above)
            break;
        sum += size_of_step(t, &pairs[at].way, depth);
    }
    sum += above;
    for (size_t left = sum; pair != at && depth == 0;
         pair = pairs[pair].way.from - 1) {
        struct vv_spread_step *way = &pairs[pair].way;
        vv_path_size_set(&way->size, 0,
            vv_path_size_kept(above == VV_PATH_SIZE_MANY ? above : left));
        left -= size_of_step(t, way, depth);
    }
    return sum;
}

/* Writes the names up to the root, as far as there is room. */
static void spread_add_names(const struct vv_spread_text *t, uint32_t pair,
    unsigned depth, struct vv_path_end *end)
{
    const struct vv_reached *pairs = t->spread->pairs;
    while (pairs[pair].way.from && !vv_path_end_is_full(end)) {
        const struct vv_spread_step *way = &pairs[pair].way;
        struct vv_text name = t->name_of(t->graph, way);
        if (way->variable) {
            vv_path_end_add(end, ')');
            if (depth < VV_PATTERN_MAX_DEPTH)
                spread_add_names(t, way->variable - 1, depth + 1, end);
            else
                vv_path_end_add_name(end, "...", strlen("..."));
            vv_path_end_add(end, '(');
        }
        vv_path_end_add_name(end, name.bytes, name.size);
        pair = way->from - 1;
        if (pairs[pair].way.from)
            vv_path_end_add(end, '/');
    }
}

void vv_spread_path(const struct vv_spread_text *t, uint32_t pair)
{
    struct vv_path_end end;
    if (!vv_path_end_begin(&end, t->path, spread_size(t, pair, 0), t->longest))
        return;
    spread_add_names(t, pair, 0, &end);
    vv_path_end_finish(&end, t->path);
}
