/* torch_tar_link.h - Replaces persistent ids of a pickle by the tensors of a
 * tar archive.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_TAR_LINK_H
#define VV_TORCH_TAR_LINK_H

#include "torch_tar.h"

/* Appends the texts that vv_torch_tar_link needs to the bytes of the pickle. */
void vv_torch_tar_add_texts(struct vv_torch_tar *tar, struct vv_buffer *pickle);

/* Replaces the persistent ids of a pickle, which was parsed from these bytes,
 * by calls of torch._utils._rebuild_tensor_v2 and by classes. Messages begin
 * with `where`. Returns VARVE_CORRUPT for an id that the file does not
 * contain. */
varve_status vv_torch_tar_link(struct vv_torch_tar *tar,
    struct vv_pickle *pickle, const char *where, varve_error *error);

#endif
