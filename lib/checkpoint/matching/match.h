/* match.h - Matches nodes of the program with nodes of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MATCH_H
#define VV_MATCH_H

#include "matching.h"

/* --- Global names --------------------------------------------------------- */

/* Matches nodes that no path leads to, by global names of the program and of
 * the file (varve_set_global_name).
 *
 * A name is a path without escapes. The global name of a node of the program is
 * searched for among the paths and the global names of the file. The path of a
 * node is searched for among the global names only if these are the keys of the
 * file (vv_parsed_index.names_are_keys). */

/* Reports that a node may have a new global name. */
void vv_by_name_changed(struct vv_matching *m, varve_node *node);

/* --- Paths ---------------------------------------------------------------- */

/* Binds the roots and queues them. */
void vv_match_roots(struct vv_matching *m);

/* Queues all nodes of the program. Used after memory ran out. */
void vv_match_everything(struct vv_matching *m);

/* Matches an edge whose ends may be bound now. */
void vv_match_edge(struct vv_matching *m, struct vv_edge *edge);

/* Matches an edge of a list whose child has moved. A child that was already
 * matched keeps its binding, even if the file has another node at the new
 * position. */
void vv_match_moved(struct vv_matching *m, struct vv_edge *edge);

/* Matches a slot whose owner and variable may be bound now. */
void vv_match_slot(struct vv_matching *m, struct vv_slot *slot);

/* Matches all queued nodes and those that they lead to. Offers children to
 * nodes that make them on demand. */
void vv_match_queue(struct vv_matching *m);

/* Queues a changed node if it has been visited. */
void vv_match_again(struct vv_matching *m, varve_node *node);

/* Returns the node of the file that an edge or slot of the program would match
 * if it existed, or VV_NONE. */
uint32_t vv_match_child(
    struct vv_matching *m, varve_node *parent, const char *name);
uint32_t vv_match_slot_of(struct vv_matching *m, varve_node *owner,
    varve_node *variable, const char *name);

#endif
