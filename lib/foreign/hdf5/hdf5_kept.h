/* hdf5_kept.h - what is kept of the nodes of an HDF5 file, so that it is
 * written as Keras had it: names of groups that became those of layers, names
 * that variables got besides their numbers, and what `vars` says of its layer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_KEPT_H
#define VV_HDF5_KEPT_H

#include "hdf5_graph.h"
#include "target.h"

enum vv_hdf5_kept_kind {
    VV_HDF5_KEPT_NOTHING = 0,
    VV_HDF5_KEPT_NAME = 'n',  /* `first` in the graph is `second` in the file */
    VV_HDF5_KEPT_ALIAS = 'a', /* `first` is not in the file */
    VV_HDF5_KEPT_LABEL = 'l', /* its attribute `name` is `first` */
    VV_HDF5_KEPT_TYPE = 't'   /* see hdf5_kept_type.h; has no texts */
};

struct vv_hdf5_kept {
    /* to read */
    enum vv_hdf5_kept_kind kind;
    const char *first, *second; /* terminated */
};

/* Of a thing, once. */
void vv_hdf5_keep(struct vv_hdf5_graph *graph, size_t thing,
    enum vv_hdf5_kept_kind kind, const char *first, const char *second);

/* What was kept of a node that is written. */
struct vv_hdf5_kept vv_hdf5_kept_of(
    const struct vv_target *target, uint32_t node);

#endif
