/* bundle_graph.h - the object graph of a TensorFlow checkpoint as a graph of
 * ours (TrackableObjectGraph in trackable_object_graph.proto).
 *
 * - A node whose only attribute is VARIABLE_VALUE, without children, is a
 *   variable.
 * - A node whose only attribute is another scalar string, without children, is
 *   a state of those bytes: Python state, a registered saver's own.
 * - Attributes of any other node hang below it under their names, or under
 *   `.ATTRIBUTES/<name>` where a child is called so or there are more than 64.
 * - An attribute may stand for several tensors, as that of a hash table does:
 *   their keys are its own and "-keys" and so on. They hang as such.
 * - A variable that had no value when it was saved has the attribute and no
 *   entry: it is declared, with the tag "tensorflow:untyped" and, since its
 *   type is not in the file, as no elements of uint8.
 * - OBJECT_CONFIG_JSON, which TensorFlow itself ignores, and attributes that
 *   need not be restored have the tag "optional". They do not decide what a
 *   node is: beside nothing else they hang below an object.
 * - Slot records are slots, and so are moments by their positions
 *   (bundle_moments.h); full names are global names; the saver that an object
 *   is registered with is a tag "registered:<name>".
 * - The root's `save_counter` is the save counter, and no node.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_GRAPH_H
#define VV_BUNDLE_GRAPH_H

#include "bundle_entry.h"

/* Reads the graph that an entry holds into a draft that has its root only. */
varve_status vv_bundle_read_graph(const struct vv_foreign *foreign,
    struct vv_bundle *bundle, struct vv_bundle_entry *graph,
    struct vv_draft *draft, varve_error *error);

#endif
