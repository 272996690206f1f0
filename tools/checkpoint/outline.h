/* outline.h - The saved graph as a tree: each node once, below the parent from
 * which a breadth-first traversal reaches it, like its path in the file. All
 * other edges are aliases.
 *
 * An outline can be folded. Then it omits what Keras saves besides values:
 * objects without values below them (signatures, functions), and further names
 * with less information than those shown: a second name at the same parent
 * ("layer_with_weights-0"), and numbers ("variables/3"). A variable with a name
 * and a number is shown by name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_OUTLINE_H
#define TOOL_OUTLINE_H

#include <varve/reader.h>

#include "pattern.h"

/* Orders of values; 0: in the order of their paths. */
enum { SORT_PATH = 1, SORT_BYTES, SORT_OFFSET };

/* The part of the graph that is shown. */
struct view {
    struct pattern_list patterns;
    uint64_t depth; /* levels below the root; UINT64_MAX: all */
    uint64_t limit; /* number of rows; UINT64_MAX: all */
    unsigned sort;
    bool slots;  /* show each slot variable in the tree */
    bool values; /* show only nodes with a value or with values below */
    bool all;    /* do not fold */
};

/* Shows everything. */
extern const struct view view_of_all;

#define OUTLINE_NONE UINT32_MAX

/* A file can have millions of nodes, so this is kept small. */
struct outline_node {
    uint32_t parent; /* OUTLINE_NONE: the root, or an unreachable node */
    uint32_t branch; /* number of the branch of the parent that leads here */
    uint32_t depth : 27; /* 0 at the root; at most OUTLINE_DEEPEST */
    bool reached : 1;
    bool is_slot : 1; /* a slot leads to it */
    bool by_slot : 1; /* no edge leads to it */
    bool shown : 1;   /* it, or a node below it, is selected */
    bool valued : 1;  /* it, or a node below it, has a value */
    uint32_t below;   /* number of shown nodes below it */
    uint64_t bytes;   /* sum of its value and those below it */
};

/* Nodes that are deeper have this depth. */
enum { OUTLINE_DEEPEST = (1 << 27) - 1 };

struct outline {
    varve_reader *reader;
    const struct view *view;
    uint32_t root;
    size_t count;    /* number of nodes in the file */
    size_t reached;  /* number of nodes in `order` */
    uint32_t *order; /* parents first, slot variables last */
    bool folds;
    /* number of objects without values that are not shown */
    size_t folded_nodes;
    size_t folded_names;        /* number of further names that are not shown */
    struct outline_node *nodes; /* by node ID */
    struct pattern_matches matches; /* of the patterns of the view */
};

/* A branch of a node: an edge or, after all edges, a slot. */
struct branch {
    uint32_t node;
    uint32_t variable; /* for a slot; otherwise OUTLINE_NONE */
    const char *name;
    bool is_alias; /* the node is at another place in the tree */
};

/* Returns false if there is no memory. The view is borrowed, and must outlive
 * the outline. */
bool outline_make(struct outline *outline, varve_reader *reader, uint32_t root,
    const struct view *view);

/* Like outline_make, folded if the checkpoint is one of TensorFlow and the view
 * does not show all. */
bool outline_make_folded(struct outline *outline, varve_reader *reader,
    uint32_t root, const struct view *view);

void outline_clear(struct outline *outline);

/* Returns true if a node is shown: reachable, selected, and not too deep. */
bool outline_has(const struct outline *outline, uint32_t node);

/* Returns true if a branch of a node is selected. For an alias, the path
 * through this branch decides. */
bool outline_shows(
    const struct outline *outline, uint32_t node, const struct branch *branch);

/* Sets *branch to a branch of a node. Returns false if `index` is too large. */
bool outline_branch(const struct outline *outline, uint32_t node, size_t index,
    struct branch *branch);

/* Returns the path of a node in this tree, allocated; NULL if there is no
 * memory. */
char *outline_path(const struct outline *outline, uint32_t node);

enum { FOLD_NOTE_SIZE = 128 };

/* Writes "12 objects without values and 3 further names are folded; --all shows
 * them", or "" if nothing is folded. Returns `text`. */
const char *outline_fold_note(
    const struct outline *outline, char text[FOLD_NOTE_SIZE]);

varve_saved_node outline_saved(const struct outline *outline, uint32_t node);

/* Returns the part "<slot>(<variable>)" of the path of a slot variable. */
const char *slot_label(const char *path);

/* Returns "variable", "list" and so on. */
const char *kind_name(varve_kind kind);

/* Returns a name as escaped in paths, allocated; NULL if there is no memory. */
char *escaped_name(const char *name);

/* Like escaped_name, for display: of a name of more than 255 bytes only its
 * start. */
char *shown_name(const char *name);

#endif
