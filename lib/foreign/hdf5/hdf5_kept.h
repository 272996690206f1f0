/* hdf5_kept.h - Stores properties of the nodes of an HDF5 file that are needed
 * to write it like Keras: names of groups that were replaced by those of
 * layers, names that variables got in addition to their numbers, and the name
 * of the layer in the attribute of `vars`.
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
    VV_HDF5_KEPT_ALIAS = 'a', /* the edge `first` does not exist in the file */
    VV_HDF5_KEPT_LABEL = 'l', /* the value of its attribute `name` is `first` */
    VV_HDF5_KEPT_TYPE = 't'   /* a type; see hdf5_kept_type.h */
};

struct vv_hdf5_kept {
    /* to read */
    enum vv_hdf5_kept_kind kind;
    const char *first, *second; /* terminated */
};

/* Stores data for a thing; at most once for each. */
void vv_hdf5_keep(struct vv_hdf5_graph *graph, size_t thing,
    enum vv_hdf5_kept_kind kind, const char *first, const char *second);

/* Returns the data stored for a node that is being written. */
struct vv_hdf5_kept vv_hdf5_kept_of(
    const struct vv_target *target, uint32_t node);

#endif
