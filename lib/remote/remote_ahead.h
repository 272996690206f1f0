/* remote_ahead.h - Prefetches ranges of a file with several requests in flight.
 *
 * Neighbouring ranges become segments of the size of a request. Their bytes
 * stay in memory until they have been read, or until their owner drops them.
 * A range that is not there in time is read by its reader itself: a plan makes
 * nothing depend on it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_AHEAD_H
#define VV_REMOTE_AHEAD_H

#include <stdatomic.h>

#include "remote_get.h"

enum {
    VV_REMOTE_RANGE = 8 << 20,  /* bytes of a request; by default */
    VV_REMOTE_CONCURRENCY = 10, /* requests at once, likewise */
    VV_REMOTE_MOST_CONCURRENCY = 64,
    VV_REMOTE_LEAST_RANGE = 64 << 10,
    VV_REMOTE_GAP = 256 << 10 /* bytes between ranges that are fetched too */
};

/* Fetches bytes: 0, or what failed, as vv_remote_fail returns it. `stop` is
 * set when nobody wants them any more. */
typedef int vv_remote_fetch(void *user, uint64_t first, unsigned char *to,
    size_t size, const atomic_bool *stop);

struct vv_remote_fetching;

/* NULL without memory. By one thread at a time. */
struct vv_remote_fetching *vv_remote_ahead_new(
    const struct vv_remote_settings *settings, vv_remote_fetch *fetch,
    void *user);

/* Ends what is on its way, and waits for it. In a child process, which has
 * none of the threads, nothing is freed. Takes NULL. */
void vv_remote_ahead_free(struct vv_remote_fetching *a);

/* A range will be read, behind those that were planned before. Neighbours of
 * one owner are fetched together. */
void vv_remote_ahead_plan(struct vv_remote_fetching *a, const void *owner,
    uint64_t offset, uint64_t size);

/* Drops all ranges of an owner. */
void vv_remote_ahead_drop(struct vv_remote_fetching *a, const void *owner);

/* Copies the beginning of a range that is planned, once it has come, and
 * returns how many bytes; 0: it is to be read without the plan; or what
 * failed. Takes NULL. */
int64_t vv_remote_ahead_read(struct vv_remote_fetching *a, unsigned char *to,
    size_t size, uint64_t offset);

#endif
