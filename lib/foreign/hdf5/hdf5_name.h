/* hdf5_name.h - names of a graph as HDF5 may have them, and back.
 *
 * HDF5 has paths with '/', "." is where one is, and two names are ours there.
 * So '/' is `%2F`, and the whole names are `%2E`, `%40slots` and `%40state`. A
 * name that looks so by itself has one `25` more behind its '%', so that each
 * comes back as it was; all other names are the same here and there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_NAME_H
#define VV_HDF5_NAME_H

#include "buffer.h"

/* The group in which the slots of an object are. */
#define VV_HDF5_SLOTS "@slots"

/* In a group that stands for a state with children: the state. */
#define VV_HDF5_STATE "@state"

/* Whether the bytes are that name. */
bool vv_hdf5_is_name(const char *bytes, size_t size, const char *name);

/* Adds a name of a graph as it is in a file. */
void vv_hdf5_escape(struct vv_buffer *to, const char *bytes, size_t size);

/* A name of a file as it is in a graph: itself, or in `text`, which begins
 * anew. NULL without memory. */
const char *vv_hdf5_unescape(struct vv_buffer *text, const char *name);

#endif
