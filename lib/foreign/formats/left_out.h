/* left_out.h - the formats that a build may leave out: how their files are told
 * without what reads them, and the option of each.
 *
 * To add one: a line in the table of left_out.c.
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
    const char *name; /* of the option of the build */
    const char *what; /* "a checkpoint of TensorFlow" */
    enum vv_bid (*bid)(const struct vv_candidate *candidate);
    varve_format formats[2];
    bool is_here;
};

/* Sets *option to that of the highest bid for a file, of all of them or of
 * those only that this build leaves out. */
enum vv_bid vv_format_option_bid(const struct vv_candidate *candidate,
    bool left_out, const struct vv_format_option **option);

/* Of a format; NULL of ours. */
const struct vv_format_option *vv_format_option_of(varve_format format);

/* VARVE_TOO_NEW: what it is, and what to build. */
varve_status vv_format_left_out(const struct vv_format_option *option,
    const char *path, varve_error *error);

#endif
