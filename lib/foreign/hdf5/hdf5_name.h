/* hdf5_name.h - Converts between names of a graph and names in an HDF5 file.
 *
 * HDF5 separates paths by '/', "." refers to the current group, and Varve
 * reserves two names. So '/' is escaped as `%2F`, and the whole names as `%2E`,
 * `%40slots` and `%40state`. A name that already contains such a code gets an
 * additional `25` after its '%', so that unescaping restores it. All other
 * names are not changed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_NAME_H
#define VV_HDF5_NAME_H

#include "buffer.h"

/* The group that contains the slots of an object. */
#define VV_HDF5_SLOTS "@slots"

/* The dataset of a state in a group that represents a state with children. */
#define VV_HDF5_STATE "@state"

/* Returns true if the bytes are equal to `name`. */
bool vv_hdf5_is_name(const char *bytes, size_t size, const char *name);

/* Appends the escaped form of a name. */
void vv_hdf5_escape(struct vv_buffer *to, const char *bytes, size_t size);

/* Returns the unescaped form of a name: `name` itself, or a string in `text`,
 * whose contents are replaced. Returns NULL if memory runs out. */
const char *vv_hdf5_unescape(struct vv_buffer *text, const char *name);

#endif
