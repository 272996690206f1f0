/* bundle_graph.h - Converts the object graph of a TensorFlow checkpoint to a
 * draft (TrackableObjectGraph in trackable_object_graph.proto).
 *
 * - A node without children whose only attribute is VARIABLE_VALUE is a
 *   variable.
 * - A node without children whose only attribute is another scalar string is a
 *   state with these bytes: Python state, or that of a registered saver.
 * - The attributes of any other node become its children, under their names
 *   or, if a child has that name or there are more than 64 attributes, under
 *   `.ATTRIBUTES/<name>`.
 * - An attribute can stand for several tensors, as that of a hash table does.
 *   The keys of the tensors are the key of the attribute followed by "-keys"
 *   and so on. The tensors become children with such names.
 * - A variable that had no value when it was saved has the attribute but no
 *   entry. It is declared, with the tag "tensorflow:untyped" and, because its
 *   type is not in the file, as a uint8 variable without elements.
 * - OBJECT_CONFIG_JSON, which TensorFlow itself ignores, and attributes that
 *   need not be restored have the tag "optional". They do not affect whether a
 *   node is a variable, a state or an object. They become children of an
 *   object only.
 * - Slot records become slots, and so do moments that are identified by their
 *   positions (bundle_object.h). Full names become global names. The saver
 *   with which an object is registered becomes a tag "registered:<name>".
 * - The `save_counter` of the root becomes the save counter and has no node.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_GRAPH_H
#define VV_BUNDLE_GRAPH_H

#include "bundle_entry.h"

/* Adds the graph in an entry to a draft that contains only its root. */
varve_status vv_bundle_read_graph(const struct vv_foreign *foreign,
    struct vv_bundle *bundle, struct vv_bundle_entry *graph,
    struct vv_draft *draft, varve_error *error);

#endif
