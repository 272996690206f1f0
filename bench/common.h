/* common.h - Declares functions that save and restore a graph and measure the
 * time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <varve/varve.h>

/* A graph and its file; the `user` of a contender. */
struct job {
    varve_graph *graph;
    const char *path;
    void *memory; /* memory and size of the values, if needed */
    size_t size;
    varve_write_options save;
    varve_read_options restore;
};

double run_save(void *job);    /* to a new file; removes the old one */
double run_restore(void *job); /* including varve_restoration_free */
double run_plan(void *job);
double run_open(void *job);

#endif
