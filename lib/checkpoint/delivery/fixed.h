/* fixed.h - Compares saved values with fixed values of the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FIXED_H
#define VV_FIXED_H

#include "move.h"

/* Returns true if nothing may be written to a node: it has the tag
 * VARVE_TAG_FIXED and a value, or its memory is read-only. */
bool vv_is_fixed(const varve_node *node);

/* Moves the jobs of fixed nodes to the end. Returns the number of the others.
 */
size_t vv_put_fixed_behind(struct vv_pair *jobs, size_t count);

/* Returns true if a value has the shape of its fixed node. Values with another
 * shape are not read. */
bool vv_has_fixed_shape(
    const struct vv_delivery *d, const struct vv_move *move);

/* Reads values into the targets and blocks of moves, which are sorted by value.
 * Does not report progress, because a restoration reports each byte only once.
 */
varve_status vv_read_quietly(const struct vv_delivery *d, struct vv_move *moves,
    size_t count, varve_error *error);

/* Reads the values of jobs of fixed nodes again. Returns VARVE_MISMATCH and
 * lists each that differs, with both values. */
varve_status vv_report_fixed(const struct vv_delivery *d,
    const struct vv_pair *jobs, size_t count, varve_error *error);

/* Does the same, but only if a fixed value that was read differs from that of
 * the program. */
varve_status vv_compare_fixed(const struct vv_delivery *d,
    struct vv_move *moves, size_t count, const struct vv_pair *jobs,
    size_t job_count, varve_error *error);

#endif
