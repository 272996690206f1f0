/* flax_decode.h - the values that do not lie in the file as ours do: read again
 * from the item that they are, whose offset is the number of their place.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_DECODE_H
#define VV_FLAX_DECODE_H

#include <varve/tensor.h>

#include "msgpack_in.h"

/* The type of a list that has numbers only, integers or reals, and at least
 * one: int64 or float64, and behind its items then. Else, and where float64 has
 * not each integer exactly, 0, and its items are next still. */
varve_status vv_flax_vector(struct vv_msgpack *in,
    const struct vv_msgpack_item *list, varve_dtype *dtype);

varve_status vv_flax_decode(const struct vv_foreign *foreign, uint64_t number,
    unsigned char *bytes, size_t size, varve_error *error);

#endif
