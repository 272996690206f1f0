/* npy_decode.h - Converts the data of a NumPy array to the representation in a
 * Varve file.
 *
 * The data is read sequentially through a small buffer, so that deflated data
 * is never held in memory as a whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_DECODE_H
#define VV_NPY_DECODE_H

#include "npy_in.h"

/* Access to the bytes of an array, as many as its header declares. */
struct vv_npy_data {
    void *user;
    /* Moves to the first byte of the data; can be called again after `end`. */
    varve_status (*begin)(void *user, varve_error *error);
    varve_status (*read)(
        void *user, void *bytes, size_t size, varve_error *error);
    /* Called after each successful `begin`, also if a read failed. If `status`
     * is VARVE_OK, all data was read and its checksum is verified. Returns
     * `status` or the status of a new failure. */
    varve_status (*end)(void *user, varve_status status, varve_error *error);
};

/* Sets *size to the size of a string tensor in a Varve file. NULs at the end of
 * an element are not part of it. Returns VARVE_CORRUPT if the data is not
 * Unicode. */
varve_status vv_npy_strings_size(const struct vv_npy_header *header,
    const struct vv_npy_data *data, const char *where, uint64_t *size,
    varve_error *error);

/* Decodes a value into `bytes`. `size` is its size in a Varve file. Returns
 * VARVE_CORRUPT if the data has changed since the size was determined. */
varve_status vv_npy_decode(const struct vv_npy_header *header,
    const struct vv_npy_data *data, const char *where, unsigned char *bytes,
    size_t size, varve_error *error);

#endif
