/* hdf5_texts.h - Adds attributes as text metadata of the checkpoint.
 *
 * Attributes of the root keep their names; those of other objects are named
 * `<path>@<name>`. Attributes that only repeat the names and the structure of
 * values are left out.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_TEXTS_H
#define VV_HDF5_TEXTS_H

#include "hdf5_graph.h"

/* Adds the attributes of a thing, and sets its label. Returns VARVE_LIMIT if
 * they are too long for the size of the file. */
varve_status vv_hdf5_add_texts(struct vv_hdf5_graph *graph, size_t thing);

#endif
