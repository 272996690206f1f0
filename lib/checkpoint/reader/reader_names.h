/* reader_names.h - Makes and returns names and paths of the nodes of a reader.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READER_NAMES_H
#define VV_READER_NAMES_H

#include "reader.h"

/* Copies all names of the index, each with a NUL. */
varve_status vv_reader_make_names(varve_reader *reader, varve_error *error);

/* Frees the names and the paths that were made. The index must still exist. */
void vv_reader_free_names(varve_reader *reader);

/* Returns a name by its number in the index. */
const char *vv_reader_name(const varve_reader *reader, uint32_t name);

/* Returns the path of a node, or "?" if out of memory. */
const char *vv_reader_node_path(const varve_reader *reader, uint32_t node);

#endif
