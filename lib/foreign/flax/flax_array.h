/* flax_array.h - an array: an extension that is a list of its shape, the name
 * of its type, and its bytes, little-endian and row by row.
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
    varve_tensor shape; /* its dtype is 0 where we have none */
    uint64_t count;     /* of elements */
    uint64_t at, size;  /* of its bytes */
    char tag[48];       /* "flax:int4" */
};

/* Reads the array that an extension is, and goes on behind it. VARVE_CORRUPT
 * where its parts do not fit together. */
varve_status vv_flax_array_read(struct vv_msgpack *in,
    const struct vv_msgpack_item *extension, struct vv_flax_array *array);

#endif
