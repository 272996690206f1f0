/* checkpoint_in.h - a checkpoint of any format, opened for reading.
 *
 * Every format looks at the first bytes of a file and bids; the highest opens
 * it. What it opens is the same for all: a struct vv_opened, whose index was
 * checked by the same rules and whose values are read, checked and mapped by
 * the same calls.
 *
 * To add a format: one file with a struct vv_foreign_format, and one line in
 * the table of checkpoint_in.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CHECKPOINT_IN_H
#define VV_CHECKPOINT_IN_H

#include <varve/checkpoint.h>
#include <varve/error.h>

#include "foreign_format.h"
#include "opened.h"

/* Opens a file of any format; the path is one that vv_checkpoint_find gave. On
 * failure nothing is open. End with vv_opened_close. */
varve_status vv_checkpoint_open(struct vv_opened *opened,
    const struct vv_context *context, const char *path, varve_error *error);

/* The same; of a large index of ours columns stay in the file
 * (vv_data_in_open_far). */
varve_status vv_checkpoint_open_far(struct vv_opened *opened,
    const struct vv_context *context, const char *path, uint64_t most,
    varve_error *error);

/* As vv_checkpoint_open, a file of this format, whoever else would bid. */
varve_status vv_checkpoint_open_as(struct vv_opened *opened,
    const struct vv_context *context, const char *path,
    const struct vv_foreign_format *format, varve_error *error);

/* What the format of an opened file keeps of its nodes, to be moved; NULL of a
 * file of ours. */
struct vv_kept *vv_checkpoint_kept(const struct vv_opened *opened);

/* Which format an opened file has. */
varve_format vv_checkpoint_format(const struct vv_opened *opened);

#endif
