/* parts.h - a graph as arrays of its nodes and edges, so that they can be
 * chosen and moved while the graph itself changes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PARTS_H
#define TOOL_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include <varve/graph.h>

#define PART_NONE ((size_t)-1)

/* A node, in the order of a walk: the root first, slot variables last. */
struct part {
    varve_node *node;  /* NULL once it is removed */
    char *path;        /* the shortest from the root, or that is chosen; of a
                          long one "..." and its end */
    const char *place; /* the path that it is to have: `path` or its link's;
                          NULL: it goes along with what is above it */
    size_t above;      /* parent on that path, or owner of a slot; PART_NONE:
                          the root */
    size_t way;        /* the link from it; PART_NONE: none */
    bool is_slot;      /* only slots lead to it */
    bool is_kept;
    bool is_placed;  /* it, or something above it, was renamed, */
    bool is_renamed; /* to another path */
    bool is_opened;  /* a list that is an object now */
    bool lost_some;  /* something below it was moved away */
};

struct link {
    size_t parent;
    size_t child;
    const char *name;
    const char *escaped; /* as it stands in a path */
    const char *path;    /* of the edge: the child's, if it is not an alias */
    char *own_path;      /* of an alias */
    char *place;         /* the path that it is to have; NULL: as before */
    bool is_alias;       /* the child's path is another */
    bool moves;          /* it goes to another place */
    bool is_gone;        /* it does not stay where it is */
};

/* A name, once for all links that have it. */
struct spelling {
    char *name;
    char *escaped;
};

struct parts {
    varve_graph *graph;
    struct part *items;
    size_t count, capacity;
    struct link *links;
    size_t link_count, link_capacity;
    struct spelling *spellings;
    size_t spelling_count, spelling_capacity;
    size_t *by_node; /* places in `items` by address of the node */
};

/* Everything that can be reached from `root`; all of it is kept. */
varve_status parts_make(
    struct parts *parts, varve_node *root, varve_error *error);
void parts_clear(struct parts *parts);

/* Whether a path may be the end of a longer one. */
bool path_is_end(const char *path);

/* The path of a link, all of it, allocated; NULL where it has more than so many
 * names, or than a quarter of a megabyte, which any name fits. */
char *parts_link_path(
    const struct parts *parts, const struct link *link, size_t most_names);

/* Gives a part another of its paths. */
void parts_set_path(struct part *part, const char *path);

/* Makes each part be below the parent that its path says now. */
void parts_follow_paths(struct parts *parts);

/* The place of a node; PART_NONE: it cannot be reached. */
size_t parts_find(const struct parts *parts, const varve_node *node);

/* Whether a node has a value of its own. */
bool part_has_value(const struct part *part);

#endif
