/* side.h - one of the two checkpoints that are compared: every path in it, in
 * the order of the printed tree, under the names that --rename gives.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SIDE_H
#define TOOL_SIDE_H

#include "outline.h"
#include "renames.h"
#include "target.h"

#define ENTRY_NONE ((size_t)-1)

/* A path: an edge or a slot of a node, behind the path of that node. */
struct entry {
    uint64_t key[2]; /* a sum of the path; equal paths have the same */
    const char *name;
    char *renamed;     /* the whole path, where a rename gave it */
    size_t parent;     /* ENTRY_NONE: the root */
    size_t partner;    /* the same path of the other side; ENTRY_NONE: none */
    uint32_t node;     /* where it leads */
    uint32_t other;    /* the node of the other side; OUTLINE_NONE: none */
    uint32_t variable; /* of a slot, else OUTLINE_NONE */
    bool is_alias;     /* the node has another path in the tree */
};

struct side {
    struct target target;
    struct outline outline;
    struct entry *entries; /* the first is the root */
    size_t count, capacity;
    size_t *places; /* by node: its entry that is no alias */
    bool has_aliases;
};

/* Opens a checkpoint and lists its paths; an outcome other than OUTCOME_DONE
 * has been complained of. side_clear in any case. */
int side_open(
    const struct settings *settings, const char *argument, struct side *side);
void side_clear(struct side *side);

/* Gives its paths their new names, and every entry its key. */
void side_name(struct side *side, struct renames *renames);

/* The path of an entry by which it is compared, and the one in its file, both
 * below the root of the comparison; allocated. One longer than 4095 bytes is
 * "..." and its end. */
char *side_path(const struct side *side, size_t entry);
char *side_own_path(const struct side *side, size_t entry);

/* The node that an entry leads to. */
varve_saved_node side_saved(const struct side *side, uint32_t node);

#endif
