/* parts.h - The nodes and edges of a graph as arrays, so that they can be
 * selected and moved while the graph is modified.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PARTS_H
#define TOOL_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include <varve/graph.h>

#define PART_NONE ((size_t)-1)

/* A node, in the order of a traversal: the root first, slot variables last. */
struct part {
    varve_node *node; /* NULL after it was removed */
    /* its shortest path from the root, or a selected one; a long one is "..."
     * and its end */
    char *path;
    /* its new path: `path` or that of its link; NULL: it is moved together with
     * its parent */
    const char *place;
    /* parent on that path, or owner of a slot; PART_NONE for the root */
    size_t above;
    size_t way;   /* the link from it; PART_NONE: none */
    bool is_slot; /* no edge leads to it */
    bool is_kept;
    bool is_placed;  /* it, or an ancestor, was renamed */
    bool is_renamed; /* to another path */
    bool is_opened;  /* a list that becomes an object */
    bool lost_some;  /* a descendant was moved away */
};

struct link {
    size_t parent;
    size_t child;
    const char *name;
    const char *escaped; /* as escaped in paths */
    /* path of the edge: that of the child, unless it is an alias */
    const char *path;
    char *own_path; /* for an alias */
    char *place;    /* the new path; NULL: unchanged */
    bool is_alias;  /* the child has another path */
    bool moves;     /* it is moved */
    bool is_gone;   /* it is removed from its place */
};

/* A name, shared by all links that have it. */
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
    size_t *by_node; /* indices in `items`, as a hash table by node address */
};

/* Collects all nodes that can be reached from `root`, and marks them as
 * kept. */
varve_status parts_make(
    struct parts *parts, varve_node *root, varve_error *error);
void parts_clear(struct parts *parts);

/* Returns true if a path may be the end of a longer one. */
bool path_is_end(const char *path);

/* Returns the full path of a link, allocated. Returns NULL if it has more than
 * `most_names` names or exceeds a quarter of a megabyte, which is enough for
 * any single name. */
char *parts_link_path(
    const struct parts *parts, const struct link *link, size_t most_names);

/* Sets the path of a part to another of its paths. */
void parts_set_path(struct part *part, const char *path);

/* Sets the parent of each part according to its path. */
void parts_follow_paths(struct parts *parts);

/* Returns the index of a node; PART_NONE if it cannot be reached. */
size_t parts_find(const struct parts *parts, const varve_node *node);

/* Returns true if a node has a value of its own. */
bool part_has_value(const struct part *part);

#endif
