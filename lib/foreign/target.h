/* target.h - Defines the interface of a format that can be written, and what
 * several formats have in common: names, losses, and a buffer for values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TARGET_H
#define VV_TARGET_H

#include <varve/error.h>

#include "buffer.h"
#include "formats.h"
#include "publish.h"

/* --- Graphs --------------------------------------------------------------- */

/* struct vv_target, the graph to write, is in formats.h. */

struct vv_target_format {
    /* to fill in */
    varve_format format;
    varve_status (*write)(const struct vv_target *target, varve_error *error);
};

/* Returns the status with which the files must be published: `status` if that
 * is a failure, else that of `finish`. Call it after all values have been
 * requested. */
varve_status vv_target_finish(
    const struct vv_target *target, varve_status status, varve_error *error);

/* Reports that a property of a node is not stored in the files. */
void vv_target_report_lost(
    const struct vv_target *target, uint32_t node, const char *what);

/* Fails if the path of a value is longer than VV_LONGEST_PATH. Without this
 * limit the names in the file of a deep graph could take space quadratic in its
 * depth. */
varve_status vv_target_check_names(
    const struct vv_target *target, varve_error *error);

/* Sets `name` to that of a value in a format without a graph: the names on the
 * shortest path, unescaped, joined by '/'. For a slot variable it is
 * `<owner>/<slot>(<variable>)`. */
void vv_target_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* Sets `name` to the global name of a node, or to vv_target_name if it has
 * none. */
void vv_target_full_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* Calls vv_target_full_name if `global_names` is set, else vv_target_name. */
void vv_target_key(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name);

/* Returns true if a tag of a node, given by the number of its name, is
 * stored. */
typedef bool vv_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name);

/* Reports the losses common to all formats without a graph: tags (except those
 * for which `keeps_tag`, which can be NULL, returns true), kinds of lists and
 * dicts, and, unless `keeps_aliases`, edges that are not on the shortest
 * path. */
void vv_target_report_lost_graph(const struct vv_target *target,
    bool keeps_aliases, vv_keeps_tag *keeps_tag);

/* Reports global names that differ from the keys of their values. */
void vv_target_report_lost_globals(const struct vv_target *target);

/* Reports the save counter and each metadata entry. */
void vv_target_report_lost_metadata(const struct vv_target *target);

/* --- Values --------------------------------------------------------------- */

/* Writes the bytes of values to a file: small values are buffered, large ones
 * are written directly. */

struct vv_value_out {
    /* to fill in */
    const struct vv_target *target;
    const struct vv_publication *file; /* the file that is written */
    uint64_t offset;         /* offset in the file of the buffered bytes */
    struct vv_buffer staged; /* the buffered bytes; callers can append others */
};

void vv_value_out_init(
    struct vv_value_out *out, const struct vv_target *target);
void vv_value_out_clear(struct vv_value_out *out);

/* Appends the bytes of a value, which has `size` bytes. */
varve_status vv_value_out_add(struct vv_value_out *out, uint32_t value,
    uint64_t size, varve_error *error);

/* Writes the buffered bytes. */
varve_status vv_value_out_flush(struct vv_value_out *out, varve_error *error);

#endif
