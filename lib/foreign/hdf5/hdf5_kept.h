/* hdf5_kept.h - Stores properties of the nodes of an HDF5 file that are needed
 * to write it again: names of groups that were replaced by those of layers,
 * names that variables got in addition to their numbers, and types that Varve
 * does not have.
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
    VV_HDF5_KEPT_TYPE = 't'   /* a type; see hdf5_kept.h */
};

struct vv_hdf5_kept {
    /* to read */
    enum vv_hdf5_kept_kind kind;
    const char *first, *second; /* terminated */
};

/* Stores data for an item; at most once for each. */
void vv_hdf5_keep(struct vv_hdf5_graph *graph, size_t item,
    enum vv_hdf5_kept_kind kind, const char *first, const char *second);

/* Returns the data stored for a node that is being written. */
struct vv_hdf5_kept vv_hdf5_kept_of(
    const struct vv_target *target, uint32_t node);

/* --- Types ---------------------------------------------------------------- */

/* Keeps the type and the shape of each dataset whose type Varve does not have,
 * such as a compound, so that it is written again unchanged. */

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
