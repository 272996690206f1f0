/* checkpoint_out.h - a checkpoint written in the format of others.
 *
 * To add one: a struct vv_target_format, and one line in the table of
 * checkpoint_out.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CHECKPOINT_OUT_H
#define VV_CHECKPOINT_OUT_H

#include "target.h"

/* Writes in a format other than ours. VARVE_MISUSE for one that is only
 * read. */
varve_status vv_target_write(
    const struct vv_target *target, varve_format format, varve_error *error);

#endif
