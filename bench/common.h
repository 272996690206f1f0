/* common.h - saving and restoring a graph against the clock.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <varve/varve.h>

/* A graph and its file; what a contender's `user` is. */
struct job {
    varve_graph *graph;
    const char *path;
    void *memory; /* of its values, and how many bytes, where that matters */
    size_t size;
    varve_write_options save;
    varve_read_options restore;
};

double run_save(void *job);    /* to a new file; the older one is removed */
double run_restore(void *job); /* with varve_restoration_free */
double run_plan(void *job);
double run_open(void *job);

#endif
