/* tree_walk.h - the rows of a printed tree, top to bottom.
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
    ROW_ALIAS, /* an edge to a node that stands elsewhere in the tree */
    ROW_SLOTS  /* all slots of the node, on one row */
};

struct row {
    enum row_kind kind;
    struct branch branch; /* of ROW_SLOTS only node: their owner */
    size_t depth;         /* 0: the root */
    bool is_cut;          /* what is below it is not shown */
};

struct tree_level {
    uint32_t node;
    uint32_t *order; /* its branches; NULL: as they come */
    size_t ordered;  /* how many of them are in it */
    size_t next;     /* the place to look at next */
    bool has_waiting;
    struct row waiting;
};

struct tree_walk {
    const struct outline *outline;
    uint64_t depth; /* levels below the root to show */
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

/* Whether a further row follows at `level` (from 1) below the same parent: what
 * the lines left of a row show. */
bool tree_walk_goes_on(const struct tree_walk *walk, size_t level);

#endif
