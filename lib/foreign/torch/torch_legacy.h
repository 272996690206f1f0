/* torch_legacy.h - what torch.save wrote before torch 1.6, and writes when it
 * is asked to: pickles one behind the other, and then the storages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_LEGACY_H
#define VV_TORCH_LEGACY_H

#include "zip_in.h"

/* Makes the directory that an archive would have: "/data.pkl" and "/data/KEY"
 * for each storage, without sums. Little-endian files alone; VARVE_CORRUPT,
 * VARVE_TRUNCATED, VARVE_TOO_NEW. End with vv_zip_clear, after success or
 * failure. */
varve_status vv_torch_read_legacy(struct vv_zip *zip,
    const struct vv_foreign *foreign, uint32_t file, varve_error *error);

#endif
