/* hdf5_values.h - Adds datasets to a draft as values, and attributes as text
 * metadata.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_VALUES_H
#define VV_HDF5_VALUES_H

#include "hdf5_graph.h"

/* --- Attributes ----------------------------------------------------------- */

/* Adds attributes as text metadata of the checkpoint.
 *
 * Attributes of the root keep their names; those of other objects are named
 * `<path>@<name>`. Attributes that only repeat the names and the structure of
 * values are left out. */

/* Adds the attributes of an item, and sets its label. Returns VARVE_LIMIT if
 * they are too long for the size of the file. */
varve_status vv_hdf5_add_texts(struct vv_hdf5_graph *graph, size_t item);

/* --- Datasets ------------------------------------------------------------- */

/* Adds a dataset and sets *node to its node. `name` is its name in error
 * messages and must be in the arena of the source. A dataset that is not read
 * becomes an object with a tag that gives the reason. */
varve_status vv_hdf5_add_value(struct vv_hdf5_graph *graph, uint64_t object,
    const struct vv_hdf5_object *what, const char *name, uint32_t *node);

#endif
