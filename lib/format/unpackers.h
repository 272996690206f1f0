/* unpackers.h - unpackers of a checkpoint that is open, which threads take and
 * give back: making one takes longer than what it is for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_UNPACKERS_H
#define VV_UNPACKERS_H

#include <stdatomic.h>

#include "pack.h"
#include "worker.h"

struct vv_unpackers {
    /* own */
    _Atomic(struct vv_unpacker *) idle[VV_MAX_WORKERS]; /* or NULL */
};

/* One that nobody else has, or a new one; NULL without memory. On any thread,
 * as the two below. */
struct vv_unpacker *vv_unpackers_take(
    struct vv_unpackers *unpackers, const struct vv_context *context);

/* Kept for the next, if there are not enough already. */
void vv_unpackers_give(
    struct vv_unpackers *unpackers, struct vv_unpacker *unpacker);

/* Frees those that nobody has. */
void vv_unpackers_clear(struct vv_unpackers *unpackers);

#endif
