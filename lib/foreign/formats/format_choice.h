/* format_choice.h - Opens a file that is not in Varve's format, with the format
 * that recognizes it.
 *
 * Each format probes the first bytes of a file. The format whose probe returns
 * the highest result opens the file. To add a format, write a struct
 * vv_foreign_format and add it to the table in format_choice.c.
 *
 * In a build without the option `formats`, without_formats.c implements the
 * functions that open files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FORMAT_CHOICE_H
#define VV_FORMAT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "foreign_format.h"
#include "formats.h"

/* --- Opening -------------------------------------------------------------- */

/* Opens a file. If it is in no known format, sets *is_known to false and
 * returns VARVE_OK. */
varve_status vv_format_open(struct vv_opened *opened,
    const struct vv_context *context, const struct vv_candidate *candidate,
    bool *is_known, varve_error *error);

/* As vv_checkpoint_open, but always with this format. Not in a build without
 * `formats`. */
varve_status vv_checkpoint_open_as(struct vv_opened *opened,
    const struct vv_context *context, const char *path,
    const struct vv_foreign_format *format, varve_error *error);

/* --- Names of parts ------------------------------------------------------- */

/* Parses names of the files of split models, such as
 * `model-00001-of-00003.safetensors`. */

/* Reads the number (from 1 on) and the count of parts before the extension of a
 * name; both must have the same number of digits. Returns false if the name has
 * another form. */
bool vv_part_name(const char *path, uint64_t *number, uint64_t *count);

#endif
