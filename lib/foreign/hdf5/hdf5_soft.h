/* hdf5_soft.h - soft links: paths in the file, followed here and not by
 * libhdf5, which would follow them into other files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_SOFT_H
#define VV_HDF5_SOFT_H

#include "hdf5_graph.h"

/* What leads to something is one more edge of that. What leads nowhere becomes
 * an object tagged `hdf5:soft:<its path>`. */
varve_status vv_hdf5_follow_soft(struct vv_hdf5_graph *graph);

#endif
