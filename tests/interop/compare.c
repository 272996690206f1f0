/* compare.c - Compares the lines of one file with a reader, then checks that
 * the reader has nothing else.
 *
 * SPDX-License-Identifier: MIT
 */
#include "compare.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/sha256.h"

static void differ(struct comparison *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s: ", c->path);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    c->differences++;
}

/* --- Values --------------------------------------------------------------- */

static void compare_digest(struct comparison *c, const varve_saved_node *node,
    const char *expected)
{
    varve_error error;
    char text[SHA256_TEXT_SIZE];
    unsigned char *bytes = malloc((size_t)node->size + 1);
    if (!bytes)
        differ(c, "%s: no memory", node->path);
    else if (varve_reader_read(
                 c->reader, node->id, bytes, (size_t)node->size, &error))
        differ(c, "%s: %s", node->path, error.message);
    else if (strcmp(sha256_text(bytes, (size_t)node->size, text), expected))
        differ(c, "%s: expected the bytes of %s, found %s", node->path,
            expected, text);
    free(bytes);
}

/* Compares type or tag, and digest, which are the last fields of a line. A
 * single string may be a state, which contains only the bytes of the string. */
static void compare_value(struct comparison *c, const varve_saved_node *node,
    const struct lines *lines, size_t at)
{
    bool is_opaque = strncmp(lines->fields[0], "opaque", 6) == 0;
    char text[VARVE_TENSOR_TEXT_SIZE];
    c->values++;
    if (!node->has_value) {
        differ(c, "%s: expected a value, found none", node->path);
        return;
    }
    if (node->kind == VARVE_STATE && !is_opaque && !lines->is_absent[at + 2]) {
        compare_digest(c, node, lines->fields[at + 2]);
        return;
    }
    if (is_opaque) {
        const char *tag = varve_reader_tag_at(c->reader, node->id, 0);
        if (node->kind != VARVE_STATE || !tag || strcmp(tag, lines->fields[at]))
            differ(c, "%s: expected a state with the tag %s, found %s",
                node->path, lines->fields[at], tag ? tag : "none");
    } else if (node->kind != VARVE_VARIABLE
        || strcmp(varve_tensor_text(&node->value, text), lines->fields[at])) {
        differ(c, "%s: expected %s, found %s", node->path, lines->fields[at],
            node->kind == VARVE_VARIABLE ? text : "no variable");
    }
    if (!lines->is_absent[at + 1])
        compare_digest(c, node, lines->fields[at + 1]);
}

/* --- Without a graph ------------------------------------------------------ */

/* Returns true if the unescaped path equals the name. */
static bool path_is(const char *path, const char *name)
{
    for (; *path && *name; path++, name++) {
        char digits[3] = { path[1], path[1] ? path[2] : '\0', '\0' };
        bool is_escape = *path == '%';
        char byte = is_escape ? (char)strtoul(digits, NULL, 16) : *path;
        if (byte != *name)
            return false;
        path += is_escape ? 2 : 0;
    }
    return *path == *name;
}

/* Finds the value with that name; without a name, the only value. Returns false
 * if there is none. */
static bool find_named(const struct comparison *c, const struct lines *lines,
    varve_saved_node *node)
{
    for (size_t i = 1; varve_reader_node_at(c->reader, i, node); i++) {
        if (!node->has_value)
            continue;
        if (lines->is_absent[1] || path_is(node->path, lines->fields[1])
            || (node->global_name
                && strcmp(node->global_name, lines->fields[1]) == 0))
            return true;
    }
    return false;
}

static void compare_named(struct comparison *c, const struct lines *lines)
{
    varve_saved_node node;
    if (find_named(c, lines, &node))
        compare_value(c, &node, lines, 2);
    else
        differ(c, "%s: is missing", lines->fields[1]);
}

/* --- Graphs --------------------------------------------------------------- */

static struct counterpart *counterpart(struct comparison *c, size_t number)
{
    while (number >= c->node_capacity) {
        size_t capacity = c->node_capacity ? 2 * c->node_capacity : 64;
        struct counterpart *nodes =
            realloc(c->nodes, capacity * sizeof *nodes);
        if (!nodes)
            abort();
        memset(nodes + c->node_capacity, 0,
            (capacity - c->node_capacity) * sizeof *nodes);
        c->nodes = nodes;
        c->node_capacity = capacity;
    }
    if (number >= c->node_count)
        c->node_count = number + 1;
    return c->nodes + number;
}

/* Maps a node number of the lines to a node of the reader, and reports a
 * difference if it was mapped to another one. */
static void meet(struct comparison *c, const struct lines *lines,
    size_t number, size_t id)
{
    struct counterpart *found = counterpart(c, number);
    if (!found->is_known) {
        found->is_known = true;
        found->id = id;
    } else if (found->id != id) {
        differ(c, "%s %s %s %s: expected node %zu, found node %zu",
            lines->fields[0], lines->fields[1], lines->fields[2],
            lines->fields[3], found->id, id);
    }
}

static bool find_edge(
    const struct comparison *c, size_t id, const char *name, uint32_t *child)
{
    const char *found;
    for (size_t i = 0; varve_reader_edge_at(c->reader, id, i, &found, child);
         i++)
        if (strcmp(found, name) == 0)
            return true;
    return false;
}

static void compare_edge(struct comparison *c, const struct lines *lines)
{
    struct counterpart *parent = counterpart(c, line_number(lines, 1));
    uint32_t child = 0;
    parent->edges++;
    if (!parent->is_known
        || !find_edge(c, parent->id, lines->fields[2], &child))
        differ(c, "node %s: expected an edge \"%s\", found none",
            lines->fields[1], lines->fields[2]);
    else
        meet(c, lines, line_number(lines, 3), child);
}

/* Compares an attribute with the value of the node, or of a child with its
 * name. */
static void compare_attribute(struct comparison *c, const struct lines *lines)
{
    struct counterpart *found = counterpart(c, line_number(lines, 1));
    varve_saved_node node;
    uint32_t child;
    if (!found->is_known ||
        !varve_reader_node_at(c->reader, found->id, &node)) {
        differ(c, "node %s: is missing", lines->fields[1]);
        return;
    }
    if (!node.has_value) {
        if (!find_edge(c, found->id, lines->fields[2], &child)
            || !varve_reader_node_at(c->reader, child, &node)) {
            differ(c, "%s: expected an attribute \"%s\", found none",
                node.path, lines->fields[2]);
            return;
        }
        found->extra++;
    }
    compare_value(c, &node, lines, 3);
}

static void compare_slot(struct comparison *c, const struct lines *lines)
{
    size_t of = counterpart(c, line_number(lines, 3))->id;
    struct counterpart *owner = counterpart(c, line_number(lines, 1));
    const char *name;
    uint32_t variable, slot;
    owner->slots++;
    for (size_t i = 0; owner->is_known && varve_reader_slot_at(
             c->reader, owner->id, i, &name, &variable, &slot); i++) {
        if (variable == of && strcmp(name, lines->fields[2]) == 0) {
            meet(c, lines, line_number(lines, 4), slot);
            return;
        }
    }
    differ(c, "node %s: expected a slot \"%s\" of node %s, found none",
        lines->fields[1], lines->fields[2], lines->fields[3]);
}

/* --- The rest ------------------------------------------------------------- */

static void compare_text(struct comparison *c, const struct lines *lines)
{
    const varve_metadata *m;
    for (size_t i = 0; (m = varve_reader_metadata_at(c->reader, i)); i++) {
        if (strcmp(m->name, lines->fields[1]))
            continue;
        if (m->kind != VARVE_METADATA_STRING
            || strcmp(m->string, lines->fields[2]))
            differ(c, "metadata \"%s\": different text", m->name);
        return;
    }
    differ(c, "metadata \"%s\": is missing", lines->fields[1]);
}

static void compare_counter(struct comparison *c, const struct lines *lines)
{
    uint64_t found = varve_reader_counter(c->reader);
    if (found != line_number(lines, 1))
        differ(c, "save counter: expected %s, found %" PRIu64,
            lines->fields[1], found);
}

static size_t count_values(const struct comparison *c)
{
    size_t count = 0;
    varve_saved_node node;
    for (size_t i = 0; varve_reader_node_at(c->reader, i, &node); i++)
        count += node.has_value;
    return count;
}

/* Returns true if both elements have the same position in two lists. */
static bool are_together(const struct comparison *c, uint32_t list,
    uint32_t element, uint32_t other_list, uint32_t other)
{
    const char *name;
    uint32_t child, found;
    for (size_t i = 0;
         varve_reader_edge_at(c->reader, list, i, &name, &child); i++)
        if (child == element && find_edge(c, other_list, name, &found)
            && found == other)
            return true;
    return false;
}

/* Counts slots that are not in the lines: Keras 3 moments, matched by
 * position. */
static size_t count_moments(const struct comparison *c, uint32_t owner)
{
    size_t count = 0;
    const char *name;
    uint32_t variable, slot, list, trained;
    for (size_t i = 0; varve_reader_slot_at(
             c->reader, owner, i, &name, &variable, &slot); i++)
        count += find_edge(c, owner, name, &list)
            && find_edge(c, owner, "_trainable_variables", &trained)
            && are_together(c, list, slot, trained, variable);
    return count;
}

/* Checks that a node has no other edges and slots than those in the lines, and
 * is not also another node. */
static void compare_node(struct comparison *c, size_t number)
{
    const struct counterpart *found = c->nodes + number;
    varve_saved_node node;
    if (!found->is_known ||
        !varve_reader_node_at(c->reader, found->id, &node))
        return;
    if (node.edge_count != found->edges + found->extra)
        differ(c, "%s: expected %zu edges, found %zu", node.path,
            found->edges + found->extra, node.edge_count);
    if (node.slot_count != found->slots &&
        node.slot_count != count_moments(c, (uint32_t)found->id))
        differ(c, "%s: expected %zu slots, found %zu", node.path,
            found->slots, node.slot_count);
    for (size_t i = 0; i < number; i++)
        if (c->nodes[i].is_known && c->nodes[i].id == found->id)
            differ(c, "%s: is node %zu and node %zu", node.path, i, number);
}

static void compare_end(struct comparison *c)
{
    size_t values = count_values(c);
    if (values != c->values)
        differ(c, "expected %zu values, found %zu", c->values, values);
    for (size_t i = 0; i < c->node_count; i++)
        compare_node(c, i);
}

static void compare_line(struct comparison *c, const struct lines *lines)
{
    if (line_is(lines, "value") || line_is(lines, "opaque"))
        compare_named(c, lines);
    else if (line_is(lines, "edge"))
        compare_edge(c, lines);
    else if (line_is(lines, "attribute") || line_is(lines, "opaque_attribute"))
        compare_attribute(c, lines);
    else if (line_is(lines, "slot"))
        compare_slot(c, lines);
    else if (line_is(lines, "text"))
        compare_text(c, lines);
    else if (line_is(lines, "counter"))
        compare_counter(c, lines);
    else
        differ(c, "line %zu: unknown word \"%s\"", lines->number,
            lines->fields[0]);
}

size_t compare_checkpoint(
    varve_reader *reader, const char *path, struct lines *lines)
{
    struct comparison c = { .reader = reader, .path = path };
    varve_error error;
    bool is_graph = false;
    counterpart(&c, 0)->is_known = true;
    for (; !line_is(lines, "end"); lines_next(lines)) {
        is_graph |= line_is(lines, "edge");
        compare_line(&c, lines);
    }
    if (!is_graph)
        c.node_count = 0; /* Varve adds the objects in between */
    compare_end(&c);
    if (varve_reader_verify(reader, NULL, &error))
        differ(&c, "%s", error.message);
    free(c.nodes);
    return c.differences;
}
