/* scope.h - what the patterns of a read stand for, in the program and in the
 * file: by every path, as spread.h follows them.
 *
 * Those of the program are kept up as it grows, so that what comes into scope
 * by a new path is decided again. An edge that goes away makes the whole of it
 * be followed anew, at the next sweep.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SCOPE_H
#define VV_SCOPE_H

#include "pairing.h"

/* Fills `paths` if it is not yet. */
varve_status vv_need_paths(struct vv_pairing *p, varve_error *error);

/* Follows the patterns that decide what is delivered, or does so once more, as
 * the program is now. VARVE_NO_MEMORY, VARVE_LIMIT. */
varve_status vv_scope_begin(struct vv_pairing *p, varve_error *error);
void vv_scope_end(struct vv_pairing *p);

/* Follows a new edge or slot; what it brings into scope is decided again. */
void vv_scope_edge(struct vv_pairing *p, struct vv_edge *edge);
void vv_scope_slot(struct vv_pairing *p, struct vv_slot *slot);
void vv_scope_forget(struct vv_pairing *p, const varve_node *node);

/* Whether a value of the program is to be restored: a path of it matches
 * `only`, and not all of them match `except`. */
bool vv_scope_takes(const struct vv_pairing *p, const varve_node *node);

/* Whether `resize` names a node by any path. */
bool vv_scope_resizes(const struct vv_pairing *p, const varve_node *node);

/* Follows the other patterns, which a report asks for. */
varve_status vv_scope_complete(struct vv_pairing *p, varve_error *error);

/* After that: whether a node of the file, which no node of the program claimed,
 * would stand for one that is to be restored, by a path of its own or by one
 * that a rename makes of the shortest to it or to a node above it. */
bool vv_scope_wants(const struct vv_pairing *p, uint32_t file);

/* Sets `path` to the path by which the options take a node; false where that is
 * as good as any other. */
bool vv_scope_path(
    const struct vv_pairing *p, const varve_node *node, struct vv_buffer *path);
bool vv_scope_saved_path(
    const struct vv_pairing *p, uint32_t file, struct vv_buffer *path);

/* Whether one of the patterns of an option has stood for anything, in the
 * program or, where they are of paths that both have, in the file. */
bool vv_scope_was_used(
    const struct vv_pairing *p, enum vv_scope option, size_t pattern);

/* The patterns that were given as an option of a read; NULL: none. */
const char *vv_scope_patterns(
    const struct vv_selection *selection, enum vv_scope option);

#endif
