/* run_identity.h - Makes the identity of a run, which distinguishes its
 * checkpoints from those of other runs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RUN_IDENTITY_H
#define VV_RUN_IDENTITY_H

#include <varve/error.h>

#include "context.h"
#include "ledger.h"

/* Sets `run` to a ULID (github.com/ulid/spec): 10 characters of the time in
 * milliseconds since 1970-01-01 UTC and 16 of random bits, in Crockford's base
 * 32. Later identities sort after earlier ones if the clocks agree. */
varve_status vv_run_identity_make(const struct vv_context *context,
    char run[VV_RUN_SIZE], varve_error *error);

/* Makes a new identity from the time and a hash of the older identity and its
 * parent. It needs no random bits and cannot fail. */
void vv_run_identity_renew(
    const struct vv_context *context, char run[VV_RUN_SIZE], uint64_t parent);

/* Returns the time of an identity that vv_run_identity_make made, in
 * milliseconds since 1970-01-01 UTC; 0 for any other. */
uint64_t vv_run_identity_time(const char *run);

/* Returns VARVE_BAD_NAME if a program cannot use this identity for its run. */
varve_status vv_run_identity_check(const char *run, varve_error *error);

#endif
