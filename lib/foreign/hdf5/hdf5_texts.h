/* hdf5_texts.h - attributes as texts of the checkpoint.
 *
 * Of the root by their names, of what is below it by `<path>@<name>`. Left out
 * is what says again how values are called and how they belong together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_TEXTS_H
#define VV_HDF5_TEXTS_H

#include "hdf5_graph.h"

/* Of one of the things; sets its label. VARVE_LIMIT where there is more than
 * such a file can mean. */
varve_status vv_hdf5_add_texts(struct vv_hdf5_graph *graph, size_t thing);

#endif
