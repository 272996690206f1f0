/* model.h - graphs to save and restore.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_MODEL_H
#define BENCH_MODEL_H

#include <stddef.h>

#include <varve/varve.h>

/* Adds `count` variables that share `bytes` (NULL: the library's own memory)
 * evenly, ten to an object. `size` is of all of them. */
void add_variables(
    varve_graph *graph, unsigned char *bytes, size_t size, size_t count);

/* A graph of such variables. */
varve_graph *model_of_variables(
    unsigned char *bytes, size_t size, size_t count);

/* About `nodes` nodes: lists of 500 objects with one scalar each. `values` has
 * room for nodes / 2 of them. */
varve_graph *model_of_nodes(size_t nodes, float *values);

#endif
