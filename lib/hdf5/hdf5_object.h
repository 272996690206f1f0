/* hdf5_object.h - Describes the contents of a file: groups, links, datasets and
 * attributes.
 *
 * The comment after each function names the call of the table that it
 * implements. The lock must be held.
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
    const struct vv_hdf5_attribute_visitor *visitor); /* attributes */

#endif
