/* write_options.h - whether options are of this version, and fit each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WRITE_OPTIONS_H
#define VV_WRITE_OPTIONS_H

#include <varve/error.h>
#include <varve/options.h>

/* VARVE_TOO_NEW if there is something in the room at the end of the options,
 * which may be NULL, or of one of the structs in them. VARVE_MISUSE, with its
 * name, for an option that has no effect with the others. */
varve_status vv_write_options_check(
    const varve_write_options *options, varve_error *error);

/* VARVE_MISUSE for another format than Varve's: numbered checkpoints are found
 * again by the names of Varve's files. `option` is what the caller calls
 * `format`, `name` the prefix or directory. */
varve_status vv_check_numbered(const varve_write_options *options,
    const char *option, const char *name, varve_error *error);

#endif
