/* scope.h - Evaluates the patterns of a read, in the program and in the file,
 * along every path (spread.h).
 *
 * The results for the program are updated as it grows. The code that adds to it
 * calls vv_scope_add. The removal of an edge causes a complete evaluation at
 * the next sweep.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SCOPE_H
#define VV_SCOPE_H

#include "graph.h"
#include "saved_graph.h"
#include "selection.h"
#include "spread.h"

/* The options with patterns. */
enum vv_scope {
    VV_ONLY, /* paths of the program */
    VV_EXCEPT,
    VV_RESIZE,
    VV_CAST_ONLY,
    VV_EXPECT_MISSING,
    VV_SAVED_ONLY, /* paths of the file */
    VV_SAVED_EXCEPT,
    VV_EXPECT_UNUSED,
    VV_SCOPES
};

struct vv_scopes {
    /* to read */
    struct vv_spread of[VV_SCOPES];
    /* own */
    const struct vv_selection *selection;
};

/* `selection` must not move and may still be empty. */
void vv_scopes_init(
    struct vv_scopes *scopes, const struct vv_selection *selection);
void vv_scopes_end(struct vv_scopes *scopes);

/* Evaluates the patterns that decide which values are delivered, for the
 * program as it is now. Does nothing without a root. Returns VARVE_NO_MEMORY or
 * VARVE_LIMIT. */
varve_status vv_scope_begin(
    struct vv_scopes *scopes, varve_node *root, varve_error *error);

/* A new edge or slot of the program. */
struct vv_scope_news {
    /* to fill in */
    varve_node *root;
    struct vv_edge *edge; /* or NULL */
    struct vv_slot *slot;
};

/* Extends the result of one of the first four options along a new edge or slot.
 * The affected nodes are in its pairs from `first` on, also after a failure. */
varve_status vv_scope_add(struct vv_scopes *scopes, enum vv_scope option,
    const struct vv_scope_news *news, size_t *first, varve_error *error);

/* Removes a node from the results for the program. */
void vv_scope_forget(struct vv_scopes *scopes, const varve_node *node);

/* Returns true if one path of a node of the program or of the file matches
 * `only`, and not all of them match `except`. */
static inline bool vv_scopes_take(const struct vv_scopes *scopes,
    enum vv_scope only, enum vv_scope except, uint32_t node)
{
    return (!scopes->selection->only ||
               vv_spread_has_any(&scopes->of[only], node)) &&
           !vv_spread_has_all(&scopes->of[except], node);
}

/* Returns true if a value of the program is to be restored. */
static inline bool vv_scope_takes(
    const struct vv_scopes *scopes, const varve_node *node)
{
    return vv_scopes_take(scopes, VV_ONLY, VV_EXCEPT, node->number);
}

/* Returns true if `resize` matches any path of a node. */
bool vv_scope_resizes(const struct vv_scopes *scopes, const varve_node *node);

/* Returns true if `cast` applies to a node: `cast_only` matches any of its
 * paths, or is not set. */
bool vv_scope_casts(const struct vv_scopes *scopes, const varve_node *node);

/* Evaluates the other patterns, which only reports need. */
varve_status vv_scope_complete(struct vv_scopes *scopes, varve_node *root,
    struct vv_saved_graph *saved, varve_error *error);

/* Returns true if an unbound node of the file would be restored to a node of
 * the program if that existed. Considers the paths of the node, and those that
 * a rename makes of its shortest path or of that of a node above it. Must
 * follow vv_scope_complete. */
bool vv_scope_wants(const struct vv_scopes *scopes,
    const struct vv_index *index, uint32_t file);

/* Sets `path` to the path by which the options include a node. Returns false if
 * all of its paths are equivalent. */
bool vv_scope_path(const struct vv_scopes *scopes, const varve_node *node,
    struct vv_buffer *path);

/* Does the same for a node of the file. */
bool vv_scope_saved_path(const struct vv_scopes *scopes,
    const struct vv_index *index, uint32_t file, struct vv_buffer *path);

/* Returns true if one pattern of an option has matched anything in the program,
 * or in the file for patterns that apply to both. */
bool vv_scope_was_used(
    const struct vv_scopes *scopes, enum vv_scope option, size_t pattern);

/* Returns the patterns of an option, or NULL. */
const char *vv_scope_patterns(
    const struct vv_selection *selection, enum vv_scope option);

#endif
