/* hdf5_slots.h - slots as we write them: `<owner>/@slots/<slot>/<path of the
 * variable>`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_SLOTS_H
#define VV_HDF5_SLOTS_H

#include "hdf5_graph.h"

/* Makes slots of such groups, which are then no objects. One in which anything
 * is no value of a variable at its path is a group like any other. */
varve_status vv_hdf5_add_slots(struct vv_hdf5_graph *graph);

#endif
