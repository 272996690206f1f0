/* hdf5_object.h - what there is in a file: groups, links, datasets, attributes.
 *
 * Behind each stands the call of the table that it is for; these run in a turn.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_OBJECT_H
#define VV_HDF5_OBJECT_H

#include "hdf5_file.h"

bool vv_hdf5_describe(struct vv_hdf5_file *file, uint64_t object,
    struct vv_hdf5_object *what); /* describe */
bool vv_hdf5_encode_type(struct vv_hdf5_file *file, uint64_t object,
    unsigned char *bytes, size_t *size); /* encode_type */
bool vv_hdf5_list(struct vv_hdf5_file *file, uint64_t object,
    vv_hdf5_each_link *each, void *user); /* links */
bool vv_hdf5_list_attributes(struct vv_hdf5_file *file, uint64_t object,
    const struct vv_hdf5_attribute_visitor *told); /* attributes */

#endif
