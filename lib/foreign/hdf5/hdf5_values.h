/* hdf5_values.h - datasets as values of a draft: where they lie in the file, or
 * made when they are asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_VALUES_H
#define VV_HDF5_VALUES_H

#include "hdf5_graph.h"

/* Sets *node to that of a dataset, which is called `name` in messages (in the
 * arena of the source). What is not read is an object with a tag that says
 * why. */
varve_status vv_hdf5_add_value(struct vv_hdf5_graph *graph, uint64_t object,
    const struct vv_hdf5_object *what, const char *name, uint32_t *node);

#endif
