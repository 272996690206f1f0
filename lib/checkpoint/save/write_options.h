/* write_options.h - Checks write options.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WRITE_OPTIONS_H
#define VV_WRITE_OPTIONS_H

#include <varve/error.h>
#include <varve/options.h>

/* Returns VARVE_TOO_NEW if a reserved member of the options or of a struct
 * in them is not 0. Returns VARVE_MISUSE, with the name of the option, if an
 * option has no effect in combination with the others. Fails as vv_pack_check
 * does for `compress`. `options` may be NULL. */
varve_status vv_write_options_check(
    const varve_write_options *options, varve_error *error);

/* Returns VARVE_MISUSE if an option is set that only collective saves use.
 * `options` may be NULL. */
varve_status vv_check_not_collective(
    const varve_write_options *options, varve_error *error);

/* Returns VARVE_MISUSE if the format is not Varve's: numbered checkpoints are
 * found by the names of Varve's files. `option` is the name of `format` in the
 * caller's options, `name` the prefix or directory. */
varve_status vv_check_numbered(const varve_write_options *options,
    const char *option, const char *name, varve_error *error);

#endif
