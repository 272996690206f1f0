/* scope.h - what the patterns of a read stand for, in the program and in the
 * file: by every path, as spread.h follows them.
 *
 * Those of the program are kept up as it grows; whoever does tells of what is
 * new. An edge that goes away makes the whole of it be followed anew, at the
 * next sweep.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SCOPE_H
#define VV_SCOPE_H

#include "graph.h"
#include "saved_graph.h"
#include "selection.h"
#include "spread.h"

/* Which paths the patterns of the options stand for, by option. */
enum vv_scope {
    VV_ONLY, /* of the program */
    VV_EXCEPT,
    VV_RESIZE,
    VV_CAST_ONLY,
    VV_EXPECT_MISSING,
    VV_SAVED_ONLY, /* of the file */
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

/* Of a selection that stays where it is, and may still be empty. */
void vv_scopes_init(
    struct vv_scopes *scopes, const struct vv_selection *selection);
void vv_scopes_end(struct vv_scopes *scopes);

/* Follows the patterns that decide what is delivered, or does so once more, as
 * the program is now; without a root there is none. VARVE_NO_MEMORY,
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

/* Follows it with the patterns of one option of the four above; the nodes of
 * which that is new are those of its pairs from `first` on, also after a
 * failure. */
varve_status vv_scope_add(struct vv_scopes *scopes, enum vv_scope option,
    const struct vv_scope_news *news, size_t *first, varve_error *error);
void vv_scope_forget(struct vv_scopes *scopes, const varve_node *node);

/* Whether a value of the program is to be restored: a path of it matches
 * `only`, and not all of them match `except`. */
bool vv_scope_takes(const struct vv_scopes *scopes, const varve_node *node);

/* Whether `resize` names a node by any path. */
bool vv_scope_resizes(const struct vv_scopes *scopes, const varve_node *node);

/* Whether `cast` is for a node: `cast_only` names it by any path, or is not
 * given. */
bool vv_scope_casts(const struct vv_scopes *scopes, const varve_node *node);

/* Follows the other patterns, which a report asks for. */
varve_status vv_scope_complete(struct vv_scopes *scopes, varve_node *root,
    struct vv_saved_graph *saved, varve_error *error);

/* After that: whether a node of the file, which no node of the program claimed,
 * would stand for one that is to be restored, by a path of its own or by one
 * that a rename makes of the shortest to it or to a node above it. */
bool vv_scope_wants(const struct vv_scopes *scopes,
    const struct vv_index *index, uint32_t file);

/* Sets `path` to the path by which the options take a node; false where that is
 * as good as any other. */
bool vv_scope_path(const struct vv_scopes *scopes, const varve_node *node,
    struct vv_buffer *path);
bool vv_scope_saved_path(const struct vv_scopes *scopes,
    const struct vv_index *index, uint32_t file, struct vv_buffer *path);

/* Whether one of the patterns of an option has stood for anything, in the
 * program or, where they are of paths that both have, in the file. */
bool vv_scope_was_used(
    const struct vv_scopes *scopes, enum vv_scope option, size_t pattern);

/* The patterns that were given as an option of a read; NULL: none. */
const char *vv_scope_patterns(
    const struct vv_selection *selection, enum vv_scope option);

#endif
