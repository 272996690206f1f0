/* hdf5_soft.h - Resolves soft links, which are paths in the file. libhdf5 is
 * not used for this, because it would follow them into other files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_SOFT_H
#define VV_HDF5_SOFT_H

#include "hdf5_graph.h"

/* A link that can be resolved becomes another edge to its target. Any other
 * link becomes an object tagged `hdf5:soft:<path>`. */
varve_status vv_hdf5_follow_soft(struct vv_hdf5_graph *graph);

#endif
