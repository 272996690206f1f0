/* npy_decode.h - the data of a NumPy array as it would lie in a file of ours.
 *
 * The data is passed through a small piece of memory, in the order in which it
 * comes, so that what is deflated is never held as a whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_DECODE_H
#define VV_NPY_DECODE_H

#include "npy_in.h"

/* The bytes of an array, as many as its header promises. */
struct vv_npy_data {
    void *user;
    /* Goes to the first byte of the data; may be done again after an end. */
    varve_status (*begin)(void *user, varve_error *error);
    varve_status (*read)(
        void *user, void *bytes, size_t size, varve_error *error);
    /* After every begin that succeeded, also when a read failed. With VARVE_OK,
     * everything was read: checks what is to be checked then. Returns `status`
     * or what failed now. */
    varve_status (*end)(void *user, varve_status status, varve_error *error);
};

/* What the elements of a string tensor take in a file of ours. NUL behind an
 * element is not part of it. VARVE_CORRUPT for what is not Unicode. */
varve_status vv_npy_strings_size(const struct vv_npy_header *header,
    const struct vv_npy_data *data, const char *where, uint64_t *size,
    varve_error *error);

/* Makes all bytes of a value; `size` is its size in a file of ours.
 * VARVE_CORRUPT where the data is not what it was when the size was found. */
varve_status vv_npy_decode(const struct vv_npy_header *header,
    const struct vv_npy_data *data, const char *where, unsigned char *bytes,
    size_t size, varve_error *error);

#endif
