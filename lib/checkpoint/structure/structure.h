/* structure.h - Makes graphs from files in a given context.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRUCTURE_H
#define VV_STRUCTURE_H

#include <varve/structure.h>

#include "context.h"
#include "reader.h"

/* --- Values that stay in the file ----------------------------------------- */

/* Leaves values of a graph in the file that it was made from. They are read in
 * pieces when they are copied out. */

/* Returns the size from which values stay in the file: a power of two, at most
 * 64 KiB. All smaller values together take at most 8 MiB, unless they are
 * smaller than 256 bytes, which is about what a value in the file takes. */
uint64_t vv_in_file_from(const struct vv_index *index);

/* --- Graphs --------------------------------------------------------------- */

/* Does what varve_graph_from_part does, in `context`. */
varve_graph *vv_graph_from_in(const struct vv_context *context,
    const char *path, const varve_read_options *options, varve_error *error);

/* Does what varve_graph_from_lazy does, in `context`. */
varve_graph *vv_graph_over_in(const struct vv_context *context,
    const char *path, const varve_read_options *options, varve_error *error);

#endif
