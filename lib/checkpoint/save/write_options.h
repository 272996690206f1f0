/* write_options.h - whether this version knows all that a write is told.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WRITE_OPTIONS_H
#define VV_WRITE_OPTIONS_H

#include <varve/error.h>
#include <varve/options.h>

/* VARVE_TOO_NEW if there is something in the room at the end of the options,
 * which may be NULL, or of one of the structs in them. */
varve_status vv_write_options_check(
    const varve_write_options *options, varve_error *error);

#endif
