/* whole_source.h - A source of files, each of which is one record.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WHOLE_SOURCE_H
#define VV_WHOLE_SOURCE_H

#include "record_source.h"

/* Implements varve_records_open_files for any context. */
varve_records *vv_records_open_files_in(const struct vv_context *context,
    const char *const *paths, size_t count,
    const varve_records_options *options, varve_error *error);

#endif
