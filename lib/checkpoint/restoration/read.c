/* read.c - Implements the functions that open a restoration, and refuses their
 * options in calls that open none.
 *
 * SPDX-License-Identifier: MIT
 */
#include "read.h"

#include <stddef.h>

#include <varve/checkpoint.h>

#include "failure.h"
#include "restoration.h"

/* --- Opening -------------------------------------------------------------- */

/* Implements the three public functions that open a restoration. */

varve_restoration *varve_read(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = { .path = path, .options = options };
    return vv_restoration_open(root, &opening, error);
}

varve_restoration *varve_restore(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = {
        .path = path, .options = options, .is_numbered = true, .is_save = true
    };
    return vv_restoration_open(root, &opening, error);
}

varve_restoration *varve_dry_run(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = {
        .path = path, .options = options, .is_numbered = true, .is_dry = true
    };
    return vv_restoration_open(root, &opening, error);
}

/* --- Options -------------------------------------------------------------- */

/* Finds an option that a function does not support. */

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
