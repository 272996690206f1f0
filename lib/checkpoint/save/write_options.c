/* write_options.c - the options, and each feature's in them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "write_options.h"

#include "failure.h"
#include "try.h"

varve_status vv_write_options_check(
    const varve_write_options *options, varve_error *error)
{
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    if (!options)
        return VARVE_OK;
    VV_TRY(VV_CHECK_ROOM(options->layers.reserved, error));
    VV_TRY(VV_CHECK_ROOM(options->foreign.reserved, error));
    VV_TRY(VV_CHECK_ROOM(options->background.reserved, error));
    return VV_CHECK_ROOM(options->many.reserved, error);
}
