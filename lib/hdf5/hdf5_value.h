/* hdf5_value.h - Reads the elements of datasets. The comment after each
 * function names the call of the table that it implements. The lock must be
 * held.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_VALUE_H
#define VV_HDF5_VALUE_H

#include "hdf5_file.h"

bool vv_hdf5_read_value(struct vv_hdf5_file *file, uint64_t object, void *bytes,
    size_t size); /* read */
bool vv_hdf5_read_strings(struct vv_hdf5_file *file, uint64_t object,
    uint64_t most, vv_hdf5_each_string *each, void *user); /* strings */

#endif
