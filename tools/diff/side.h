/* side.h - One of the two checkpoints in a comparison: all its paths, in the
 * order of the printed tree, with the names according to --rename.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SIDE_H
#define TOOL_SIDE_H

#include "outline.h"
#include "renames.h"
#include "target.h"

#define ENTRY_NONE ((size_t)-1)

/* A path: an edge or a slot of a node, appended to the path of that node. */
struct entry {
    uint64_t key[2]; /* hash of the path; equal paths have equal keys */
    const char *name;
    char *renamed;     /* the whole path, if a rename changed it */
    size_t parent;     /* ENTRY_NONE for the root */
    size_t partner;    /* the same path on the other side; or ENTRY_NONE */
    uint32_t node;     /* node at this path */
    uint32_t other;    /* node of the other side; or OUTLINE_NONE */
    uint32_t variable; /* for a slot; otherwise OUTLINE_NONE */
    bool is_alias;     /* the node has another path in the tree */
};

struct side {
    struct target target;
    struct outline outline;
    struct entry *entries; /* the first is the root */
    size_t count, capacity;
    size_t *places; /* by node: its entry that is not an alias */
    bool has_aliases;
};

/* Opens a checkpoint and lists its paths. If the result is not OUTCOME_DONE, an
 * error was printed. Call side_clear in any case. */
int side_open(
    const struct settings *settings, const char *argument, struct side *side);
void side_clear(struct side *side);

/* Applies the renames, and computes the key of every entry. */
void side_name(struct side *side, struct renames *renames);

/* Return the path of an entry: side_path the one used for the comparison,
 * side_own_path the one in its file. Both are relative to the root of the
 * comparison, and allocated. A path longer than 4095 bytes becomes "..." and
 * its end. */
char *side_path(const struct side *side, size_t entry);
char *side_own_path(const struct side *side, size_t entry);

/* Returns the node that an entry leads to. */
varve_saved_node side_saved(const struct side *side, uint32_t node);

#endif
