/* fixed_source.h - Implements varve_records_open_fixed for any context.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FIXED_SOURCE_H
#define VV_FIXED_SOURCE_H

#include "record_source.h"

/* --- In a file ------------------------------------------------------------ */

struct vv_fixed {
    const char *path;
    uint64_t header_size;
    uint64_t record_size;
};

varve_records *vv_records_open_fixed_in(const struct vv_context *context,
    const struct vv_fixed *fixed, const varve_records_options *options,
    varve_error *error);

#endif
