/* opaque.h - Keeps the bytes of states of which the program has no
 * implementation, and the data of a file that its graph was created from. Both
 * are freed with the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OPAQUE_H
#define VV_OPAQUE_H

#include <varve/checkpoint.h>

#include "buffer.h"
#include "graph.h"
#include "formats.h"

/* The callbacks of a state that keeps its bytes. Its `self` must be from
 * vv_opaque_new. */
extern const varve_state_callbacks vv_opaque_callbacks;

/* Creates a buffer for the bytes of a state, empty at first. Returns NULL if
 * out of memory. Once it is the `self` of a node it is freed with the node. */
struct vv_buffer *vv_opaque_new(varve_graph *graph);
void vv_opaque_free(varve_graph *graph, struct vv_buffer *bytes);

/* Registers the observer that frees the buffers. Must be called before a node
 * with such a buffer is created. Returns false if out of memory. */
bool vv_opaque_watch(varve_graph *graph);

/* Keeps a copy of metadata. vv_opaque_watch must have been called. Returns
 * false if out of memory. */
bool vv_graph_keep_metadata(
    varve_graph *graph, const varve_metadata *metadata, size_t count);

/* Takes ownership of the format-specific data of the nodes of a file; nodes[i]
 * is the node with the number i. vv_opaque_watch must have been called. Returns
 * false if out of memory. */
bool vv_graph_keep_nodes(varve_graph *graph, struct vv_kept *kept,
    varve_node *const *nodes, size_t count);

/* Returns the format-specific data of a node for this format, or NULL. */
const unsigned char *vv_graph_kept_of(
    const varve_node *node, varve_format format, size_t *size);

const varve_metadata *vv_graph_kept_metadata(
    const varve_graph *graph, size_t *count);

#endif
