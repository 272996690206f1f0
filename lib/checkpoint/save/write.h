/* write.h - Writes a graph to a file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WRITE_H
#define VV_WRITE_H

#include <varve/checkpoint.h>

/* Performs the checks that all calls that write or read a file need: the graph
 * has no error, `root` is one of its nodes, structs match the program's memory
 * (struct_look.h updates them), values do not overlap (overlap.h), and `path`
 * is not NULL. `what` is the name of the argument `path` for messages. */
varve_status vv_check_call(
    varve_node *root, const char *path, const char *what, varve_error *error);

/* As vv_check_call, for a save that waits for the saves in flight. Returns
 * their failures, too. */
varve_status vv_begin_save(
    varve_node *root, const char *path, const char *what, varve_error *error);

/* As varve_write, with a save counter to store in the file; 0: none. */
varve_status vv_write(varve_node *root, const char *path, uint64_t counter,
    const varve_write_options *options, varve_error *error);

/* As vv_write, but saves shards as parts of their values; other processes write
 * files with the other shards. */
varve_status vv_write_parts(varve_node *root, const char *path,
    uint64_t counter, const varve_write_options *options, varve_error *error);

#endif
