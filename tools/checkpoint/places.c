/* places.c - Determines the place of each node in the tree.
 *
 * SPDX-License-Identifier: MIT
 */
#include "places.h"

#include <string.h>

bool place_is_number(const char *name)
{
    return *name && name[strspn(name, "0123456789")] == '\0';
}

static void reach(
    struct outline *outline, uint32_t parent, size_t index, uint32_t child)
{
    struct outline_node *node = &outline->nodes[child];
    if (node->reached)
        return;
    node->reached = true;
    node->parent = parent;
    node->branch = (uint32_t)index;
    uint32_t depth = outline->nodes[parent].depth;
    node->depth = (depth + (depth < OUTLINE_DEEPEST)) & OUTLINE_DEEPEST;
    outline->order[outline->reached++] = child;
}

/* Returns true if this edge gives a node only a number as its name. */
static bool is_weak(
    const struct outline *outline, const char *name, uint32_t child)
{
    return outline->folds && place_is_number(name) &&
           outline_saved(outline, child).kind == VARVE_VARIABLE;
}

/* Prefers a public name if a node has two names at the same parent. */
static void prefer_public(
    struct outline *outline, uint32_t node, size_t index, uint32_t child)
{
    const char *name = "";
    const char *other = "";
    uint32_t same;
    struct outline_node *place = &outline->nodes[child];
    if (!outline->folds || place->parent != node)
        return;
    varve_reader_edge_at(outline->reader, node, index, &name, &same);
    varve_reader_edge_at(outline->reader, node, place->branch, &other, &same);
    if (*other == '_' && *name != '_')
        place->branch = (uint32_t)index;
}

/* Follows the edges with proper names. */
static void follow_names(struct outline *outline, size_t begin)
{
    const char *name;
    uint32_t child;
    for (size_t i = begin; i < outline->reached; i++) {
        uint32_t node = outline->order[i];
        for (size_t j = 0;
             varve_reader_edge_at(outline->reader, node, j, &name, &child);
             j++) {
            if (is_weak(outline, name, child))
                continue;
            reach(outline, node, j, child);
            prefer_public(outline, node, j, child);
        }
    }
}

/* Places a variable that only has numbers as names in the shortest of its
 * lists: an optimizer has one list for each slot name, and one of all
 * variables. */
static void choose_list(
    struct outline *outline, uint32_t node, size_t index, uint32_t child)
{
    struct outline_node *place = &outline->nodes[child];
    if (place->reached ||
        (place->parent != OUTLINE_NONE &&
            outline_saved(outline, place->parent).edge_count <=
                outline_saved(outline, node).edge_count))
        return;
    place->parent = node;
    place->branch = (uint32_t)index;
}

static void follow_chosen(
    struct outline *outline, uint32_t node, size_t index, uint32_t child)
{
    const struct outline_node *place = &outline->nodes[child];
    if (place->parent == node && place->branch == index)
        reach(outline, node, index, child);
}

/* Calls a function for each edge that gives a variable of some nodes only a
 * number. */
static void each_number(struct outline *outline, size_t begin, size_t end,
    void (*what)(struct outline *, uint32_t, size_t, uint32_t))
{
    const char *name;
    uint32_t child;
    for (size_t i = begin; i < end; i++) {
        uint32_t node = outline->order[i];
        for (size_t j = 0;
             varve_reader_edge_at(outline->reader, node, j, &name, &child);
             j++) {
            if (is_weak(outline, name, child))
                what(outline, node, j, child);
        }
    }
}

static void walk_edges(struct outline *outline)
{
    size_t begin = 0;
    outline->nodes[outline->root].reached = true;
    outline->order[outline->reached++] = outline->root;
    while (begin < outline->reached) {
        follow_names(outline, begin);
        size_t end = outline->reached;
        if (outline->folds) {
            each_number(outline, begin, end, choose_list);
            each_number(outline, begin, end, follow_chosen);
        }
        begin = end;
    }
}

static void walk_slots(struct outline *outline)
{
    const char *name;
    uint32_t variable;
    uint32_t slot;
    size_t count = outline->reached;
    for (size_t i = 0; i < count; i++) {
        uint32_t node = outline->order[i];
        varve_saved_node saved = outline_saved(outline, node);
        for (size_t j = 0; j < saved.slot_count; j++) {
            if (!varve_reader_slot_at(
                    outline->reader, node, j, &name, &variable, &slot))
                break;
            outline->nodes[slot].is_slot = true;
            outline->nodes[slot].by_slot |= !outline->nodes[slot].reached;
            reach(outline, node, saved.edge_count + j, slot);
        }
    }
}

void places_find(struct outline *outline)
{
    walk_edges(outline);
    walk_slots(outline);
}
