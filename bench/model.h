/* model.h - Declares graphs to save and restore.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_MODEL_H
#define BENCH_MODEL_H

#include <stddef.h>

#include <varve/varve.h>

/* Adds `count` variables that divide `bytes` evenly (NULL: library-owned
 * memory), ten to an object. `size` is the total size. */
void add_variables(
    varve_graph *graph, unsigned char *bytes, size_t size, size_t count);

/* Returns a graph of such variables. */
varve_graph *model_of_variables(
    unsigned char *bytes, size_t size, size_t count);

/* Adds `count` scalars with unique names; those of a hundred are
 * model/block_1/unit_101/weight_10100 and so on. `values` is an array for them;
 * NULL: library-owned memory. */
void add_scalars(varve_graph *graph, size_t count, float *values);

/* Returns a graph of such scalars. */
varve_graph *model_of_scalars(size_t count, float *values);

#endif
