/* shape.c - Models edges, slots, reachability and removal of nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mix/shape.h"

#include <stdio.h>
#include <string.h>

uint8_t mix_free_place(const struct mix_shape *shape)
{
    uint8_t first = MIX_NONE, count = 0;
    for (uint8_t i = 0; i < MIX_NODES; i++) {
        bool is_free = !shape->nodes[i].kind;
        if (is_free && first == MIX_NONE)
            first = i;
        count = (uint8_t)(count + is_free);
    }
    return count > shape->reserved ? first : MIX_NONE;
}

uint8_t mix_child(const struct mix_shape *shape, uint8_t parent, uint8_t name)
{
    const struct mix_node *node = &shape->nodes[parent];
    for (uint8_t i = 0; i < node->edge_count; i++)
        if (node->edges[i].name == name)
            return node->edges[i].child;
    return MIX_NONE;
}

bool mix_add_edge(
    struct mix_shape *shape, uint8_t parent, uint8_t name, uint8_t child)
{
    struct mix_node *node = &shape->nodes[parent];
    if (node->edge_count == MIX_EDGES)
        return false;
    node->edges[node->edge_count++] = (struct mix_edge){ name, child };
    return true;
}

uint8_t mix_slot_at(const struct mix_shape *shape, uint8_t owner,
    uint8_t variable, uint8_t name)
{
    for (uint8_t i = 0; i < shape->slot_count; i++) {
        const struct mix_slot *s = &shape->slots[i];
        if (s->owner == owner && s->variable == variable && s->name == name)
            return i;
    }
    return MIX_NONE;
}

uint8_t mix_slot_is(const struct mix_shape *shape, uint8_t node)
{
    for (uint8_t i = 0; i < shape->slot_count; i++)
        if (shape->slots[i].node == node)
            return i;
    return MIX_NONE;
}

void mix_drop_edge(struct mix_shape *shape, uint8_t parent, uint8_t at)
{
    struct mix_node *node = &shape->nodes[parent];
    for (uint8_t i = at; i + 1 < node->edge_count; i++) {
        node->edges[i].child = node->edges[i + 1].child;
        if (node->kind != VARVE_LIST)
            node->edges[i].name = node->edges[i + 1].name;
    }
    node->edge_count--;
}

struct mix_value mix_part(
    const struct mix_node *node, const struct mix_value *whole)
{
    struct mix_value part = { .count = node->value.count };
    if (!mix_is_part(node))
        return *whole;
    memcpy(part.numbers, whole->numbers + node->start, part.count);
    return part;
}

bool mix_has_parts(const struct mix_shape *shape, uint8_t root)
{
    mix_set reached = mix_reach(shape, root);
    bool found = false;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        found |= mix_has(reached, n) && mix_is_saved(&shape->nodes[n]) &&
                 mix_is_part(&shape->nodes[n]);
    return found;
}

/* --- Removal -------------------------------------------------------------- */

static bool is_led_to(const struct mix_shape *shape, uint8_t node)
{
    for (uint8_t p = 0; p < MIX_NODES; p++)
        for (uint8_t e = 0; e < shape->nodes[p].edge_count; e++)
            if (shape->nodes[p].edges[e].child == node)
                return true;
    return node == 0 || mix_has(shape->held, node) ||
           mix_slot_is(shape, node) != MIX_NONE;
}

static void drop_slot(struct mix_shape *shape, uint8_t at)
{
    shape->slots[at] = shape->slots[--shape->slot_count];
}

/* Removes a node with its slots and edges. Returns the set of nodes that lost
 * an incoming edge. */
static mix_set take_out(struct mix_shape *shape, uint8_t node)
{
    mix_set loose = 0;
    for (uint8_t p = 0; p < MIX_NODES; p++)
        for (uint8_t e = shape->nodes[p].edge_count; e-- > 0;)
            if (shape->nodes[p].edges[e].child == node)
                mix_drop_edge(shape, p, e);
    for (uint8_t i = shape->slot_count; i-- > 0;) {
        struct mix_slot s = shape->slots[i];
        if (s.owner != node && s.variable != node && s.node != node)
            continue;
        if (s.node != node)
            loose |= mix_one(s.node);
        drop_slot(shape, i);
    }
    for (uint8_t e = 0; e < shape->nodes[node].edge_count; e++)
        loose |= mix_one(shape->nodes[node].edges[e].child);
    shape->nodes[node] = (struct mix_node){ 0 };
    shape->held &= ~mix_one(node);
    return loose & ~mix_one(node);
}

mix_set mix_remove(struct mix_shape *shape, uint8_t node)
{
    mix_set gone = 0, going = mix_one(node);
    while (going) {
        uint8_t next = (uint8_t)__builtin_ctzll(going);
        going &= ~mix_one(next);
        gone |= mix_one(next);
        mix_set loose = take_out(shape, next) & ~gone;
        for (uint8_t i = 0; i < MIX_NODES; i++)
            if (mix_has(loose, i) && !is_led_to(shape, i))
                going |= mix_one(i);
    }
    return gone;
}

/* --- Reachability --------------------------------------------------------- */

mix_set mix_reach_edges(const struct mix_shape *shape, mix_set from)
{
    mix_set found = from, todo = from;
    while (todo) {
        const struct mix_node *node = &shape->nodes[__builtin_ctzll(todo)];
        todo &= todo - 1;
        for (uint8_t e = 0; e < node->edge_count; e++) {
            mix_set child = mix_one(node->edges[e].child);
            todo |= child & ~found;
            found |= child;
        }
    }
    return found;
}

mix_set mix_reach(const struct mix_shape *shape, uint8_t from)
{
    mix_set by_edges = mix_reach_edges(shape, mix_one(from));
    mix_set found = by_edges;
    for (uint8_t i = 0; i < shape->slot_count; i++) {
        const struct mix_slot *s = &shape->slots[i];
        if (mix_has(by_edges, s->owner) && mix_has(by_edges, s->variable))
            found |= mix_one(s->node);
    }
    return found;
}

/* Exchanges the numbers of two nodes, so that a root can be node 0. */
static void swap_nodes(struct mix_shape *shape, uint8_t a, uint8_t b)
{
#define SWAPPED(x) ((x) == a ? b : (x) == b ? a : (x))
    struct mix_node node = shape->nodes[a];
    shape->nodes[a] = shape->nodes[b];
    shape->nodes[b] = node;
    for (uint8_t p = 0; p < MIX_NODES; p++)
        for (uint8_t e = 0; e < shape->nodes[p].edge_count; e++) {
            uint8_t *child = &shape->nodes[p].edges[e].child;
            *child = SWAPPED(*child);
        }
    for (uint8_t i = 0; i < shape->slot_count; i++) {
        struct mix_slot *s = &shape->slots[i];
        s->owner = SWAPPED(s->owner);
        s->variable = SWAPPED(s->variable);
        s->node = SWAPPED(s->node);
    }
#undef SWAPPED
}

struct mix_shape mix_saved(const struct mix_shape *shape, uint8_t root)
{
    struct mix_shape saved = *shape;
    saved.held = 0;
    saved.reserved = 0;
    mix_set reached = mix_reach(shape, root);
    for (uint8_t i = 0; i < MIX_NODES; i++) {
        /* set by programs, not stored in files */
        saved.nodes[i].takes_shape = false;
        if (!mix_has(reached, i))
            saved.nodes[i] = (struct mix_node){ 0 };
    }
    for (uint8_t i = saved.slot_count; i-- > 0;)
        if (!mix_has(
                mix_reach_edges(shape, mix_one(root)), saved.slots[i].owner) ||
            !saved.nodes[saved.slots[i].owner].kind ||
            !mix_has(
                mix_reach_edges(shape, mix_one(root)), saved.slots[i].variable))
            drop_slot(&saved, i);
    if (root)
        swap_nodes(&saved, 0, root);
    return saved;
}

bool mix_demands(const struct mix_shape *shape)
{
    bool found = false;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        found |= shape->nodes[n].demands;
    return found;
}

/* --- Paths ---------------------------------------------------------------- */

/* Slashes in names are escaped in paths. */
static void add_name(char *path, uint8_t name)
{
    size_t size = strlen(path);
    const char *text = mix_name(name);
    if (size)
        path[size++] = '/';
    for (; *text; text++)
        size += (size_t)snprintf(
            path + size, MIX_PATH - size, *text == '/' ? "%%2F" : "%c", *text);
}

/* Sets the positions of the edges of a node in order of name. */
static void sort_edges(const struct mix_node *node, uint8_t order[MIX_EDGES])
{
    for (uint8_t i = 0; i < node->edge_count; i++) {
        uint8_t at = i;
        for (; at > 0 && node->kind != VARVE_LIST &&
               strcmp(mix_name(node->edges[order[at - 1]].name),
                   mix_name(node->edges[i].name)) > 0;
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Sets the parent of each node in the breadth-first tree. */
static void find_tree(const struct mix_shape *shape, uint8_t above[MIX_NODES])
{
    uint8_t queue[MIX_NODES] = { 0 }, order[MIX_EDGES];
    uint8_t count = 1;
    memset(above, MIX_NONE, MIX_NODES);
    above[0] = 0;
    for (uint8_t i = 0; i < count; i++) {
        const struct mix_node *node = &shape->nodes[queue[i]];
        sort_edges(node, order);
        for (uint8_t e = 0; e < node->edge_count; e++) {
            uint8_t child = node->edges[order[e]].child;
            if (above[child] != MIX_NONE)
                continue;
            above[child] = queue[i];
            queue[count++] = child;
        }
    }
}

static bool is_above(
    const uint8_t above[MIX_NODES], uint8_t node, uint8_t below)
{
    while (below != node && below && above[below] != MIX_NONE)
        below = above[below];
    return below == node;
}

bool mix_leads_back(const struct mix_shape *shape, uint8_t from, uint8_t to)
{
    uint8_t above[MIX_NODES];
    find_tree(shape, above);
    return is_above(above, to, from);
}

mix_set mix_reach_down(const struct mix_shape *shape, mix_set from)
{
    uint8_t above[MIX_NODES];
    mix_set found = from, todo = from;
    find_tree(shape, above);
    while (todo) {
        uint8_t n = (uint8_t)__builtin_ctzll(todo);
        todo &= todo - 1;
        for (uint8_t e = 0; e < shape->nodes[n].edge_count; e++) {
            uint8_t to = shape->nodes[n].edges[e].child;
            mix_set child = is_above(above, to, n) ? 0 : mix_one(to);
            todo |= child & ~found;
            found |= child;
        }
    }
    return found;
}

void mix_paths(const struct mix_shape *shape, struct mix_paths *paths)
{
    uint8_t queue[MIX_NODES] = { 0 }, order[MIX_EDGES];
    uint8_t count = 1;
    mix_set seen = 1;
    memset(paths, 0, sizeof *paths);
    for (uint8_t i = 0; i < count; i++) {
        const struct mix_node *node = &shape->nodes[queue[i]];
        sort_edges(node, order);
        for (uint8_t e = 0; e < node->edge_count; e++) {
            struct mix_edge edge = node->edges[order[e]];
            if (mix_has(seen, edge.child))
                continue;
            seen |= mix_one(edge.child);
            strcpy(paths->of[edge.child], paths->of[queue[i]]);
            add_name(paths->of[edge.child], edge.name);
            queue[count++] = edge.child;
        }
    }
    for (uint8_t i = 0; i < shape->slot_count; i++) {
        const struct mix_slot *s = &shape->slots[i];
        char path[MIX_PATH];
        const char *owner = paths->of[s->owner];
        snprintf(path, sizeof path, "%.200s%s%s(%.200s)", owner,
            *owner ? "/" : "", mix_name(s->name), paths->of[s->variable]);
        if (!mix_has(seen, s->node))
            strcpy(paths->of[s->node], path);
    }
}
