/* flax_array.h - Reads an array: an extension that contains a list of its
 * shape, the name of its type, and its bytes, little-endian and in row-major
 * order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_ARRAY_H
#define VV_FLAX_ARRAY_H

#include <varve/tensor.h>

#include "msgpack_in.h"

/* Types of extensions. */
enum { VV_FLAX_ARRAY = 1, VV_FLAX_COMPLEX = 2, VV_FLAX_SCALAR = 3 };

struct vv_flax_array {
    /* to read */
    varve_tensor shape; /* its dtype is 0 if Varve does not have the type */
    uint64_t count;     /* number of elements */
    uint64_t at, size;  /* of its bytes */
    char tag[48];       /* such as "flax:int4" */
};

/* Reads the array of an extension and moves past it. Returns VARVE_CORRUPT if
 * its parts are inconsistent. */
varve_status vv_flax_array_read(struct vv_msgpack *in,
    const struct vv_msgpack_item *extension, struct vv_flax_array *array);

#endif
