/* npy_out.h - Writes values as NumPy arrays, identical to the output of np.save
 * and np.savez.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_OUT_H
#define VV_NPY_OUT_H

#include "npy_in.h"
#include "target.h"

/* --- Arrays --------------------------------------------------------------- */

/* Writes values as NumPy arrays, identical to the output of np.save. */

/* Writes a single array to a file. The graph must have exactly one variable
 * with a value, else VARVE_MISUSE is returned. */
extern const struct vv_target_format vv_npy_target;

/* A value that is being written. */
struct vv_npy_out {
    const struct vv_target *target;
    uint32_t value;
    varve_tensor type;
    bool is_kept;              /* the value was read from an npy or npz file and
                                  has a type that Varve does not have */
    struct vv_npy_header kept; /* its original header */
    uint64_t count;            /* number of elements */
    uint64_t item_size;        /* size of an element in the array */
    uint64_t size;             /* size of the data: count * item_size */
    struct vv_source source;   /* as in a Varve file, borrowed */
    struct vv_buffer header;   /* from the signature to the end of the line, a
                                  multiple of 64 bytes */
};

/* The destination of the bytes. */
struct vv_npy_sink {
    void *user;
    varve_status (*write)(
        void *user, const void *bytes, size_t size, varve_error *error);
};

/* Requests the bytes of a value and builds its header. Sets *is_held to false
 * if NumPy cannot store the value, and reports the loss. Call vv_npy_out_end
 * after success and after failure. */
varve_status vv_npy_out_begin(struct vv_npy_out *out,
    const struct vv_target *target, uint32_t value, bool *is_held,
    varve_error *error);
void vv_npy_out_end(struct vv_npy_out *out);

/* Writes the header and the data. */
varve_status vv_npy_out_write(const struct vv_npy_out *out,
    const struct vv_npy_sink *sink, varve_error *error);

/* Returns true if a value can be written: that of a variable that was saved, or
 * of a state with a kept header. */
bool vv_npy_is_written(const struct vv_target *target, uint32_t value);

/* Reports the losses of a file that contains only named arrays: states, values
 * that do not exist, metadata, the save counter, and the losses of all formats
 * without a graph. */
void vv_npy_report_lost_rest(const struct vv_target *target);

/* --- Archives ------------------------------------------------------------- */

/* Writes a graph as a zip archive of NumPy arrays, as np.savez does: stored,
 * with NAME.npy for each variable that has a value. */

extern const struct vv_target_format vv_npz_target;

#endif
