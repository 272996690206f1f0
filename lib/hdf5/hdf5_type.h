/* hdf5_type.h - element types of HDF5, and which of ours they are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_TYPE_H
#define VV_HDF5_TYPE_H

#include "hdf5_file.h"

/* Says what a type is. One whose elements are arrays is that of their elements;
 * their extents come behind those that the object has, where there is room. */
bool vv_hdf5_look_at_type(hid_t type, struct vv_hdf5_object *object);

/* The same type as it lies in a file of ours; arrays are those. To be dropped.
 * Of one that is none of ours itself. */
hid_t vv_hdf5_memory_type(hid_t type, const struct vv_hdf5_type *what);

/* The type in memory of texts of varying size: a hvl_t each, with the size that
 * the file has, so that a NUL does not end one. To be dropped. */
hid_t vv_hdf5_varying_type(void);

/* How much of a text that lies in `size` bytes is text. */
size_t vv_hdf5_text_size(const char *text, size_t size, H5T_str_t padding);

/* The type in which elements of ours are written; to be dropped. Those of
 * states and of types that HDF5 has no name for are bytes. */
hid_t vv_hdf5_file_type(varve_dtype dtype);

#define VV_HDF5_STATE_NAME "varve state"

/* What such bytes are in the attribute `dtype`, as Keras has it; or NULL. */
const char *vv_hdf5_byte_name(varve_dtype dtype);

#endif
