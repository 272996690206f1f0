/* fixed.h - values that a restoration must find as they are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FIXED_H
#define VV_FIXED_H

#include "move.h"

/* Whether a node is tagged VARVE_TAG_FIXED and has a value, or its memory can
 * only be read: nothing is written to it. */
bool vv_is_fixed(const varve_node *node);

/* Puts the jobs of fixed nodes behind the others; how many others there are. */
size_t vv_put_fixed_behind(struct vv_pair *jobs, size_t count);

/* Whether a value has the shape that its fixed node has. One that has not is
 * not read. */
bool vv_has_fixed_shape(
    const struct vv_delivery *d, const struct vv_move *move);

/* Reads values into the targets and blocks of moves, which are in the order of
 * their values, and shows no progress: of the bytes that a restoration
 * delivers, none is shown twice. */
varve_status vv_read_quietly(const struct vv_delivery *d, struct vv_move *moves,
    size_t count, varve_error *error);

/* Reads the values of jobs of fixed nodes once more: VARVE_MISMATCH names each
 * that differs, with both values. */
varve_status vv_tell_fixed(const struct vv_delivery *d,
    const struct vv_pair *jobs, size_t count, varve_error *error);

/* The same, if one of the moves that are fixed, which were read, is not as the
 * program has it. */
varve_status vv_compare_fixed(const struct vv_delivery *d,
    struct vv_move *moves, size_t count, const struct vv_pair *jobs,
    size_t job_count, varve_error *error);

#endif
