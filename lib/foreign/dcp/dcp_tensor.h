/* dcp_tensor.h - Reads a tensor of a torch.distributed checkpoint, which is
 * stored in one part or assembled from pieces.
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
    uint64_t left; /* remaining number of pieces; at first the size of the
                      metadata */
};

/* Reads a part, which is a torch.save file, and adds it to the merged file.
 * Sets *item to its value. */
varve_status vv_dcp_read_object(struct vv_dcp_reading *reading,
    const struct vv_dcp_part *part, uint32_t *item);

/* Reads the tensor with this name. `metadata` is its TensorStorageMetadata.
 * Error messages contain the name. */
varve_status vv_dcp_read_tensor(struct vv_dcp_reading *reading, uint32_t name,
    uint32_t metadata, uint32_t *item);

#endif
