/* run_identity.h - The identity of a run, by which its checkpoints are told
 * from those of any other run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RUN_IDENTITY_H
#define VV_RUN_IDENTITY_H

#include <varve/error.h>

#include "context.h"
#include "ledger.h"

/* Sets `run`: 10 characters of the time in milliseconds since 1970-01-01 UTC
 * and 16 of random bits, in Crockford's base 32, as a ULID
 * (github.com/ulid/spec): later ones sort after earlier ones of machines with
 * the same time. */
varve_status vv_run_identity_make(const struct vv_context *context,
    char run[VV_RUN_SIZE], varve_error *error);

/* Makes another one out of an identity, which takes no random bits and so
 * cannot fail: of the time, and of a hash of the older identity and of what the
 * run was resumed from. */
void vv_run_identity_renew(
    const struct vv_context *context, char run[VV_RUN_SIZE], uint64_t parent);

/* The time in an identity that was made here, in milliseconds since 1970-01-01
 * UTC; 0 for another one. */
uint64_t vv_run_identity_time(const char *run);

/* VARVE_BAD_NAME for an identity that a program may not give its run. */
varve_status vv_run_identity_check(const char *run, varve_error *error);

#endif
