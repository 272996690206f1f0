/* mapping.h - pages of a file as the memory of a variable.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MAPPING_H
#define VV_MAPPING_H

#include "data_in.h"

/* Maps a range of the file, private and writable; `offset` is a multiple of
 * 4096. `owner` is a struct vv_borrowed to hand on with `data`. */
varve_status vv_mapping_new(const struct vv_context *context,
    const struct vv_data_in *file, uint64_t offset, size_t size, void **owner,
    void **data, varve_error *error);

/* Takes NULL. */
void vv_mapping_free(void *owner, void *data);

#endif
