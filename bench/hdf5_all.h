/* hdf5_all.h - parallel HDF5 beside Varve: all ranks write one data set of one
 * file, each its rows, and read it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_HDF5_ALL_H
#define BENCH_HDF5_ALL_H

#include <stdbool.h>
#include <stdint.h>

#include <varve/comm.h>

/* Rows of floats that a rank has of a table. */
struct hdf5_all {
    const char *path;
    uint64_t rows, width;  /* of the table */
    uint64_t first, count; /* the rank's rows */
    void *bytes;
};

/* Whether the program was built with it and runs under mpirun: as which rank,
 * of how many. */
bool hdf5_all_begin(uint32_t *size);
const varve_comm *hdf5_all_comm(varve_error *error);
void hdf5_all_end(void);

/* Collective, durable when it returns. */
void hdf5_all_save(const struct hdf5_all *mine);
void hdf5_all_restore(const struct hdf5_all *mine);

#endif
