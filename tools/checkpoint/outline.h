/* outline.h - the saved graph as a tree: each node once, below the parent that
 * a breadth-first walk comes from, as its path in the file says. All other
 * edges are aliases.
 *
 * It may be folded. What Keras saves besides the values is left out then:
 * objects with no value below them (signatures, functions), and further names
 * that say less than those that are shown: a second name at the same parent
 * ("layer_with_weights-0"), and numbers ("variables/3"). A variable with a name
 * and a number stands where it has the name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_OUTLINE_H
#define TOOL_OUTLINE_H

#include <varve/reader.h>

#include "pattern.h"

/* Orders of values; 0: that of their paths. */
enum { SORT_PATH = 1, SORT_BYTES, SORT_OFFSET };

/* What of the graph is shown. */
struct view {
    struct pattern_list patterns;
    uint64_t depth; /* levels below the root; UINT64_MAX: all */
    uint64_t limit; /* rows; UINT64_MAX: all */
    unsigned sort;
    bool slots;  /* each slot variable in the tree */
    bool values; /* only what has a value or leads to one */
    bool all;    /* nothing is folded away */
};

/* Everything. */
extern const struct view view_of_all;

#define OUTLINE_NONE UINT32_MAX

struct outline_node {
    uint32_t parent; /* OUTLINE_NONE: the root, or a node not reached */
    uint32_t branch; /* which branch of the parent leads here */
    uint32_t depth;  /* 0 at the root */
    uint32_t below;  /* how many nodes of the tree are shown below it */
    uint64_t bytes;  /* of its value and those below it */
    bool reached;
    bool is_slot; /* a slot leads to it */
    bool by_slot; /* only slots do */
    bool shown;   /* it, or something below it, is selected */
    bool valued;  /* it, or something below it, has a value */
};

struct outline {
    varve_reader *reader;
    const struct view *view;
    uint32_t root;
    size_t count;    /* nodes in the file */
    size_t reached;  /* nodes in `order` */
    uint32_t *order; /* parents first, slot variables last */
    bool folds;
    size_t folded_nodes;        /* objects without values that are not shown */
    size_t folded_names;        /* further names that are not */
    struct outline_node *nodes; /* by id */
};

/* A branch of a node: an edge, or behind those a slot. */
struct branch {
    uint32_t node;
    uint32_t variable; /* of a slot, else OUTLINE_NONE */
    const char *name;
    bool is_alias; /* the node's place in the tree is another */
};

/* False without memory. The view stays the caller's, as long as the outline. */
bool outline_make(struct outline *outline, varve_reader *reader, uint32_t root,
    const struct view *view);

/* The same, folded where it is of a checkpoint of TensorFlow and the view does
 * not ask for all. */
bool outline_make_folded(struct outline *outline, varve_reader *reader,
    uint32_t root, const struct view *view);

void outline_clear(struct outline *outline);

/* Whether a node is shown: reached, selected, and not too deep. */
bool outline_has(const struct outline *outline, uint32_t node);

/* Whether a branch of a node is selected: of an alias, whether the path by
 * which it leads there is. */
bool outline_shows(
    const struct outline *outline, uint32_t node, const struct branch *branch);

/* False past the end. */
bool outline_branch(const struct outline *outline, uint32_t node, size_t index,
    struct branch *branch);

/* The path of a node in this tree, allocated; NULL without memory. */
char *outline_path(const struct outline *outline, uint32_t node);

enum { FOLD_NOTE_SIZE = 128 };

/* "12 objects without values and 3 further names are folded; --all shows them";
 * empty where nothing is. Returns `text`. */
const char *outline_fold_note(
    const struct outline *outline, char text[FOLD_NOTE_SIZE]);

varve_saved_node outline_saved(const struct outline *outline, uint32_t node);

/* Of a slot variable's path, "<slot>(<variable>)". */
const char *slot_label(const char *path);

/* "variable", "list" and so on. */
const char *kind_name(varve_kind kind);

/* A name as it stands in a path, allocated; NULL without memory. */
char *escaped_name(const char *name);

/* The same for people: of a name of more than 255 bytes its beginning. */
char *shown_name(const char *name);

#endif
