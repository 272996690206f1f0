/* hdf5_all.h - Declares parallel HDF5 for comparison: all ranks write their
 * rows to one data set of one file and read them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_HDF5_ALL_H
#define BENCH_HDF5_ALL_H

#include <stdbool.h>
#include <stdint.h>

#include <varve/comm.h>

/* The rows of a float table that a rank has. */
struct hdf5_all {
    const char *path;
    uint64_t rows, width;  /* size of the table */
    uint64_t first, count; /* rows of the rank */
    void *bytes;
};

/* Returns true if the program was built with parallel HDF5 and runs under
 * mpirun, and sets rank and size. */
bool hdf5_all_begin(uint32_t *size);
const varve_comm *hdf5_all_comm(varve_error *error);
void hdf5_all_end(void);

/* Collective; the file is durable when it returns. */
void hdf5_all_save(const struct hdf5_all *mine);
void hdf5_all_restore(const struct hdf5_all *mine);

#endif
