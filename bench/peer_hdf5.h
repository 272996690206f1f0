/* peer_hdf5.h - the same values in a file of HDF5, one data set each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_PEER_HDF5_H
#define BENCH_PEER_HDF5_H

#include <stdbool.h>
#include <stddef.h>

struct hdf5 {
    const char *path;
    unsigned char *bytes; /* of `count` values of float32, evenly */
    size_t size;
    size_t count;
    bool no_sync;
};

/* Whether the benchmarks were built with HDF5; without, the rest is not
 * called. */
bool hdf5_is_there(void);

double hdf5_save(void *hdf5);    /* to a new file; the older one is removed */
double hdf5_restore(void *hdf5); /* by name, into `bytes`; nothing verified */

#endif
