/* promise.h - what a rank took for untouched, and is to write all the same.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PROMISE_H
#define VV_PROMISE_H

#include "share.h"

/* Looks at the chunks that were ordered and whose digests were taken over
 * (recall.h): nothing is ever written under the digest of something else.
 * VARVE_MISUSE names a value. */
varve_status vv_promise_check(
    const struct vv_share *share, const uint8_t *bits, varve_error *error);

#endif
