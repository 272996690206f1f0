/* structure.h - a graph made from a file, over any system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRUCTURE_H
#define VV_STRUCTURE_H

#include <varve/structure.h>

#include "context.h"

/* varve_graph_from_part over a context of the caller's choice. */
varve_graph *vv_graph_from_in(const struct vv_context *context,
    const char *path, const varve_read_options *options, varve_error *error);

/* varve_graph_from_lazy the same way. */
varve_graph *vv_graph_over_in(const struct vv_context *context,
    const char *path, const varve_read_options *options, varve_error *error);

#endif
