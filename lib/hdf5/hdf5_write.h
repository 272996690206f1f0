/* hdf5_write.h - Adds groups, datasets, links and attributes. Each function
 * implements the call of the table with the same name. The lock must be held.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_WRITE_H
#define VV_HDF5_WRITE_H

#include "hdf5_file.h"

bool vv_hdf5_create(struct vv_hdf5_file *file, uint64_t *root);
bool vv_hdf5_add_group(
    struct vv_hdf5_file *file, const struct vv_hdf5_name *at, uint64_t *object);
bool vv_hdf5_add_dataset(struct vv_hdf5_file *file,
    const struct vv_hdf5_name *at, const struct vv_hdf5_new *what,
    uint64_t *object, uint64_t *offset);
bool vv_hdf5_add_link(
    struct vv_hdf5_file *file, const struct vv_hdf5_name *at, uint64_t object);
bool vv_hdf5_write_texts(struct vv_hdf5_file *file, uint64_t object,
    const varve_string *texts, size_t count);
bool vv_hdf5_add_attribute(struct vv_hdf5_file *file, uint64_t object,
    const struct vv_hdf5_attribute *attribute);

#endif
