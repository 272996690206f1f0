/* tree_walk.h - Iterates over the rows of a printed tree, top to bottom.
 *
 *     tree_walk_begin(&walk, outline, depth, slots);
 *     while (tree_walk_next(&walk, &row)) ...
 *     tree_walk_end(&walk);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_TREE_WALK_H
#define TOOL_TREE_WALK_H

#include "outline.h"

enum row_kind {
    ROW_NODE,
    ROW_ALIAS, /* an edge to a node at another place in the tree */
    ROW_SLOTS  /* all slots of a node in one row */
};

struct row {
    enum row_kind kind;
    struct branch branch; /* for ROW_SLOTS only `node` is set: the owner */
    size_t depth;         /* 0: the root */
    bool is_cut;          /* nodes below it are not shown */
};

struct tree_level {
    uint32_t node;
    uint32_t *order; /* sorted branches; NULL: not sorted */
    size_t ordered;  /* number of elements of `order` */
    size_t next;     /* index of the next branch */
    bool has_waiting;
    struct row waiting;
};

struct tree_walk {
    const struct outline *outline;
    uint64_t depth; /* number of levels below the root to show */
    bool each_slot;
    bool begun;
    bool failed; /* out of memory; the walk ends early */
    struct tree_level *levels;
    size_t level_count;
    size_t level_room;
};

void tree_walk_begin(struct tree_walk *walk, const struct outline *outline,
    uint64_t depth, bool each_slot);
bool tree_walk_next(struct tree_walk *walk, struct row *row);
void tree_walk_end(struct tree_walk *walk);

/* Returns true if another row follows at `level` (from 1) below the same
 * parent. Determines the lines on the left of a row. */
bool tree_walk_goes_on(const struct tree_walk *walk, size_t level);

#endif
