/* npy_out.h - values as NumPy arrays: byte for byte what np.save writes of
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_OUT_H
#define VV_NPY_OUT_H

#include "npy_in.h"
#include "target.h"

/* A single array in a file of its own: a graph of exactly one variable that has
 * a value; VARVE_MISUSE for others. */
extern const struct vv_target_format vv_npy_target;

/* A value on its way. */
struct vv_npy_out {
    const struct vv_target *target;
    uint32_t value;
    varve_tensor type;
    bool is_kept;              /* bytes of a type that we do not have */
    struct vv_npy_header kept; /* what they were */
    uint64_t count;            /* of elements */
    uint64_t item_size;        /* bytes of each, in the array */
    uint64_t size;             /* of the data: count * item_size */
    struct vv_source source;   /* as in a file of ours, borrowed */
    struct vv_buffer header;   /* magic to line end, a multiple of 64 bytes */
};

/* Where bytes go. */
struct vv_npy_sink {
    void *user;
    varve_status (*write)(
        void *user, const void *bytes, size_t size, varve_error *error);
};

/* Asks for the bytes of a value and makes its header. *is_held says whether
 * NumPy can hold it at all; if not, the loss was told. End with
 * vv_npy_out_end, after a failure too. */
varve_status vv_npy_out_begin(struct vv_npy_out *out,
    const struct vv_target *target, uint32_t value, bool *is_held,
    varve_error *error);
void vv_npy_out_end(struct vv_npy_out *out);

/* Writes header and data. */
varve_status vv_npy_out_write(const struct vv_npy_out *out,
    const struct vv_npy_sink *sink, varve_error *error);

/* Whether a value is that of a variable and was saved. */
bool vv_npy_is_written(const struct vv_target *target, uint32_t value);

/* Tells what arrays with names, and nothing else, cannot hold: states, values
 * that are not there, metadata, the save counter, and what no flat format
 * can. */
void vv_npy_lose_rest(const struct vv_target *target);

#endif
