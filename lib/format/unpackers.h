/* unpackers.h - A pool of decompression states of an open checkpoint. Threads
 * take and return them, because making one takes longer than using it.
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

/* Returns one that no other thread uses, or a new one; NULL if there is no
 * memory. Can be called on any thread, as the two functions below. */
struct vv_unpacker *vv_unpackers_take(
    struct vv_unpackers *unpackers, const struct vv_context *context);

/* Returns one to the pool. Frees it if the pool is full. */
void vv_unpackers_give(
    struct vv_unpackers *unpackers, struct vv_unpacker *unpacker);

/* Frees all idle ones. */
void vv_unpackers_clear(struct vv_unpackers *unpackers);

#endif
