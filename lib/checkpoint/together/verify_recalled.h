/* verify_recalled.h - Verifies data of this rank that was assumed to be
 * unchanged but must be written.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VERIFY_RECALLED_H
#define VV_VERIFY_RECALLED_H

#include "share.h"

/* Reads the chunks whose bit is set and whose digests were reused (recall.h),
 * and compares the digests. So data is never written under the digest of
 * other data. Returns VARVE_MISUSE, with the path of the value, if a digest
 * differs. */
varve_status vv_verify_recalled(
    const struct vv_share *share, const uint8_t *bits, varve_error *error);

#endif
