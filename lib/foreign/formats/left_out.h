/* left_out.h - Lists the formats that a build can omit: recognizes their files
 * without the code that reads them, and names the build option of each.
 *
 * To add a format, add a line to the table in left_out.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEFT_OUT_H
#define VV_LEFT_OUT_H

#include <varve/checkpoint.h>
#include <varve/error.h>

#include "foreign_format.h"

struct vv_format_option {
    /* to fill in */
    const char *name; /* of the build option */
    const char *what; /* such as "a TensorFlow checkpoint" */
    enum vv_bid (*bid)(const struct vv_candidate *candidate);
    varve_format formats[2];
    bool is_here;
};

/* Returns the highest bid for a file, of all formats or, if `left_out`, only of
 * those that this build omits. Sets *option to the one that made it. */
enum vv_bid vv_format_option_bid(const struct vv_candidate *candidate,
    bool left_out, const struct vv_format_option **option);

/* Returns the option of a format, or NULL for Varve's own. */
const struct vv_format_option *vv_format_option_of(varve_format format);

/* Fails with VARVE_TOO_NEW. The message names the format and the build
 * option. */
varve_status vv_format_left_out(const struct vv_format_option *option,
    const char *path, varve_error *error);

#endif
