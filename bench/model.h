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

/* Adds `count` scalars, each with a name of its own: those of a hundred are
 * model/block_1/unit_101/weight_10100 and so on. `values` has room for them;
 * NULL: the library's own memory. */
void add_scalars(varve_graph *graph, size_t count, float *values);

/* A graph of such scalars. */
varve_graph *model_of_scalars(size_t count, float *values);

#endif
