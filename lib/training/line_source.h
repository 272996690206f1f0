/* line_source.h - Implements varve_records_open_lines and
 * varve_records_open_line_files for any context.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LINE_SOURCE_H
#define VV_LINE_SOURCE_H

#include "record_list.h"

varve_records *vv_records_open_lines_in(const struct vv_context *context,
    const char *path, const varve_records_options *options, varve_error *error);

varve_records *vv_records_open_line_files_in(const struct vv_context *context,
    const struct vv_record_paths *paths, const varve_records_options *options,
    varve_error *error);

#endif
