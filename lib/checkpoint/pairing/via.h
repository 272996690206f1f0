/* via.h - how nodes of the program were come to, where paths matter, and what
 * renames say of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VIA_H
#define VV_VIA_H

#include "pairing.h"

/* Notes how a node was come to, where paths matter; queues it when that is
 * new. */
void vv_visit(struct vv_pairing *p, varve_node *node, const struct vv_via *via);

/* Sets `place` to a number for the path by which a node was come to; false
 * where that does not matter to anything. */
bool vv_find_place(
    const struct vv_pairing *p, const varve_node *node, uint64_t *place);

/* True if a rename decides where the edge of this name leads: `file` is set to
 * the node of the file, or to VV_NONE where that has none. */
bool vv_find_renamed(struct vv_pairing *p, const varve_node *parent,
    const char *name, size_t size, uint32_t *file);

/* The same of a slot. */
bool vv_find_renamed_slot(struct vv_pairing *p, const varve_node *owner,
    const varve_node *variable, const char *name, uint32_t *file);

/* Notes whether a rename decides about a node that was come to by this edge. */
void vv_note_renamed(struct vv_pairing *p, const varve_node *node,
    const varve_node *parent, const struct vv_name *name, bool is_renamed);

#endif
