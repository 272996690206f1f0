/* peer_hdf5.h - Declares a file of HDF5 with the same values, one data set
 * each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_PEER_HDF5_H
#define BENCH_PEER_HDF5_H

#include <stdbool.h>
#include <stddef.h>

struct hdf5 {
    const char *path;
    unsigned char *bytes; /* `count` float32 values of equal size */
    size_t size;
    size_t count;
    bool no_sync;
};

/* Returns true if the benchmarks were built with HDF5. Otherwise the other
 * functions are not called. */
bool hdf5_is_there(void);

double hdf5_save(void *hdf5); /* to a new file; removes the old one */
/* by name, into `bytes`; without verification */
double hdf5_restore(void *hdf5);

#endif
