/* hdf5_values.h - Adds datasets to a draft as values, which are read in place
 * or decoded.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_VALUES_H
#define VV_HDF5_VALUES_H

#include "hdf5_graph.h"

/* Adds a dataset and sets *node to its node. `name` is its name in error
 * messages and must be in the arena of the source. A dataset that is not read
 * becomes an object with a tag that gives the reason. */
varve_status vv_hdf5_add_value(struct vv_hdf5_graph *graph, uint64_t object,
    const struct vv_hdf5_object *what, const char *name, uint32_t *node);

#endif
