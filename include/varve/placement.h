/* placement.h - which of several servers has what: functions of the metadata
 * alone, so that every process comes to the same answer without asking.
 *
 * Servers are counted from 0. A program over slices (slice.h) gives each server
 * the parts that are its own, and any other number of servers reads the
 * checkpoint back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_PLACEMENT_H
#define VARVE_PLACEMENT_H

#include <varve/tensor.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* --- Whole values -------------------------------------------------------- */

/* By turns, in the order of creation: that of the value with this number, as
 * TensorFlow's replica_device_setter does unless told otherwise. Of no servers
 * it is 0. */
VARVE_API uint32_t varve_place_round_robin(uint64_t number, uint32_t servers);

/* The one with the least load so far, the first of several, which takes `load`
 * on: as TensorFlow's GreedyLoadBalancingStrategy, which loads the bytes of
 * each value (varve_tensor_size) in the order of creation. The program holds
 * the loads, zeros at first. */
VARVE_API uint32_t varve_place_by_load(
    uint64_t *loads, uint32_t servers, uint64_t load);

/* By the path and by what the servers are called, whatever else there is: a
 * server that is added takes over one value of `servers`, and one that goes
 * gives away its own; no other value moves. Without names they are called by
 * their numbers, so that only the last one may go. */
VARVE_API uint32_t varve_place_by_path(
    const char *path, const char *const *names, uint32_t servers);

/* --- Values in parts ----------------------------------------------------- */

/* How many parts a value is cut into along a dimension, so that each has
 * `most_bytes` or less: as few as will do, but one for each row if a row has
 * more; and never more than `most_parts`, if that is not 0. As TensorFlow's
 * variable_axis_size_partitioner and MaxSizePartitioner. Of a string they count
 * 16 bytes. At least 1; 1 without such a dimension. The tensor must be valid;
 * its data is not looked at. */
VARVE_API uint64_t varve_parts_at_most(const varve_tensor *value,
    uint32_t dimension, uint64_t most_bytes, uint64_t most_parts);

/* The same with `least_bytes` for each part: as many as the bytes are enough
 * for, rounded up, and never more than `most_parts` or rows. As TensorFlow's
 * min_max_variable_partitioner and MinSizePartitioner. */
VARVE_API uint64_t varve_parts_at_least(const varve_tensor *value,
    uint32_t dimension, uint64_t least_bytes, uint64_t most_parts);

/* One of so many parts along a dimension. Where the rows cannot be shared
 * evenly the first parts have one more, as in TensorFlow. A number that is none
 * of theirs has no rows. */
VARVE_API varve_box varve_part_at(const varve_tensor *value, uint32_t dimension,
    uint64_t parts, uint64_t number);

VARVE_END_DECLS

#endif
