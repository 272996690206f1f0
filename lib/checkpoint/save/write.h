/* write.h - a graph to a file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WRITE_H
#define VV_WRITE_H

#include <varve/checkpoint.h>

/* What every call needs that goes to a file or comes from one: a graph without
 * a mistake, a node of it, structs as they are now (struct_look.h), values that
 * do not overlap (overlap.h), and a path, or whatever `what` says it is. */
varve_status vv_check_call(
    varve_node *root, const char *path, const char *what, varve_error *error);

/* The same for a save that waits for those in flight; what they failed with it
 * tells. */
varve_status vv_begin_save(
    varve_node *root, const char *path, const char *what, varve_error *error);

/* varve_write with a save counter to keep in the file; 0: none. */
varve_status vv_write(varve_node *root, const char *path, uint64_t counter,
    const varve_write_options *options, varve_error *error);

/* The same with slices, each as a part of its value: others have files of their
 * own with the rest. */
varve_status vv_write_parts(varve_node *root, const char *path,
    uint64_t counter, const varve_write_options *options, varve_error *error);

#endif
