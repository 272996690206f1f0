/* hdf5_slots.h - Recognizes slots as Varve writes them:
 * `<owner>/@slots/<slot>/<path of the variable>`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_SLOTS_H
#define VV_HDF5_SLOTS_H

#include "hdf5_graph.h"

/* Adds slots for such groups to the draft and removes the groups from it. A
 * group that contains anything else stays an ordinary group. */
varve_status vv_hdf5_add_slots(struct vv_hdf5_graph *graph);

#endif
