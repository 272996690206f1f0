/* reader.h - a file opened without a program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READER_H
#define VV_READER_H

#include <varve/reader.h>

#include "data_in.h"
#include "saved_path.h"

struct varve_reader {
    struct vv_context context;
    struct vv_data_in file;
    struct vv_saved_paths paths;
    char *texts;       /* every node's path and every name, terminated */
    uint64_t *path_at; /* by node: where its path begins in `texts` */
    uint64_t *name_at; /* by name */
    size_t text_size;
    uint32_t *value_of; /* by node, or VV_NONE */
};

/* Opens over a context of the caller's choice. */
varve_reader *vv_reader_open_in(
    const struct vv_context *context, const char *path, varve_error *error);

/* The path of a node, terminated. */
const char *vv_reader_node_path(const varve_reader *reader, uint32_t node);

#endif
