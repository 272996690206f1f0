/* structure.h - Makes graphs from files in a given context.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRUCTURE_H
#define VV_STRUCTURE_H

#include <varve/structure.h>

#include "context.h"

/* Does what varve_graph_from_part does, in `context`. */
varve_graph *vv_graph_from_in(const struct vv_context *context,
    const char *path, const varve_read_options *options, varve_error *error);

/* Does what varve_graph_from_lazy does, in `context`. */
varve_graph *vv_graph_over_in(const struct vv_context *context,
    const char *path, const varve_read_options *options, varve_error *error);

#endif
