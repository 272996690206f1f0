/* hdf5_type.h - Maps element types of HDF5 to element types of Varve.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_TYPE_H
#define VV_HDF5_TYPE_H

#include "hdf5_file.h"

/* Describes a type. If it is an array, the result is the type of its elements,
 * and its extents are appended to those of the object if there is room. */
bool vv_hdf5_look_at_type(hid_t type, struct vv_hdf5_object *object);

/* Returns the type in memory that corresponds to a Varve file, or the type
 * itself if Varve does not have it. The caller must drop it. */
hid_t vv_hdf5_memory_type(hid_t type, const struct vv_hdf5_type *what);

/* Returns the type in memory for strings of variable size. Each is a hvl_t with
 * the size in the file, so that it can contain NUL. The caller must drop it. */
hid_t vv_hdf5_varying_type(void);

/* Returns the size of a text that is stored in `size` bytes, without
 * padding. */
size_t vv_hdf5_text_size(const char *text, size_t size, H5T_str_t padding);

/* Returns the type in which an element type is written. States, and types that
 * HDF5 does not have, are opaque bytes. The caller must drop it. */
hid_t vv_hdf5_file_type(varve_dtype dtype);

#define VV_HDF5_STATE_NAME "varve state"

/* Returns the name of such bytes in the attribute `dtype`, as Keras writes it,
 * or NULL. */
const char *vv_hdf5_byte_name(varve_dtype dtype);

#endif
