/* flax_decode.h - Decodes values that are not stored as in a Varve file. They
 * are read again from their items; the number of their place is the offset of
 * the item.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_DECODE_H
#define VV_FLAX_DECODE_H

#include <varve/tensor.h>

#include "msgpack_in.h"

/* Sets *dtype to int64 or float64 for a list that contains only numbers, and at
 * least one; then moves past its items. Otherwise, or if float64 cannot
 * represent one of its integers exactly, sets *dtype to 0 and stays before the
 * items. */
varve_status vv_flax_vector(struct vv_msgpack *in,
    const struct vv_msgpack_item *list, varve_dtype *dtype);

varve_status vv_flax_decode(const struct vv_foreign *foreign, uint64_t number,
    unsigned char *bytes, size_t size, varve_error *error);

#endif
