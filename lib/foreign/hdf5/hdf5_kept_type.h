/* hdf5_kept_type.h - Keeps the type and the shape of each dataset whose type
 * Varve does not have, such as a compound, so that it is written again
 * unchanged.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_KEPT_TYPE_H
#define VV_HDF5_KEPT_TYPE_H

#include "hdf5_graph.h"
#include "target.h"

struct vv_hdf5_kept_type {
    /* to read */
    uint32_t rank;
    uint64_t extents[VV_HDF5_MOST_RANK];
    const unsigned char *type; /* as libhdf5 encodes it */
    size_t type_size;
};

/* Keeps the types of all states that are datasets, except those whose names are
 * kept, types of more than 4096 bytes, and types after as many bytes as the
 * file has. */
varve_status vv_hdf5_keep_types(struct vv_hdf5_graph *graph);

/* Returns false if no type was kept of a node, or if its value does not have as
 * many bytes as before. */
bool vv_hdf5_kept_type_of(const struct vv_target *target, uint32_t node,
    struct vv_hdf5_kept_type *kept);

/* Returns true if a tag of a node, by the number of its name, contains nothing
 * that is not in the type that is written again. */
bool vv_hdf5_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name);

#endif
