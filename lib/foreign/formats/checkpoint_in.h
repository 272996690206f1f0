/* checkpoint_in.h - Opens a checkpoint of any format for reading.
 *
 * Each format inspects the first bytes of a file and makes a bid; the highest
 * bid opens the file. The result is the same for all formats: a struct
 * vv_opened whose index has been validated by the same rules, and whose values
 * are read, checked and mapped by the same functions.
 *
 * To add a format, write a struct vv_foreign_format and add it to the table in
 * checkpoint_in.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CHECKPOINT_IN_H
#define VV_CHECKPOINT_IN_H

#include <stdbool.h>
#include <stdint.h>
#include <varve/checkpoint.h>
#include <varve/error.h>

#include "foreign_format.h"
#include "opened.h"

/* --- Names of split models ------------------------------------------------ */

/* Parses names of the files of split models, such as
 * `model-00001-of-00003.safetensors`. */

/* Reads the number (from 1 on) and the count of parts before the extension of a
 * name; both must have the same number of digits. Returns false if the name has
 * another form. */
bool vv_part_name(const char *path, uint64_t *number, uint64_t *count);

/* Opens a file of any format. `path` must be a result of vv_checkpoint_find. On
 * failure nothing stays open. Call vv_opened_close to close it. */
varve_status vv_checkpoint_open(struct vv_opened *opened,
    const struct vv_context *context, const char *path, varve_error *error);

/* As vv_checkpoint_open. If the file is in Varve's format and its index is
 * large, columns of the index stay in the file (vv_data_in_open_far). */
varve_status vv_checkpoint_open_far(struct vv_opened *opened,
    const struct vv_context *context, const char *path, uint64_t most,
    varve_error *error);

/* As vv_checkpoint_open, but always with this format. */
varve_status vv_checkpoint_open_as(struct vv_opened *opened,
    const struct vv_context *context, const char *path,
    const struct vv_foreign_format *format, varve_error *error);

/* Returns the data that the format keeps about nodes of an opened file, which
 * the caller may move; NULL for a Varve file. */
struct vv_kept *vv_checkpoint_kept(const struct vv_opened *opened);

/* Returns the format of an opened file. */
varve_format vv_checkpoint_format(const struct vv_opened *opened);

#endif
