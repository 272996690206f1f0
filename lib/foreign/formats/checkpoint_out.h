/* checkpoint_out.h - Writes a checkpoint in another format.
 *
 * To add a format, write a struct vv_target_format and add it to the table in
 * checkpoint_out.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CHECKPOINT_OUT_H
#define VV_CHECKPOINT_OUT_H

#include "target.h"

/* Writes a checkpoint in a format other than Varve's. Returns VARVE_MISUSE if
 * the format cannot be written. */
varve_status vv_target_write(
    const struct vv_target *target, varve_format format, varve_error *error);

#endif
