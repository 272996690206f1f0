/* hint.c - Finds similar names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit_distance.h"
#include "outline.h"

enum { LONGEST = 64, MOST_NAMES = 8, MOST_LOOKED_AT = 100000 };

/* Finds the longest existing part of the path. Sets *node to its node, and
 * returns the rest. */
static const char *follow(
    const varve_reader *reader, char *path, varve_saved_node *node)
{
    const char *rest = path;
    varve_reader_node_at(reader, 0, node);
    for (char *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
        varve_saved_node found;
        *end = '\0';
        bool there = varve_reader_find(reader, path, &found);
        *end = '/';
        if (!there)
            break;
        *node = found;
        rest = end + 1;
    }
    return rest;
}

/* Returns the edge whose name is nearest to the next name of the path, or
 * NULL. */
static const char *nearest_edge(
    const varve_reader *reader, const varve_saved_node *node, const char *rest)
{
    char wanted[LONGEST + 1];
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(rest, "/"), rest);
    size_t best = strlen(wanted) / 3 + 1;
    const char *nearest = NULL;
    const char *name;
    uint32_t child;
    for (size_t i = 0; i < MOST_LOOKED_AT &&
                       varve_reader_edge_at(reader, node->id, i, &name, &child);
         i++) {
        size_t distance = edit_distance(wanted, name, best);
        if (distance > best || (distance == best && nearest))
            continue;
        best = distance;
        nearest = name;
    }
    return nearest;
}

static void list_names(
    FILE *to, const varve_reader *reader, const varve_saved_node *node)
{
    const char *name;
    uint32_t child;
    fprintf(to, "'%s' has ", *node->path ? node->path : "/");
    for (size_t i = 0; i < MOST_NAMES &&
                       varve_reader_edge_at(reader, node->id, i, &name, &child);
         i++) {
        char *escaped = escaped_name(name);
        fprintf(to, "%s%s", i ? ", " : "", escaped ? escaped : "?");
        free(escaped);
    }
    if (node->edge_count > MOST_NAMES)
        fprintf(to, " and %zu more", node->edge_count - MOST_NAMES);
    if (node->edge_count == 0)
        fputs("nothing below it", to);
}

/* Suggests only existing paths: keeps the rest of the path if that exists. */
static void name_nearest(FILE *to, const varve_reader *reader,
    const char *parent, const char *name, const char *rest)
{
    char *escaped = escaped_name(name);
    char *path = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&path, &size);
    if (escaped && text) {
        fprintf(text, "%s%s%s", parent, *parent ? "/" : "", escaped);
        fflush(text);
        size_t known = size;
        fputs(rest + strcspn(rest, "/"), text);
        fflush(text);
        varve_saved_node found;
        if (path && !varve_reader_find(reader, path, &found))
            path[known] = '\0';
        fprintf(to, "did you mean '%s'?", path ? path : "");
    }
    if (text)
        fclose(text);
    free(path);
    free(escaped);
}

/* Returns the only path that ends in the last name of `path`, or NULL. */
static const char *only_path_with_name(
    const varve_reader *reader, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t size = strlen(name);
    size_t count = varve_reader_node_count(reader);
    const char *found = NULL;
    varve_saved_node node;
    if (size == 0 || count > MOST_LOOKED_AT)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (!varve_reader_node_at(reader, i, &node))
            continue;
        size_t length = strlen(node.path);
        if (length <= size || node.path[length - size - 1] != '/' ||
            strcmp(node.path + length - size, name) != 0)
            continue;
        if (found)
            return NULL;
        found = node.path;
    }
    return found;
}

char *nearest_hint(const varve_reader *reader, const char *path)
{
    char *hint = NULL;
    size_t size = 0;
    varve_saved_node node;
    char *copy = malloc(strlen(path) + 1);
    FILE *to = open_memstream(&hint, &size);
    if (copy && to) {
        strcpy(copy, path);
        const char *rest = follow(reader, copy, &node);
        const char *nearest = nearest_edge(reader, &node, rest);
        const char *only = nearest ? NULL : only_path_with_name(reader, path);
        if (only)
            fprintf(to, "did you mean '%s'?", only);
        else if (nearest)
            name_nearest(to, reader, node.path, nearest, rest);
        else
            list_names(to, reader, &node);
    }
    if (to)
        fclose(to);
    free(copy);
    return hint;
}
