/* hdf5_file.h - a file of libhdf5 while it is open, and how each call begins
 * and ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_FILE_H
#define VV_HDF5_FILE_H

/* The calls that 1.10 has, of any later version too. */
#define H5_USE_110_API
#include <hdf5.h>

#include "hdf5_module.h"

struct vv_hdf5_file {
    struct vv_hdf5_bytes bytes;
    hid_t driver, access, file;
    uint64_t listed;    /* bytes that were read to find out what there is */
    bool is_listing;    /* the call reads for nothing else */
    bool is_cancelled;  /* a function that was handed in gave false */
    varve_error reason; /* of the bytes: why they cannot be read or written */
    varve_error broken; /* of the first that could not be written: libhdf5 is
                           not told, since it never lets go of such a file */
};

/* What a call leaves as it was. */
struct vv_hdf5_turn {
    struct vv_hdf5_file *file;
    H5E_auto2_t print;
    void *data;
    bool prints;
};

/* Between the two no other call runs, and libhdf5 prints nothing. False
 * (VARVE_MISUSE) from within another call, and in a process that was forked
 * while another thread was in one: then libhdf5 is not to be called. */
bool vv_hdf5_begin(
    struct vv_hdf5_turn *turn, struct vv_hdf5_file *file, varve_error *error);

/* Makes of its stack one line, where the call failed; gives its status. */
varve_status vv_hdf5_end(
    struct vv_hdf5_turn *turn, bool is_done, varve_error *error);

/* A failure that libhdf5 knows nothing of; false. */
bool vv_hdf5_fail(struct vv_hdf5_file *file, varve_status status,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Notes what failed, before another call of libhdf5 clears its stack. */
void vv_hdf5_note(void);

/* Closes an id, if it is one, of whatever kind. */
void vv_hdf5_drop(hid_t id);

#endif
