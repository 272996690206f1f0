/* read.h - Checks for read options that need a restoration or a program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READ_H
#define VV_READ_H

#include <varve/error.h>
#include <varve/options.h>

/* Returns VARVE_MISUSE and the name of the option if an option has no effect in
 * a call that returns no restoration. Without `has_program`, options for
 * differences between file and program are also refused. */
varve_status vv_check_unrestored(const varve_read_options *options,
    const char *call, bool has_program, varve_error *error);

#endif
