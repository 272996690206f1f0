/* torch_legacy.h - Reads the format of torch.save before torch 1.6, which newer
 * versions write on request: a sequence of pickles followed by the storages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_LEGACY_H
#define VV_TORCH_LEGACY_H

#include "zip_in.h"

/* Makes the directory that an archive would have: "/data.pkl", and "/data/KEY"
 * for each storage, without CRCs. Supports only little-endian files. Returns
 * VARVE_CORRUPT, VARVE_TRUNCATED or VARVE_TOO_NEW on failure. Call vv_zip_clear
 * after success and after failure. */
varve_status vv_torch_read_legacy(struct vv_zip *zip,
    const struct vv_foreign *foreign, uint32_t file, varve_error *error);

#endif
