/* outline.c - Makes the tree of a graph in time and memory O(nodes + edges).
 *
 * SPDX-License-Identifier: MIT
 */
#include "outline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "style.h"

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

/* Escapes the first bytes of a name, and appends `behind`. */
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
    size_t shown = text_beginning(name, size, MOST_SHOWN);
    return escape(name, shown, shown < size ? "..." : "");
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
    return place->reached && place->shown &&
           place->depth <= outline->view->depth;
}

/* Returns true if an alias is hidden because its node is shown by a better
 * name. */
static bool is_folded(
    const struct outline *outline, uint32_t node, const struct branch *branch)
{
    return outline->folds && branch->variable == OUTLINE_NONE &&
           (place_is_number(branch->name) ||
               outline->nodes[branch->node].parent == node);
}

/* Returns true if the path of an alias is selected. */
static bool selects_alias(
    const struct outline *outline, uint32_t node, const struct branch *branch)
{
    if (outline->view->patterns.count == 0)
        return true;
    char *parent = outline_path(outline, node);
    char *name = parent ? escaped_name(branch->name) : NULL;
    size_t size = name ? strlen(parent) + strlen(name) + 2 : 0;
    char *path = name ? malloc(size) : NULL;
    if (path)
        snprintf(path, size, "%s%s%s", parent, *parent ? "/" : "", name);
    bool selects =
        !path || pattern_selects(&outline->view->patterns, path, NULL);
    free(path);
    free(name);
    free(parent);
    return selects;
}

bool outline_shows(
    const struct outline *outline, uint32_t node, const struct branch *branch)
{
    const struct outline_node *nodes = outline->nodes;
    if (!nodes[node].shown || !nodes[branch->node].shown)
        return false;
    if (!branch->is_alias)
        return true;
    if (is_folded(outline, node, branch))
        return false;
    return branch->variable != OUTLINE_NONE ||
           selects_alias(outline, node, branch);
}

/* --- Paths in the tree ---------------------------------------------------- */

/* Returns true if the path of a node is made from its place in the tree: in a
 * folded outline, unless it leads through a slot or is very deep. */
static bool has_own_path(const struct outline *outline, uint32_t node)
{
    enum { MOST_LEVELS = 64 };
    size_t levels = 0;
    if (!outline->folds)
        return false;
    for (; outline->nodes[node].parent != OUTLINE_NONE; levels++) {
        if (outline->nodes[node].by_slot || levels == MOST_LEVELS)
            return false;
        node = outline->nodes[node].parent;
    }
    return levels > 0;
}

/* Returns the parent's path, '/' and the name. Frees `path`. */
static char *extend(char *path, const char *name)
{
    char *escaped = path ? escaped_name(name) : NULL;
    size_t size = escaped ? strlen(path) + strlen(escaped) + 2 : 0;
    char *longer = escaped ? malloc(size) : NULL;
    if (longer)
        snprintf(longer, size, "%s%s%s", path, *path ? "/" : "", escaped);
    free(escaped);
    free(path);
    return longer;
}

char *outline_path(const struct outline *outline, uint32_t node)
{
    const char *names[64];
    size_t count = 0;
    struct branch branch;
    if (!has_own_path(outline, node))
        return strdup(outline_saved(outline, node).path);
    for (; outline->nodes[node].parent != OUTLINE_NONE; count++) {
        const struct outline_node *place = &outline->nodes[node];
        outline_branch(outline, place->parent, place->branch, &branch);
        names[count] = branch.name;
        node = place->parent;
    }
    char *path = strdup(outline_saved(outline, node).path);
    while (count > 0)
        path = extend(path, names[--count]);
    return path;
}

const struct view view_of_all = { .depth = UINT64_MAX, .limit = UINT64_MAX };

/* --- Construction --------------------------------------------------------- */

static bool selects(struct outline *outline, uint32_t node)
{
    if (outline->view->patterns.count == 0)
        return true;
    char *path = outline_path(outline, node);
    bool selected = !path || pattern_selects(&outline->view->patterns, path,
                                 &outline->matches);
    free(path);
    return selected;
}

/* Sums sizes and flags upwards. In `order` children follow their parents, so in
 * reverse order everything below a node is processed before it. */
static void sum_up(struct outline *outline, bool values_only)
{
    for (size_t i = outline->reached; i-- > 0;) {
        uint32_t id = outline->order[i];
        struct outline_node *node = &outline->nodes[id];
        varve_saved_node saved = outline_saved(outline, id);
        node->bytes += saved.has_value ? saved.size : 0;
        node->valued |= saved.value.dtype != 0 || saved.slot_count > 0;
        node->shown |= selects(outline, id);
        outline->folded_nodes += outline->folds && node->shown && !node->valued;
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

/* Counts edges from shown nodes to shown nodes. */
static size_t folded_names_of(const struct outline *outline, uint32_t node)
{
    struct branch branch;
    size_t folded = 0;
    size_t edges = outline_saved(outline, node).edge_count;
    for (size_t i = 0; i < edges; i++) {
        if (outline_branch(outline, node, i, &branch) && branch.is_alias &&
            outline->nodes[branch.node].shown &&
            is_folded(outline, node, &branch) &&
            selects_alias(outline, node, &branch))
            folded++;
    }
    return folded;
}

static void count_folded_names(struct outline *outline)
{
    for (size_t i = 0; outline->folds && i < outline->reached; i++) {
        uint32_t node = outline->order[i];
        if (outline_has(outline, node))
            outline->folded_names += folded_names_of(outline, node);
    }
}

const char *outline_fold_note(
    const struct outline *outline, char text[FOLD_NOTE_SIZE])
{
    size_t nodes = outline->folded_nodes;
    size_t names = outline->folded_names;
    char first[FOLD_NOTE_SIZE / 2] = "";
    char second[FOLD_NOTE_SIZE / 2] = "";
    *text = '\0';
    if (nodes)
        snprintf(first, sizeof first, "%zu object%s without values", nodes,
            nodes == 1 ? "" : "s");
    if (names)
        snprintf(second, sizeof second, "%zu further name%s", names,
            names == 1 ? "" : "s");
    if (nodes + names)
        snprintf(text, FOLD_NOTE_SIZE, "%s%s%s %s folded; --all shows %s",
            first, nodes && names ? " and " : "", second,
            nodes + names == 1 ? "is" : "are",
            nodes + names == 1 ? "it" : "them");
    return text;
}

static bool make(struct outline *outline, bool values_only)
{
    size_t count = outline->count;
    outline->order = calloc(count + 1, sizeof *outline->order);
    outline->nodes = calloc(count + 1, sizeof *outline->nodes);
    if (!outline->order || !outline->nodes) {
        outline_clear(outline);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        outline->nodes[i].parent = OUTLINE_NONE;
    places_find(outline);
    sum_up(outline, values_only);
    count_folded_names(outline);
    return true;
}

static void begin(struct outline *outline, varve_reader *reader, uint32_t root,
    const struct view *view)
{
    *outline = (struct outline){ .reader = reader,
        .view = view,
        .root = root,
        .count = varve_reader_node_count(reader) };
}

bool outline_make(struct outline *outline, varve_reader *reader, uint32_t root,
    const struct view *view)
{
    begin(outline, reader, root, view);
    return make(outline, view->values);
}

bool outline_make_folded(struct outline *outline, varve_reader *reader,
    uint32_t root, const struct view *view)
{
    if (varve_reader_format(reader) != VARVE_FORMAT_TENSORFLOW || view->all)
        return outline_make(outline, reader, root, view);
    begin(outline, reader, root, view);
    outline->folds = true;
    if (!make(outline, true))
        return false;
    if (outline->nodes[root].valued)
        return true;
    /* Everything would be folded, although it was requested. */
    outline_clear(outline);
    return outline_make(outline, reader, root, view);
}

void outline_clear(struct outline *outline)
{
    free(outline->order);
    free(outline->nodes);
}
