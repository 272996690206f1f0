/* hdf5_file.h - Defines an open file of libhdf5, and the functions that begin
 * and end each call.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_FILE_H
#define VV_HDF5_FILE_H

/* Selects the API of version 1.10, which later versions provide as well. */
#define H5_USE_110_API
#include <hdf5.h>

#include "hdf5_module.h"

struct vv_hdf5_file {
    struct vv_hdf5_bytes bytes;
    hid_t driver, access, file;
    hid_t opened;       /* the object that was opened last, or 0 */
    uint64_t opened_at; /* its address */
    uint64_t listed;    /* bytes read for metadata */
    bool is_listing;    /* the current call reads only metadata */
    bool is_cancelled;  /* a callback returned false */
    varve_error reason; /* why the bytes cannot be read or written */
    varve_error broken; /* the first failure to write. It is not reported to
                           libhdf5, which could not close the file after it */
};

/* State that is restored at the end of a call. */
struct vv_hdf5_turn {
    struct vv_hdf5_file *file;
    H5E_auto2_t print;
    void *data;
    bool prints;
};

/* Begins a call: takes the lock and disables the error output of libhdf5. Until
 * vv_hdf5_end no other call runs. Returns false (VARVE_MISUSE) inside another
 * call, and in a process that was forked while another thread was in a call;
 * libhdf5 must not be called then. */
bool vv_hdf5_begin(
    struct vv_hdf5_turn *turn, struct vv_hdf5_file *file, varve_error *error);

/* Ends a call. If it failed, converts the error stack to a message of one line.
 * Returns the status. */
varve_status vv_hdf5_end(
    struct vv_hdf5_turn *turn, bool is_done, varve_error *error);

/* Records a failure that did not occur in libhdf5. Returns false. */
bool vv_hdf5_fail(struct vv_hdf5_file *file, varve_status status,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Records the error stack before another call of libhdf5 clears it. */
void vv_hdf5_note(void);

/* Closes an id of any kind. Ignores values that are not ids. */
void vv_hdf5_drop(hid_t id);

/* Opens an object of a file that is read. The object stays open until another
 * one is opened, because calls that describe it, list its attributes and list
 * its links follow each other. The file owns the id. Returns a negative value
 * on failure. */
hid_t vv_hdf5_open_object(struct vv_hdf5_file *file, uint64_t object);

#endif
