/* flax_array.h - Reads arrays. An array is an extension that contains a list of
 * its shape, the name of its type, and its bytes, little-endian and in
 * row-major order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_ARRAY_H
#define VV_FLAX_ARRAY_H

#include <stddef.h>
#include <varve/tensor.h>

#include "msgpack_in.h"

/* --- Element types -------------------------------------------------------- */

/* Lists the element types of arrays by their names in NumPy (`dtype.name`),
 * including those of the package ml_dtypes. */

struct vv_flax_type {
    const char *name;
    varve_dtype dtype;  /* 0 if Varve does not have the type */
    unsigned char size; /* of an element */
};

/* Returns the type with this name, or NULL. */
const struct vv_flax_type *vv_flax_type_find(const char *name, size_t size);

/* --- Arrays --------------------------------------------------------------- */

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

/* --- Chunked arrays ------------------------------------------------------- */

/* Reads an array that was too large for one msgpack item: a map with a marker,
 * the shape, and flat chunks by position. */

struct vv_flax_chunks {
    /* to read */
    struct vv_flax_array array;    /* the whole array, which is not contiguous
                                      in the file */
    struct vv_msgpack_item pieces; /* the map of chunks */
    uint64_t first;                /* offset of its first pair */
};

/* Sets *are_next to true if a map, whose pairs follow, is a chunked array; then
 * moves past the marker. */
varve_status vv_flax_chunks_are_next(
    struct vv_msgpack *in, const struct vv_msgpack_item *map, bool *are_next);

/* Reads the rest of such a map and moves past it. Returns VARVE_CORRUPT if
 * its chunks do not add up to the array. */
varve_status vv_flax_chunks_read(struct vv_msgpack *in,
    const struct vv_msgpack_item *map, struct vv_flax_chunks *chunks);

/* Reads the next chunk, which must be the one with this number. Start at
 * `first`. */
varve_status vv_flax_chunks_next(
    struct vv_msgpack *in, uint64_t number, struct vv_flax_array *piece);

/* --- Decoding ------------------------------------------------------------- */

/* Decodes values that are not stored as in a Varve file. They are read again
 * from their items; the number of their place is the offset of the item. */

/* Sets *dtype to int64 or float64 for a list that contains only numbers, and at
 * least one; then moves past its items. Otherwise, or if float64 cannot
 * represent one of its integers exactly, sets *dtype to 0 and stays before the
 * items. */
varve_status vv_flax_vector(struct vv_msgpack *in,
    const struct vv_msgpack_item *list, varve_dtype *dtype);

varve_status vv_flax_decode(const struct vv_foreign *foreign, uint64_t number,
    unsigned char *bytes, size_t size, varve_error *error);

#endif
