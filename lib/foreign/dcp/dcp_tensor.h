/* dcp_tensor.h - a tensor of a checkpoint of torch.distributed: whole in one
 * part, or put together of pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DCP_TENSOR_H
#define VV_DCP_TENSOR_H

#include "dcp_metadata.h"
#include "torch_merge.h"

struct vv_dcp_reading {
    /* to fill in */
    const struct vv_foreign *foreign;
    struct vv_dcp_metadata *metadata;
    struct vv_torch_merge *merge;
    varve_error *error;
    uint64_t left; /* pieces that may come: as many as there are bytes */
};

/* Reads a part, a file of torch.save, which then is in the merged one; *item is
 * what it has. */
varve_status vv_dcp_read_object(struct vv_dcp_reading *reading,
    const struct vv_dcp_part *part, uint32_t *item);

/* The same of the tensor with this name, whose TensorStorageMetadata is
 * `metadata`. What is wrong with it and its pieces is told by its name. */
varve_status vv_dcp_read_tensor(struct vv_dcp_reading *reading, uint32_t name,
    uint32_t metadata, uint32_t *item);

#endif
