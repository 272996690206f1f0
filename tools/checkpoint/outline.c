/* outline.c - the tree in the graph, in time and memory O(nodes + edges).
 *
 * SPDX-License-Identifier: MIT
 */
#include "outline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"

enum { MOST_SHOWN = 255 };

const char *kind_name(varve_kind kind)
{
    static const char *const names[] = { "nil", "object", "variable", "list",
        "dict", "state" };
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

const char *slot_label(const char *path)
{
    const char *label = strchr(path, '(');
    if (!label)
        return path;
    while (label > path && label[-1] != '/')
        label--;
    return label;
}

/* The first bytes of a name, and what comes behind them. */
static char *escape(const char *name, size_t size, const char *behind)
{
    char *escaped = malloc(3 * size + strlen(behind) + 1);
    if (!escaped)
        return NULL;
    char *to = escaped;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)name[i];
        if (byte < 0x20 || byte == 0x7f || strchr("/%*|()", byte))
            to += sprintf(to, "%%%02X", byte);
        else
            *to++ = (char)byte;
    }
    strcpy(to, behind);
    return escaped;
}

char *escaped_name(const char *name)
{
    return escape(name, strlen(name), "");
}

char *shown_name(const char *name)
{
    size_t size = strlen(name);
    if (size <= MOST_SHOWN)
        return escape(name, size, "");
    for (size = MOST_SHOWN; ((unsigned char)name[size] & 0xc0) == 0x80;)
        size--;
    return escape(name, size, "...");
}

varve_saved_node outline_saved(const struct outline *outline, uint32_t node)
{
    varve_saved_node saved = { .id = node, .path = "" };
    varve_reader_node_at(outline->reader, node, &saved);
    return saved;
}

bool outline_branch(const struct outline *outline, uint32_t node, size_t index,
    struct branch *branch)
{
    const varve_reader *reader = outline->reader;
    branch->variable = OUTLINE_NONE;
    if (!varve_reader_edge_at(
            reader, node, index, &branch->name, &branch->node)) {
        size_t edges = outline_saved(outline, node).edge_count;
        if (!varve_reader_slot_at(reader, node, index - edges, &branch->name,
                &branch->variable, &branch->node))
            return false;
    }
    const struct outline_node *child = &outline->nodes[branch->node];
    branch->is_alias = child->parent != node || child->branch != index;
    return true;
}

bool outline_has(const struct outline *outline, uint32_t node)
{
    const struct outline_node *place = &outline->nodes[node];
    return place->reached && place->shown && place->depth <= outline->depth;
}

bool outline_shows(
    const struct outline *outline, uint32_t node, const struct branch *branch)
{
    const struct outline_node *nodes = outline->nodes;
    if (!branch->is_alias || !nodes[node].shown || !nodes[branch->node].shown)
        return nodes[node].shown && nodes[branch->node].shown;
    if (outline->patterns->count == 0 || branch->variable != OUTLINE_NONE)
        return true;
    const char *parent = outline_saved(outline, node).path;
    char *name = escaped_name(branch->name);
    size_t size = name ? strlen(parent) + strlen(name) + 2 : 0;
    char *path = name ? malloc(size) : NULL;
    if (path)
        snprintf(path, size, "%s%s%s", parent, *parent ? "/" : "", name);
    bool shows = !path || pattern_selects(outline->patterns, path);
    free(path);
    free(name);
    return shows;
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
    node->depth = outline->nodes[parent].depth + 1;
    outline->order[outline->reached++] = child;
}

static void walk_edges(struct outline *outline)
{
    const char *name;
    uint32_t child;
    outline->nodes[outline->root].reached = true;
    outline->order[outline->reached++] = outline->root;
    for (size_t i = 0; i < outline->reached; i++) {
        uint32_t node = outline->order[i];
        for (size_t j = 0;
             varve_reader_edge_at(outline->reader, node, j, &name, &child); j++)
            reach(outline, node, j, child);
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
            outline->nodes[slot].by_slot |= !outline->nodes[slot].reached;
            reach(outline, node, saved.edge_count + j, slot);
        }
    }
}

/* Leaves come last in `order`, so that backwards everything below a node is
 * done before it. */
static void sum_up(struct outline *outline, bool values_only)
{
    for (size_t i = outline->reached; i-- > 0;) {
        uint32_t id = outline->order[i];
        struct outline_node *node = &outline->nodes[id];
        varve_saved_node saved = outline_saved(outline, id);
        node->bytes += saved.has_value ? saved.size : 0;
        node->valued |= saved.value.dtype != 0;
        node->shown |= pattern_selects(outline->patterns, saved.path);
        node->shown &= node->valued || !values_only;
        if (node->parent == OUTLINE_NONE)
            continue;
        struct outline_node *parent = &outline->nodes[node->parent];
        parent->bytes += node->bytes;
        parent->below += node->shown ? node->below + 1 : 0;
        parent->shown |= node->shown;
        parent->valued |= node->valued;
    }
}

bool outline_make(struct outline *outline, varve_reader *reader, uint32_t root,
    const struct settings *settings)
{
    size_t count = varve_reader_node_count(reader);
    *outline = (struct outline){ .reader = reader,
        .patterns = &settings->patterns,
        .depth = settings->depth,
        .root = root,
        .count = count };
    outline->order = calloc(count + 1, sizeof *outline->order);
    outline->nodes = calloc(count + 1, sizeof *outline->nodes);
    if (!outline->order || !outline->nodes) {
        outline_clear(outline);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        outline->nodes[i].parent = OUTLINE_NONE;
    walk_edges(outline);
    walk_slots(outline);
    sum_up(outline, settings->values);
    return true;
}

void outline_clear(struct outline *outline)
{
    free(outline->order);
    free(outline->nodes);
}
