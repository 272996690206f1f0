/* unrestored.c - Finds an option that a function does not support.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unrestored.h"

#include <stddef.h>

#include "failure.h"

static const char *option_of_restoration(const varve_read_options *o)
{
    return o->map                 ? "map"
           : o->expect.missing    ? "expect.missing"
           : o->expect.unexpected ? "expect.unexpected"
                                  : NULL;
}

static const char *option_of_program(const varve_read_options *o)
{
    return o->resize         ? "resize"
           : o->reshape      ? "reshape"
           : o->copy_shared  ? "copy_shared"
           : o->cast         ? "cast"
           : o->cast_only    ? "cast_only"
           : o->rename.count ? "rename.list"
           : o->rename.file  ? "rename.file"
                             : NULL;
}

varve_status vv_check_unrestored(const varve_read_options *options,
    const char *call, bool has_program, varve_error *error)
{
    const char *name = options ? option_of_restoration(options) : NULL;
    if (!name && options && !has_program)
        name = option_of_program(options);
    return name ? vv_fail(error, VARVE_MISUSE,
                      "%s: `%s` must not be set: it has no effect in this call",
                      call, name)
                : VARVE_OK;
}
