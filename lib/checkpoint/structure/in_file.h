/* in_file.h - Leaves values of a graph in the file that it was made from. They
 * are read in pieces when they are copied out.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_IN_FILE_H
#define VV_IN_FILE_H

#include "reader.h"

/* Returns the size from which values stay in the file: a power of two, at most
 * 64 KiB. All smaller values together take at most 8 MiB, unless they are
 * smaller than 256 bytes, which is about what a value in the file takes. */
uint64_t vv_in_file_from(const struct vv_index *index);

/* Connects each node that was restored without memory with its value in the
 * file. `nodes` are in the order of their ids in the file. On success the graph
 * owns the reader and closes it when the graph is freed. Fails only if out of
 * memory; then nothing has changed. */
varve_status vv_leave_in_file(varve_graph *graph, varve_reader *reader,
    varve_node *const *nodes, size_t count, varve_error *error);

#endif
