/* bundle_target.h - Writes graphs as TensorFlow checkpoints.
 *
 * vv_bundle_target writes object-based checkpoints: all nodes, edges, slots and
 * values, the save counter, and states as bytes. The order is that of
 * TensorFlow: variables by node, slot variables, states, the object graph.
 * `tf.train.Checkpoint(...).restore(path)` reads them.
 *
 * vv_bundle_names_target writes name-based checkpoints: values under their
 * global names, or under the names that vv_target_name returns, which for a
 * slot variable is `<owner>/<slot>(<variable>)`. A state becomes a string.
 * `tf.train.Saver` and `tf.train.load_checkpoint` read them. Fails with
 * VARVE_DUPLICATE if two values get the same name, and with VARVE_BAD_NAME for
 * a reserved name.
 *
 * Neither format keeps tags, kinds of objects or metadata. The path is the
 * prefix or the path of the index. See bundle_out.h for the files that are
 * written, and for those that a failure can leave.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BUNDLE_TARGET_H
#define VV_BUNDLE_TARGET_H

#include "target.h"

extern const struct vv_target_format vv_bundle_target;
extern const struct vv_target_format vv_bundle_names_target;

#endif
