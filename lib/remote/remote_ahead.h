/* remote_ahead.h - Prefetches ranges of a file with several requests in flight.
 *
 * Adjacent ranges are combined into segments of the size of a request. Their
 * bytes stay in memory until they have been read, or until their owner drops
 * them. A range that is not there in time is read by its reader itself, so
 * correctness does not depend on a plan.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_AHEAD_H
#define VV_REMOTE_AHEAD_H

#include <stdatomic.h>

#include "remote_get.h"

enum {
    VV_REMOTE_RANGE = 8 << 20,  /* default size of a request in bytes */
    VV_REMOTE_CONCURRENCY = 10, /* default number of concurrent requests */
    VV_REMOTE_MOST_CONCURRENCY = 64,
    VV_REMOTE_LEAST_RANGE = 64 << 10,
    /* largest gap between ranges of one segment, in bytes */
    VV_REMOTE_GAP = 256 << 10
};

/* Fetches bytes. Returns 0 or a failure of vv_remote_fail. `stop` is set when
 * the bytes are no longer needed. */
typedef int vv_remote_fetch(void *user, uint64_t first, unsigned char *to,
    size_t size, const atomic_bool *stop);

struct vv_remote_fetching;

/* Returns NULL if there is no memory. Only one thread at a time may call it for
 * a file. */
struct vv_remote_fetching *vv_remote_ahead_new(
    const struct vv_remote_settings *settings, vv_remote_fetch *fetch,
    void *user);

/* Cancels all requests, and waits for them. In a forked child, which does not
 * have the threads, frees nothing. Accepts NULL. */
void vv_remote_ahead_free(struct vv_remote_fetching *a);

/* Announces that a range will be read after those announced before. Adjacent
 * ranges of one owner are fetched together. */
void vv_remote_ahead_plan(struct vv_remote_fetching *a, const void *owner,
    uint64_t offset, uint64_t size);

/* Drops all ranges of an owner. */
void vv_remote_ahead_drop(struct vv_remote_fetching *a, const void *owner);

/* Copies the beginning of an announced range, waiting for its request if
 * necessary, and returns the number of bytes. Returns 0 if the caller must read
 * it directly, or a failure. Accepts NULL. */
int64_t vv_remote_ahead_read(struct vv_remote_fetching *a, unsigned char *to,
    size_t size, uint64_t offset);

#endif
