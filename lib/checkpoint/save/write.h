/* write.h - a graph to a file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WRITE_H
#define VV_WRITE_H

#include <varve/checkpoint.h>

/* varve_write with a save counter to keep in the file; 0: none. */
varve_status vv_write(varve_node *root, const char *path, uint64_t counter,
    const varve_write_options *options, varve_error *error);

#endif
