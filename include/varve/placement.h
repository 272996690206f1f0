/* placement.h - Distributes values over several servers.
 *
 * The results depend only on the arguments, so that all processes compute the
 * same distribution without communication. Servers are numbered from 0. A
 * program that uses slices (slice.h) gives each server its parts, and any other
 * number of servers can read the checkpoint. Any thread may call these
 * functions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_PLACEMENT_H
#define VARVE_PLACEMENT_H

#include <varve/tensor.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* --- Whole values -------------------------------------------------------- */

/* Returns the server of a value by round-robin.
 *
 * `number` is the number of the value in the order of creation, from 0. This is
 * the default of TensorFlow's replica_device_setter. Returns 0 if `servers` is
 * 0. */
VARVE_API uint32_t varve_place_round_robin(uint64_t number, uint32_t servers);

/* Returns the server with the smallest load and adds `load` to it. If several
 * servers have the smallest load, the first one is returned.
 *
 * `loads` has a number for each server; the program initializes it to zeros.
 * With the size of each value (varve_tensor_size) as `load`, in the order of
 * creation, this is TensorFlow's GreedyLoadBalancingStrategy. */
VARVE_API uint32_t varve_place_by_load(
    uint64_t *loads, uint32_t servers, uint64_t load);

/* Returns the server of a value by a hash of its path and the names of the
 * servers (rendezvous hashing).
 *
 * If a server is added, it takes over about one of `servers` values. If a
 * server is removed, only its own values move. `names` may be NULL: then the
 * servers are named by their numbers, and only the last one can be removed. */
VARVE_API uint32_t varve_place_by_path(
    const char *path, const char *const *names, uint32_t servers);

/* --- Values in parts ----------------------------------------------------- */

/* Returns the smallest number of parts along a dimension such that each part
 * has at most `most_bytes`.
 *
 * If a single row has more, each row is a part. The result is at least 1, and
 * at most `most_parts` unless that is 0. It is 1 if the value does not have the
 * dimension. Strings count 16 bytes each. `value` must be valid; its data is
 * not used. This corresponds to TensorFlow's variable_axis_size_partitioner and
 * MaxSizePartitioner. */
VARVE_API uint64_t varve_parts_at_most(const varve_tensor *value,
    uint32_t dimension, uint64_t most_bytes, uint64_t most_parts);

/* Returns the size of a value divided by `least_bytes`, rounded up, as the
 * number of parts along a dimension.
 *
 * The result is at least 1 and at most `most_parts` or the number of rows. The
 * arguments are those of varve_parts_at_most. This corresponds to TensorFlow's
 * min_max_variable_partitioner and MinSizePartitioner. */
VARVE_API uint64_t varve_parts_at_least(const varve_tensor *value,
    uint32_t dimension, uint64_t least_bytes, uint64_t most_parts);

/* Returns the box of part `number` if a value is divided into `parts` along a
 * dimension.
 *
 *     uint64_t parts = varve_parts_at_most(&value, 0, 1 << 20, 0);
 *     for (uint64_t i = 0; i < parts; i++)
 *         boxes[i] = varve_part_at(&value, 0, parts, i);
 *
 * If the rows cannot be divided evenly, the first parts have one row more, as
 * in TensorFlow. If `number` is not less than `parts`, the box has no rows. */
VARVE_API varve_box varve_part_at(const varve_tensor *value, uint32_t dimension,
    uint64_t parts, uint64_t number);

VARVE_END_DECLS

#endif
