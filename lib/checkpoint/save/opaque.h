/* opaque.h - states of programs that are not here, as the bytes they saved; and
 * what a graph that was made from a file keeps of it. Both go with the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OPAQUE_H
#define VV_OPAQUE_H

#include <varve/checkpoint.h>

#include "buffer.h"
#include "graph.h"
#include "format_extras.h"

/* The callbacks of a state that keeps its bytes. Its `self` is what
 * vv_opaque_new gives. */
extern const varve_state_callbacks vv_opaque_callbacks;

/* The bytes of a state of this graph, none at first; NULL without memory. Once
 * they are the `self` of a node they are freed with it. */
struct vv_buffer *vv_opaque_new(varve_graph *graph);
void vv_opaque_free(varve_graph *graph, struct vv_buffer *bytes);

/* Sees to it that they are; to be called before such a node is made. False
 * without memory. */
bool vv_opaque_watch(varve_graph *graph);

/* Keeps a copy of metadata; vv_opaque_watch must have been called. False
 * without memory. */
bool vv_graph_keep_metadata(
    varve_graph *graph, const varve_metadata *metadata, size_t count);

/* Takes over what the file's format kept of its nodes, of which nodes[i] is
 * number i; vv_opaque_watch must have been called. False without memory. */
bool vv_graph_keep_nodes(varve_graph *graph, struct vv_kept *kept,
    varve_node *const *nodes, size_t count);

/* That of a node, for a file of this format, or NULL. */
const unsigned char *vv_graph_kept_of(
    const varve_node *node, varve_format format, size_t *size);

const varve_metadata *vv_graph_kept_metadata(
    const varve_graph *graph, size_t *count);

#endif
