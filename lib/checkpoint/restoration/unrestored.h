/* unrestored.h - the options of a read that need a restoration or a program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_UNRESTORED_H
#define VV_UNRESTORED_H

#include <varve/error.h>
#include <varve/options.h>

/* VARVE_MISUSE, with its name, for an option that has no effect in a call that
 * hands out no restoration; and, where the graph is made of the file, for one
 * of how a program's differs from it. */
varve_status vv_check_unrestored(const varve_read_options *options,
    const char *call, bool has_program, varve_error *error);

#endif
