/* bundle_target.h - graphs as TensorFlow checkpoints.
 *
 * Object-based (vv_bundle_target): all nodes, edges, slots and values; the save
 * counter; the bytes of states. In the order in which TensorFlow adds them:
 * variables by node, slot variables behind them, states, the object graph.
 * `tf.train.Checkpoint(...).restore(path)` takes it.
 *
 * Name-based (vv_bundle_names_target): values under their global names, or
 * where they have none under those of vv_target_name, that of a slot variable
 * being `<owner>/<slot>(<variable>)`; a state is a string. `tf.train.Saver` and
 * `tf.train.load_checkpoint` take it. VARVE_DUPLICATE where two values come to
 * one name, VARVE_BAD_NAME for a name that stands for something else there.
 *
 * Neither keeps tags, kinds of objects or metadata. The path is the prefix or
 * that of the index; bundle_files.h says which files there are, and what a
 * failure may leave.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_TARGET_H
#define VV_BUNDLE_TARGET_H

#include "target.h"

extern const struct vv_target_format vv_bundle_target;
extern const struct vv_target_format vv_bundle_names_target;

#endif
